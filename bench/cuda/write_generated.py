"""write_generated.py FOLDER: CUDA code of tree36 and the humanoid, in float and double, and programs that time it."""
import pathlib
import sys

import sinew


def tree36() -> sinew.ModelSpec:
    """36 revolute joints: a stem of six with branches of seven, as make_case.cpp has it."""
    spec = sinew.mechanisms.gu(36)
    for i in range(7, 37):
        if (i - 7) % 7 == 0:
            spec.joints[i - 1].parent = "link6"
    spec.name = "tree36"
    return spec


DRIVE = """// Written by bench/cuda/write_generated.py: nvcc -std=c++20 -O3 -arch=sm_90 -Ibench/cuda drive.cu -o drive
#include "robot.cuh"
#include "time_generated.cuh"

int main() {
  sinew::bench::time_kernel("ABA", ROBOT_NQ, ROBOT_NV, robot_aba_batch);
  sinew::bench::time_kernel("RNEA", ROBOT_NQ, ROBOT_NV, robot_rnea_batch);
}
"""

for spec in (tree36(), sinew.mechanisms.humanoid()):
    model = sinew.compile(spec)
    for single in (True, False):
        folder = pathlib.Path(sys.argv[1]) / f"{model.name}_{'float' if single else 'double'}"
        folder.mkdir(parents=True, exist_ok=True)
        code = sinew.generate(model, ["aba", "rnea"], language="cuda", single=single, name="robot")
        for name, text in {**dict(code.files), "drive.cu": DRIVE}.items():
            (folder / name).write_text(text)
        print(f"{folder}: nv {model.nv}")
