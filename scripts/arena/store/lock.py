"""A lock on a folder: a file that names the process that writes there.

It works on every file system on which a file can be made only if it is not there yet. What a
killed process leaves behind is taken over on the same machine; on another one, and on Windows,
nobody can tell whether it still runs, and the message says which file to delete.
"""

import os
import platform
import threading
import time
from pathlib import Path

LOCK = "lock"
PATIENCE = 2.0
"""Seconds to wait for another process that takes over the lock of a dead one."""

_held: set[Path] = set()
"""The locks of this process: a number of its own in another lock is that of a dead one."""

_one_at_a_time = threading.Lock()


class LockedError(Exception):
    """The folder is in use; the message is one sentence without the folder."""


class FolderLock:
    """Keeps other processes and other locks of this one out of a folder, until released."""

    def __init__(self, folder: Path) -> None:
        """Takes the lock.

        Raises:
          LockedError: somebody has it.
          OSError: the folder cannot be written to.
        """
        self._path = (folder / LOCK).resolve()
        with _one_at_a_time:
            if not self._take():
                self._take_over()
            _held.add(self._path)

    def release(self) -> None:
        """Lets go; does nothing the second time."""
        if self._path in _held:
            _held.discard(self._path)
            self._path.unlink(missing_ok=True)

    def _take(self) -> bool:
        """Makes the file, unless it is there."""
        try:
            handle = os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
        except FileExistsError:
            return False
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(f"{os.getpid()} {platform.node()}\n")
        return True

    def _take_over(self) -> None:
        """Replaces the lock of a dead process; only one process at a time may try."""
        self._check_dead()
        guard = self._path.with_name(f"{LOCK}.takeover")
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                os.close(os.open(guard, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
                break
            except FileExistsError:
                if time.monotonic() > deadline:
                    raise LockedError(
                        f"another run is taking it over; if none is, delete {guard}"
                    ) from None
                time.sleep(0.02)
        try:
            if self._path.exists():
                self._check_dead()
                self._path.unlink()
            if not self._take():
                raise LockedError("another run has just begun to write to it")
        finally:
            guard.unlink(missing_ok=True)

    def _check_dead(self) -> None:
        """Returns if the process of the lock is gone; LockedError otherwise."""
        hint = f"if it is not, delete {self._path}"
        try:
            pid_text, _, host = self._path.read_text(encoding="utf-8").strip().partition(" ")
            pid = int(pid_text)
        except FileNotFoundError:
            return  # it was released meanwhile
        except ValueError:
            raise LockedError(f"a run is about to write to it; {hint}") from None
        if host != platform.node():
            raise LockedError(f"process {pid} on {host} is writing to it; {hint}")
        if self._path in _held if pid == os.getpid() else _is_alive(pid):
            raise LockedError(f"process {pid} is writing to it; {hint}")


def _is_alive(pid: int) -> bool:
    """Whether there is a process with this number on this machine, or nobody can tell."""
    if os.name == "nt":  # there os.kill would end it
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
