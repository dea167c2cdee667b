#!/usr/bin/env python3
"""Prints the constants of include/sinew/base/pack_math.hpp: the minimax polynomials of sine and cosine on
[-pi/4, pi/4] and pi/2 cut into parts. Needs mpmath.

sin r = r + r^3 S(r^2),  cos r = 1 - r^2/2 + r^4 C(r^2).  S and C come from the Remez exchange on the relative error
of the whole; coefficients are rounded one at a time, lowest first, and the others are fitted again after each.
"""
from mpmath import mp, mpf, pi, sin, cos, sqrt, matrix, lu_solve, floor, log

mp.dps = 60
Z_MAX = (pi / 4) ** 2 * (1 + mpf(2) ** -20)


def targets(kind):
    """(f, weight) in z = r^2: the function to approximate, and the weight that makes its error relative."""
    if kind == "sin":
        def f(z):
            r = sqrt(z)
            return (sin(r) / r - 1) / z if z > mpf("1e-12") else mpf(-1) / 6 + z / 120
        return f, lambda z: z * sqrt(z) / sin(sqrt(z)) if z > 0 else mpf(0)
    def g(z):
        r = sqrt(z)
        return (cos(r) - 1 + z / 2) / z ** 2 if z > mpf("1e-6") else mpf(1) / 24 - z / 720 + z * z / 40320
    return g, lambda z: z * z / cos(sqrt(z))


def remez(f, weight, fixed, count):
    """Fits count - len(fixed) further coefficients; returns all of them and the largest weighted error."""
    free = count - len(fixed)
    low = len(fixed)
    goal = lambda z: f(z) - sum(c * z ** k for k, c in enumerate(fixed))
    nodes = [Z_MAX * (1 - cos(pi * (2 * i + 1) / (2 * (free + 1)))) / 2 for i in range(free + 1)]
    for _ in range(30):
        a = matrix(free + 1)
        b = matrix(free + 1, 1)
        for i, z in enumerate(nodes):
            for k in range(free):
                a[i, k] = z ** (low + k) * weight(z)
            a[i, free] = (-1) ** i
            b[i] = goal(z) * weight(z)
        x = lu_solve(a, b)
        coefficients = list(fixed) + [x[k] for k in range(free)]
        error = lambda z: (f(z) - sum(c * z ** k for k, c in enumerate(coefficients))) * weight(z)
        grid = [Z_MAX * i / 600 for i in range(1, 601)]
        values = [error(z) for z in grid]
        peaks = [i for i in range(600) if all(abs(values[i]) >= abs(values[j]) for j in (i - 1, i + 1) if 0 <= j < 600)]
        best = []
        for i in peaks:  # alternate in sign, keep the larger of neighbours with equal sign
            if best and values[best[-1]] * values[i] > 0:
                if abs(values[i]) > abs(values[best[-1]]):
                    best[-1] = i
            else:
                best.append(i)
        if len(best) < free + 1:
            break
        best = best[: free + 1]
        moved = max(abs(grid[i] - z) for i, z in zip(best, nodes))
        nodes = [grid[i] for i in best]
        if moved < Z_MAX / 500:
            break
    return coefficients, max(abs(v) for v in values)


def rounded(x, bits):
    e = int(floor(log(abs(x), 2)))
    scale = mpf(2) ** (bits - 1 - e)
    return mpf(int(floor(abs(x) * scale + mpf(1) / 2))) / scale * (1 if x > 0 else -1)


def polynomial(kind, count, bits):
    f, weight = targets(kind)
    fixed = []
    while len(fixed) < count:
        coefficients, _ = remez(f, weight, fixed, count)
        fixed.append(rounded(coefficients[len(fixed)], bits))
    error = max(abs((f(z) - sum(c * z ** k for k, c in enumerate(fixed))) * weight(z))
                for z in (Z_MAX * i / 2000 for i in range(1, 2001)))
    print(f"{kind}, {bits} bits, relative error 2^{float(log(error, 2)):.1f}:")
    for c in fixed:
        print("  ", float(c).hex() if bits == 53 else float(c).hex() + "f")


def parts(widths):
    rest = pi / 2
    print(f"pi/2 in parts of {widths} bits:")
    position = 0  # every part but the last ends on a fixed binary digit, so that k * part is exact
    for w in widths[:-1]:
        position += w
        unit = mpf(2) ** (1 - position)
        part = floor(rest / unit) * unit
        rest -= part
        print("  ", float(part).hex())
    print("  ", float(rounded(rest, widths[-1])).hex())


polynomial("sin", 6, 53)
polynomial("cos", 6, 53)
polynomial("sin", 3, 24)
polynomial("cos", 3, 24)
parts([33, 33, 33, 53])
parts([33, 53])
print("2/pi", float(2 / pi).hex())
