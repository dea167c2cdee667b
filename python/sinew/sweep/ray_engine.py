"""Ray: on this machine, or on a cluster by its address. Lost workers and nodes are ours to repair, not Ray's."""
from __future__ import annotations

import contextlib
import io
import os
import sys
import threading
from typing import Any

from .engines import Ledger, package_path
from .errors import FolderError
from .runner import Runner
from .shard import Folder, Range, work_on
from .worker import make_runner

LOOPBACK = "127.0.0.1"
_runners: dict[str, Runner] = {}  # of this worker process


def task(plan: str, plan_hash: str, folder: str, r: Range, flush_seconds: float) -> int:
    """In a worker of Ray."""
    if plan_hash not in _runners:
        _runners.clear()
        _runners[plan_hash] = make_runner(plan, plan_hash)
    return work_on(_runners[plan_hash], Folder(folder), r, flush_seconds=flush_seconds)


def import_ray(local: bool) -> Any:
    """local: a Ray of this machine alone. ray.init(_node_ip_address=LOOPBACK) does not do that: Ray takes loopback
    for the machine's address in the network, unless this variable is set before it is imported."""
    if local:
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        import ray.exceptions
    except ImportError as e:
        raise ImportError("engine ray needs Ray, which is not installed: pip install 'sinew[ray]', or pip install ray") from e
    return ray


def start_ray(ray: Any, address: str | None, jobs: int) -> bool:
    """Connects to a cluster, or starts one on this machine that only this machine can reach. True: it was started."""
    if ray.is_initialized():
        return False
    paths = [package_path(), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))  # workers import the same package
    if address:
        ray.init(address=address, log_to_driver=False, logging_level="error")
    else:
        if (own := ray.util.get_node_ip_address()) != LOOPBACK:
            raise FolderError(f"a Ray of this machine would be reachable at {own}, because this process imported ray "
                              "before the sweep; set RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0, or give the address of a cluster")
        ray.init(num_cpus=jobs, include_dashboard=False, log_to_driver=False, logging_level="error",
                 object_store_memory=80 << 20, _node_ip_address=LOOPBACK)
    return True


def run_ray(runner: Runner, folder: Folder, ledger: Ledger, flush_seconds: float, jobs: int,
            address: str | None) -> None:
    with contextlib.redirect_stdout(_Quiet(sys.stdout)):
        _run_ray(runner, folder, ledger, flush_seconds, jobs, address)


class _Quiet(io.TextIOBase):
    """Ray's own threads print a paragraph per lost worker, whatever its options say; we count them."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        if not threading.current_thread().name.startswith("ray_"):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        self._stream.flush()


def _run_ray(runner: Runner, folder: Folder, ledger: Ledger, flush_seconds: float, jobs: int,
             address: str | None) -> None:
    ray = import_ray(local=not address or address.startswith(("127.", "localhost")))
    started = start_ray(ray, address, jobs)
    remote = ray.remote(num_cpus=1, max_retries=0, max_calls=0)(task)
    plan, root = ray.put(runner.plan.to_json()), str(folder.root.absolute())
    under_way: dict[Any, Range] = {}
    try:
        while ledger.left or under_way:
            # Twice as many tasks as processors: no worker waits for the driver.
            most = 2 * max(1, int(ray.cluster_resources().get("CPU", jobs)))
            while len(under_way) < most and (r := ledger.take()):
                under_way[remote.remote(plan, runner.hash, root, r, flush_seconds)] = r
            ready, _ = ray.wait(list(under_way), num_returns=1, timeout=0.5) if under_way else ([], [])
            for ref in ready:
                _finish(ray, ledger, under_way.pop(ref), ref)
            notes = [folder.read_note(r) for r in under_way.values()]
            ledger.progress.under_way(sum(n.finished for n in notes if n))
    finally:
        ledger.progress.under_way(0)
        for ref in under_way:
            ray.cancel(ref, force=False)  # as Ctrl-C: it writes what it has
        if under_way:
            ray.wait(list(under_way), num_returns=len(under_way), timeout=10)
        if started:
            with contextlib.redirect_stdout(io.StringIO()):  # what its threads had not printed yet
                ray.shutdown()


def _finish(ray: Any, ledger: Ledger, r: Range, ref: Any) -> None:
    try:
        failed = ray.get(ref)
    except ray.exceptions.RayTaskError as e:  # our own code raised: not a matter of luck
        cause = e.cause if isinstance(e.cause, Exception) else e
        raise FolderError(f"a worker cannot go on: {type(cause).__name__}: {cause}") from e
    except ray.exceptions.RayError as e:  # worker or node is gone; a lost node is not the fault of a sample
        ledger.died(r, type(e).__name__, blame=not isinstance(e, ray.exceptions.NodeDiedError))
    else:
        ledger.finished(r, failed)
