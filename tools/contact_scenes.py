"""Scenes of many bodies, as MJCF text: heaps in a bin, dominoes, walls, towers, chains. The same on every machine.

    python tools/contact_scenes.py FOLDER        # writes them all
"""
import pathlib
import random
import sys

HALF = 0.05  # [m] of a body in a heap
SHAPES = {
    "sphere": f'type="sphere" size="{HALF}"',
    "box": f'type="box" size="{0.7 * HALF:g} {0.6 * HALF:g} {0.5 * HALF:g}"',
    "capsule": f'type="capsule" size="{0.4 * HALF:g} {0.4 * HALF:g}"',
    "cylinder": f'type="cylinder" size="{0.6 * HALF:g} {0.5 * HALF:g}"',
    "mesh": 'type="mesh" mesh="stone"',
}


def _scene(name, bodies, friction=0.5, step=2e-3, assets=""):
    return (f'<mujoco model="{name}"><option timestep="{step:g}" gravity="0 0 -9.81" cone="elliptic"/>{assets}'
            f'<default><geom friction="{friction:g} 0 0"/></default><worldbody>'
            f'<geom name="floor" type="plane" size="50 50 .1"/>{bodies}</worldbody></mujoco>')


def _free(name, place, geom, turn=(1, 0, 0, 0)):
    numbers = [" ".join(f"{x:.9g}" for x in v) for v in (place, turn)]
    return f'<body name="{name}" pos="{numbers[0]}" quat="{numbers[1]}"><freejoint/><geom {geom}/></body>'


def _stone(chance):
    """The corners of a convex stone: points on an ellipsoid."""
    corners = []
    for _ in range(16):
        v = [chance.gauss(0, 1) for _ in range(3)]
        length = sum(x * x for x in v) ** 0.5
        corners += [x / length * HALF * s for x, s in zip(v, (0.8, 0.65, 0.55))]
    return '<asset><mesh name="stone" vertex="' + " ".join(f"{x:.6g}" for x in corners) + '"/></asset>'


def heap(kind, count):
    """Bodies that fall into a bin without a lid, about three layers of a square."""
    chance = random.Random(count)
    wide = max(0.15, HALF * 2.6 * (count / 4) ** 0.5 / 2)
    side = int(2 * wide / (2.6 * HALF))
    walls = "".join(f'<geom type="plane" size="5 5 .1" pos="{x * wide:g} {y * wide:g} 0" zaxis="{-x} {-y} 0"/>'
                    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)))
    bodies = []
    for k in range(count):
        cell = (k % side, k // side % side, k // side**2)
        place = [(c - (side - 1) / 2) * 2.6 * HALF + chance.uniform(-0.01, 0.01) for c in cell[:2]]
        place.append(2 * HALF + cell[2] * 2.6 * HALF + chance.uniform(-0.01, 0.01))
        turn = [chance.gauss(0, 1) for _ in range(4)]
        bodies.append(_free(f"b{k}", place, SHAPES[kind], turn))
    return _scene(f"{kind} heap {count}", walls + "".join(bodies), assets=_stone(chance) if kind == "mesh" else "")


def dominoes(count):
    """A row; a ball pushes the first one."""
    bodies = [_free(f"d{k}", (0.06 * k, 0, 0.1), 'type="box" size=".01 .05 .1" mass="0.1"') for k in range(count)]
    push = ('<body name="ball" pos="-0.3 0 0.15"><joint type="slide" axis="1 0 0"/>'
            '<geom type="sphere" size="0.05" mass="0.3"/></body>')
    text = _scene(f"dominoes {count}", "".join(bodies) + push)
    speeds = " ".join(["0"] * (6 * count) + ["1"])
    return text.replace("</mujoco>", f'<keyframe><key name="pushed" qvel="{speeds}"/></keyframe></mujoco>')


def wall(width, height):
    """Bricks in a bond, at rest."""
    brick = 'type="box" size=".1 .05 .05" mass="1"'
    return _scene(f"wall {width}x{height}", "".join(
        _free(f"b{r}_{c}", ((c + 0.5 * (r % 2)) * 0.2002, 0, 0.05 + 0.1 * r), brick)
        for r in range(height) for c in range(width - r % 2)))


def tower(count, lean=0.0022):
    """Boxes on each other, each farther off the one below. Above box j the centre of mass is off that box by about
    3/8 lean count at most, where j = count / 4: a tower of 50 stands with 0.0022 (4 cm of the 6 that a box is to its
    side) and topples with 0.008 (15 cm)."""
    return _scene(f"tower {count}", "".join(
        _free(f"b{k}", (lean * k * (k - 1) / count, 0, 0.05 + 0.1 * k), 'type="box" size=".06 .06 .05" mass="1"')
        for k in range(count)))


def chain(links):
    """Capsules on ball joints, a helix in the air that falls on the floor."""
    text, end = "", ""
    for k in range(links):
        place = "0 0 0.6" if k == 0 else "0.1 0 0"
        joint = "<freejoint/>" if k == 0 else '<joint type="ball" damping="0.005"/>'
        turn = "" if k == 0 else f' euler="{4 if k % 2 else -2} {6 if k % 3 else -9} {20 if k % 4 else -8}"'
        text += (f'<body name="l{k}" pos="{place}"{turn}>{joint}'
                 '<geom type="capsule" size="0.02" fromto="0.015 0 0 0.085 0 0" mass="0.1"/>')
        end += "</body>"
    return _scene(f"chain {links}", text + end)


def all_scenes():
    """Name to text."""
    out = {f"{kind}{count}": heap(kind, count) for count in (30, 100, 300) for kind in SHAPES}
    out |= {"dominoes30": dominoes(30), "wall60": wall(8, 8), "tower50": tower(50), "toppling50": tower(50, 0.008)}
    return out | {"chain50": chain(50), "chain200": chain(200), "box1000": heap("box", 1000)}


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in all_scenes().items():
        (folder / f"{name}.xml").write_text(text)
    print(f"{len(all_scenes())} scenes in {folder}")
