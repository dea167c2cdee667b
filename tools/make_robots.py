#!/usr/bin/env python3
"""Write docs/robots.md: every public robot, how Sinew reads it, and how much it differs from the peer.

    .venv/bin/python tools/make_robots.py build/release/sinew
"""
import os
import pathlib
import sys
from importlib.metadata import version

sys.path.insert(0, os.path.dirname(__file__))
import robots  # noqa: E402

PAGE = pathlib.Path(__file__).parent.parent / "docs/robots.md"


def cell(text):
    return text.replace("|", "\\|")


def table(outcomes, peer):
    # Differences are not shown: they are rounding, and change with compiler and processor.
    lines = [f"| file | nv | bodies | mass [kg] | warnings | {peer} |", "|---|---:|---:|---:|---:|---|"]
    for o in outcomes:
        name = cell(robots.short_name(o.file))
        if o.loads:
            says = "refuses it" if o.peer_error else "agrees" if o.agrees else "DIFFERS"
            lines.append(f"| {name} | {o.nv} | {o.bodies} | {o.mass:.6g} | {o.warnings} | {says} |")
    lines += ["", "Refused:", "", f"| file | why | {peer} |", "|---|---|---|"]
    for o in outcomes:
        if not o.loads:
            lines.append(f"| {cell(robots.short_name(o.file))} | {cell(o.error)} | "
                         f"{'refuses it too' if o.peer_error else 'LOADS IT'} |")
    return lines


def summary(outcomes, peer):
    loads = [o for o in outcomes if o.loads]
    both = [o for o in loads if not o.peer_error]
    agree = [o for o in both if o.agrees]
    refused = len(outcomes) - len(loads)
    only_peer = sum(not o.loads and not o.peer_error for o in outcomes)
    return (f"{len(outcomes)} files: {len(loads)} load, {refused} are refused ({only_peer} of those {peer} loads). "
            f"{len(both)} load in both; {len(agree)} of them agree to 1e-10.")


def worst(outcomes):
    both = [o for o in outcomes if o.loads and not o.peer_error]
    return (f"largest differences: mass {max(o.mass_difference for o in both):.1e} relative, "
            f"poses {max(o.pose_difference for o in both):.1e}, "
            f"inertia {max(o.inertia_difference for o in both):.1e} "
            f"(bodies with meshes {max(o.mesh_inertia_difference for o in both):.1e})")


def main(app):
    urdf = [robots.urdf_outcome(app, f) for f in robots.find_urdf()]
    mjcf = [robots.mjcf_outcome(app, f) for f in robots.find_mjcf()]
    packages = ["example-robot-data", "pin", "mujoco", "dm_control", "gymnasium", "gymnasium-robotics"]
    page = ["# Public robots", "",
            "Made by `make docs`; do not edit. Every robot file of these packages, read by `sinew info --json` and by the",
            "program it was made for: degrees of freedom, masses, and the positions and orientations of all bodies and sites in",
            "the neutral position; for MJCF also centres of mass and inertias (to 1e-6 on bodies with mesh geoms, where",
            "MuJoCo's own iteration stops). `tests/io/test_public_robots.py` is the same as a test.", "",
            "Packages: " + ", ".join(f"{p} {version(p)}" for p in packages) + ".", "",
            "## URDF beside Pinocchio", "", summary(urdf, "Pinocchio"), "", *table(urdf, "Pinocchio"), "",
            "## MJCF beside MuJoCo", "", summary(mjcf, "MuJoCo"), "", *table(mjcf, "MuJoCo"), ""]
    PAGE.write_text("\n".join(page))
    for outcomes, peer in ((urdf, "Pinocchio"), (mjcf, "MuJoCo")):
        print(f"{peer}: {summary(outcomes, peer)} {worst(outcomes)}")
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    main(sys.argv[1])
