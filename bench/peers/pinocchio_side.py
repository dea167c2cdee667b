#!/usr/bin/env python3
"""A model as Pinocchio's own URDF reader understands it, in plain text: what pinocchio_peer builds its model from.

    pinocchio_side.py URDF [--floating] [--contacts FILE]

The packaged library is compiled for any processor and lays some types out otherwise than code compiled for this one,
so its models cannot be handed over in memory. Each line is one joint:
    "name" type parent | axis (3) | rotation (9, by rows), translation (3) | mass, lever (3), inertia at the centre of
    mass (xx xy yy xz yz zz) | armature (nv)
With contacts (a file as in peer.hpp) each line is one of them, and the joints are left out:
    joint rows | rotation (9, by rows), translation (3) from the contact's to the joint's frame
Also makes the random states of `make bench-peers`.
"""
import argparse
import pathlib
import sys

import numpy as np
import pinocchio


def load(urdf, floating):
    if floating:
        return pinocchio.buildModelFromUrdf(str(urdf), pinocchio.JointModelFreeFlyer())
    return pinocchio.buildModelFromUrdf(str(urdf))


def words(*numbers):
    return " ".join(repr(float(x)) for x in numbers)


def model_text(model):
    lines = []
    for k in range(1, model.njoints):
        joint, place, body = model.joints[k], model.jointPlacements[k], model.inertias[k]
        axis = getattr(joint.extract(), "axis", np.zeros(3))
        inertia = body.inertia[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
        armature = model.armature[joint.idx_v:joint.idx_v + joint.nv]
        numbers = [*axis, *place.rotation.ravel(), *place.translation, body.mass, *body.lever, *inertia, *armature]
        lines.append(f'"{model.names[k]}" {joint.shortname()} {model.parents[k]} {words(*numbers)}')
    return "\n".join(lines) + "\n"


def contact_text(model, contacts):
    lines = []
    for line in contacts.splitlines():
        name, rows, *shift = line.split()
        if not model.existFrame(name, pinocchio.FrameType.BODY):
            raise ValueError(f"{model.name} has no link {name}")
        frame = model.frames[model.getFrameId(name, pinocchio.FrameType.BODY)]
        place = frame.placement * pinocchio.SE3(np.eye(3), np.array(shift, float))
        lines.append(f"{frame.parentJoint} {rows} {words(*place.rotation.ravel(), *place.translation)}")
    return "\n".join(lines) + "\n"


def write_states(model, count, file, seed=1):
    """Positions anywhere: limits are replaced by +-pi, quaternions are uniform. The rest is uniform in +-1."""
    pinocchio.seed(seed)
    rng = np.random.default_rng(seed)
    reach = np.full(model.nq, np.pi)
    with open(file, "wb") as out:
        np.array([count, model.nq, model.nv], np.int64).tofile(out)
        for _ in range(count):
            pinocchio.randomConfiguration(model, -reach, reach).tofile(out)
            rng.uniform(-1, 1, 3 * model.nv).tofile(out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("urdf")
    parser.add_argument("--floating", action="store_true")
    parser.add_argument("--contacts", type=pathlib.Path)
    options = parser.parse_args()
    the_model = load(options.urdf, options.floating)
    sys.stdout.write(contact_text(the_model, options.contacts.read_text()) if options.contacts else
                     model_text(the_model))
