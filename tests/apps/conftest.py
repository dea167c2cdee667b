"""Says at the end how far `sinew eval` was from its peers."""
import sys


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
