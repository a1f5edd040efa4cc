"""Who plays blocks: this process alone, or workers of joblib that each play one at a time.

Workers get plain frozen values and give back results; nothing but the process that started them
writes to a store. In what order and by whom blocks are played changes no result.
"""

import contextlib
import logging
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from scripts.arena.plan.config import Config
from scripts.arena.plan.pairings import Block
from scripts.arena.play.guard import ONE_THREAD
from scripts.arena.store.records import PlayedBlock
from scripts.streams import make_streams_steady

SERIAL = "serial"
BACKENDS = (SERIAL, "loky", "dask", "ray")
MAX_JOBS = 1024
NEEDS = {
    "loky": {"joblib": "parallel"},
    "dask": {"joblib": "dask", "distributed": "dask"},
    "ray": {"joblib": "ray", "ray": "ray"},
}
"""The modules that a backend needs, with the extra that installs them."""

LOST = {
    "BrokenProcessPool",  # loky; TerminatedWorkerError is one
    "KilledWorker",  # dask
    "RayActorError",  # ray
    "WorkerCrashedError",
    "OutOfMemoryError",
}
"""Classes of the errors by which backends say that a worker died."""

Play = Callable[[Config, Block], PlayedBlock]


class LostWorkerError(Exception):
    """A worker died; the message is one sentence."""


@dataclass(frozen=True)
class Crew:
    """Who plays; made by `make_crew`.

    Attributes:
      n_jobs: how many workers, -1 for as many as there are cores.
      backend: how joblib starts them; serial is this process, without joblib.
    """

    n_jobs: int = 1
    backend: str = SERIAL

    @property
    def is_serial(self) -> bool:
        """Whether there are no workers."""
        return self.backend == SERIAL


def make_crew(n_jobs: int = 1, backend: str | None = None) -> Crew:
    """A checked crew. Without a backend one job is serial, more are loky's.

    Raises:
      ValueError: names what is wrong, its value and what is allowed.
    """
    if n_jobs != -1 and not 1 <= n_jobs <= MAX_JOBS:
        raise ValueError(
            f"n_jobs: {n_jobs!r} is not allowed; it must be -1 (all cores) or a whole number from "
            f"1 to {MAX_JOBS}"
        )
    chosen = (SERIAL if n_jobs == 1 else "loky") if backend is None else backend
    if chosen not in BACKENDS:
        raise ValueError(
            f"backend: {chosen!r} is not allowed; it must be one of {', '.join(BACKENDS)}"
        )
    if chosen == SERIAL and n_jobs != 1:
        raise ValueError(f"backend: 'serial' plays with n_jobs=1, not with n_jobs={n_jobs}")
    for module, extra in NEEDS.get(chosen, {}).items():
        if find_spec(module) is None:
            raise ValueError(
                f"backend: {chosen!r} needs {module}, which is not installed; "
                f"pip install -e '.[{extra}]' installs it"
            )
    return Crew(n_jobs, chosen)


def play_parallel(
    play: Play, config: Config, blocks: Sequence[Block], crew: Crew
) -> Iterator[PlayedBlock]:
    """The results of some blocks, each as soon as a worker has it.

    Args:
      play: plays a block; a function that workers can import.
      config: the configuration of the plan.
      blocks: what to play, at least one block.
      crew: the workers. Those that this call starts end with it, at the latest when the iterator
        is closed; loky keeps its own for the next call of this process if all went well.

    Raises:
      LostWorkerError: a worker died.
    """
    import joblib

    # Said when the iterator is closed before its end: that is what Ctrl-C is meant to do.
    warnings.filterwarnings("ignore", ".* tasks which were still being processed by the workers")
    jobs = min(joblib.cpu_count() if crew.n_jobs == -1 else crew.n_jobs, len(blocks))
    with _started(crew.backend, jobs):
        tasks = [joblib.delayed(play)(config, block) for block in blocks]
        with contextlib.closing(_results(tasks, crew.backend, jobs)) as results:
            try:
                yield from results
            except OSError as error:
                why = error.strerror or error
                raise LostWorkerError(
                    f"the system lets no workers work ({why}); the finished blocks are stored"
                ) from error
            except Exception as error:
                if LOST.isdisjoint(kind.__name__ for kind in type(error).__mro__):
                    raise
                raise LostWorkerError(
                    "a worker died (killed, out of memory, or a bot ended its process); the "
                    "finished blocks are stored"
                ) from error


def _results(tasks: Sequence[Any], backend: str, jobs: int) -> Any:
    """A generator of what tasks give, in any order.

    A batch is one task: what is finished is never held back for what is not. Ray alone cannot hand
    over single results; it gets a few tasks a worker at a time.
    """
    from joblib import Parallel

    if backend != "ray":
        return Parallel(n_jobs=jobs, batch_size=1, return_as="generator_unordered")(tasks)
    parallel, size = Parallel(n_jobs=jobs, batch_size=1), 4 * jobs
    rounds = (tasks[start : start + size] for start in range(0, len(tasks), size))
    return (result for some in rounds for result in parallel(some))


@contextlib.contextmanager
def _started(backend: str, jobs: int) -> Iterator[None]:
    """Makes a backend the one of joblib, with workers that compute in one thread each."""
    from joblib import parallel_config

    with contextlib.ExitStack() as stack:
        kind: Any = backend
        if backend == "dask":
            stack.enter_context(_dask_client(jobs))
            kind = _dask_backend()
        elif backend == "ray":
            stack.callback(_start_ray(jobs))
        more: dict[str, Any] = {}
        if backend == "loky":
            more = {"inner_max_num_threads": 1, "initializer": _belong_to_parent}
        stack.enter_context(parallel_config(kind, n_jobs=jobs, **more))
        yield


def _belong_to_parent() -> None:
    """Makes this process, a worker of loky, end with the one that started it and not before.

    Ctrl-C reaches all processes of a terminal: the parent ends its workers then. If the parent is
    killed nobody would, and they would wait for minutes for more to do.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    make_streams_steady()
    threading.Thread(target=_end_without, args=[os.getppid()], daemon=True).start()


def _end_without(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _dask_client(jobs: int) -> Any:
    """A client of the cluster in DASK_SCHEDULER_ADDRESS, else of one on this machine."""
    import dask
    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if os.environ.get("DASK_SCHEDULER_ADDRESS"):
        return Client()
    # A block that has lost its worker once would lose the next one too.
    dask.config.set({"distributed.scheduler.allowed-failures": 0})
    with _children_ignore_ctrl_c():
        return Client(
            n_workers=jobs,
            threads_per_worker=1,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
            env=ONE_THREAD,
        )


def _dask_backend() -> Any:
    """Joblib's backend for the current client; its own waits for ever for a worker that died."""
    from joblib._dask import DaskDistributedBackend

    class Backend(DaskDistributedBackend):  # type: ignore[misc]
        def submit(self, func: Any, callback: Any = None) -> Any:
            def tell(done: Any) -> None:
                if callback is not None and done.exception() is not None:
                    callback(done.exception())

            future = super().submit(func, callback)
            future.add_done_callback(tell)
            return future

    return Backend()


@contextlib.contextmanager
def _children_ignore_ctrl_c() -> Iterator[None]:
    """Processes that start meanwhile inherit that; this one ignores Ctrl-C as long."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _start_ray(jobs: int) -> Callable[[], None]:
    """Connects to the cluster in RAY_ADDRESS, else starts one here; what ends that again."""
    import ray
    from ray.util.joblib import register_ray

    here = {} if os.environ.get("RAY_ADDRESS") else {"num_cpus": jobs, "include_dashboard": False}
    runtime = {"env_vars": ONE_THREAD}
    ray.init(runtime_env=runtime, log_to_driver=False, logging_level=logging.ERROR, **here)
    register_ray()
    return ray.shutdown
