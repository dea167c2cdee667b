"""Files for tests; and at the end, how far `sinew eval` was from its peers."""
import json
import signal
import sys

import pytest

# A shell starts what it runs in the background with SIGINT ignored, and children inherit that: tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def write(tmp_path):
    """Writes text, or a problem as JSON, to a file that is named after what it holds."""
    def to(content, name=None):
        text = content if isinstance(content, str) else json.dumps(content)
        kinds = {"<robot": "robot.urdf", "<mujoco": "model.xml"}
        file = tmp_path / (name or next((kinds[k] for k in kinds if text.lstrip().startswith(k)), "problem.json"))
        file.write_text(text)
        return file
    return to


def pytest_terminal_summary(terminalreporter):
    eval_support = sys.modules.get("eval_support")
    if not eval_support or not eval_support.worst:
        return
    terminalreporter.section("sinew eval beside its peers")
    for peer, names in eval_support.robots.items():
        terminalreporter.line(f"{peer}: {len(names)} models, seed {eval_support.SEED}; worst relative differences:")
        for (of, quantity), (error, tolerance, robot) in sorted(eval_support.worst.items()):
            if of == peer:
                terminalreporter.line(f"  {quantity:18} {error:8.1e}  (tolerance there {tolerance:.0e})  {robot}")
