"""Compiled functions on disk: what they depend on, and where they are kept.

numba's own cache looks at the file that a function is in: an edit of a comment there compiles it
again, an edit of a constant in another file does not, and then code reads the wrong fields. Here a
function is known by a *fingerprint* of all that it was compiled from: its bytecode without the
docstring, its types and options, the values of the constants that it names, and the fingerprints of
the compiled functions that it calls. The same fingerprint is the same machine code, whichever copy
of the sources it comes from.

A file that is cut or damaged is a miss: the function is compiled again and the file replaced.
"""

import hashlib
import pickle
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from glob import escape
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite
import numba as nb
import numpy as np
import platformdirs
from numba.core.compiler import CompileResult

from marjolet_spiel.whole_files import replacing

PACKAGE = __name__.partition(".")[0]
SUFFIX = ".compiled"
KEPT_VERSIONS = 4
"""How many files of one function stay in a folder: several copies of the sources may share it."""

_DIGEST_SIZE = 16


def digest(*parts: bytes) -> bytes:
    """A hash of some parts in their order, `_DIGEST_SIZE` bytes long."""
    found = hashlib.blake2b(digest_size=_DIGEST_SIZE)
    for part in parts:
        found.update(len(part).to_bytes(8, "little"))
        found.update(part)
    return found.digest()


def fingerprint(function: FunctionType, how: str) -> bytes:
    """What tells apart all that a function can be compiled to.

    Args:
      function: a Python function; the compiled functions that it calls have a `fingerprint`.
      how: its types and the options of the compiler, as text.

    Raises:
      TypeError: it names something of which it is not known when it changes.
    """
    code = function.__code__
    names = sorted(set(_names(code)))
    known = function.__globals__
    parts = [how.encode(), *_code_parts(code, function.__doc__)]
    for name in names:
        if name in known and known[name] is not function:
            parts += [
                name.encode(),
                _value_digest(f"{function.__name__}: {name}", known[name], names),
            ]
    for cell in function.__closure__ or ():
        parts.append(
            _value_digest(f"{function.__name__}: a free variable", cell.cell_contents, names)
        )
    return digest(*parts)


def _names(code: CodeType) -> Iterator[str]:
    """The names of globals and attributes in a code and in those within it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _code_parts(code: CodeType, doc: str | None) -> Iterator[bytes]:
    """A code without its docstring, its line numbers and the names of its variables."""
    yield code.co_code
    yield repr((code.co_names, code.co_argcount, code.co_nlocals)).encode()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_parts(constant, None)
        elif doc is None or constant != doc:
            yield f"{type(constant).__name__} {constant!r}".encode()


def _is_foreign(module: str) -> bool:
    """Whether a module changes with the versions of numba and numpy alone."""
    return module.partition(".")[0] in ("llvmlite", "math", "numba", "numpy")


def _value_digest(what: str, value: Any, names: list[str]) -> bytes:
    """A digest of what a name in a function stands for; of a module what `names` take from it."""
    if isinstance(value, ModuleType):
        if _is_foreign(value.__name__):
            return value.__name__.encode()
        own = [name for name in names if hasattr(value, name)]
        taken = [_value_digest(f"{what}.{name}", getattr(value, name), names) for name in own]
        return digest(*[name.encode() for name in own], *taken)
    if isinstance(value, bool | int | float | complex | str | tuple | np.generic | type(None)):
        return f"{type(value).__name__} {value!r}".encode()
    if isinstance(value, np.ndarray):
        return digest(f"{value.dtype} {value.shape}".encode(), value.tobytes())
    if hasattr(value, "fingerprint"):
        return bytes(value.fingerprint)
    inner = getattr(value, "_defn", value)  # of an intrinsic of numba
    if isinstance(inner, FunctionType) and not _is_foreign(inner.__module__):
        return fingerprint(inner, type(value).__name__)
    if hasattr(inner, "__qualname__"):  # a class, or a function that numba knows
        fields = getattr(inner, "_fields", ())
        return f"{inner.__module__}.{inner.__qualname__} {fields}".encode()
    raise TypeError(f"{what}: a compiled function cannot depend on {value!r}")


@cache
def folders() -> tuple[Path, ...]:
    """Where compiled functions may lie, the best place first.

    That is the folder that NUMBA_CACHE_DIR names, if it does; else beside the package, or where
    that cannot be written the user's cache folder.
    """
    if nb.config.CACHE_DIR:
        return (Path(nb.config.CACHE_DIR),)
    beside = Path(__file__).parent / "__pycache__"
    try:
        return beside, Path(platformdirs.user_cache_dir(PACKAGE)) / "compiled"
    except (OSError, RuntimeError, KeyError):  # a user without a home
        return (beside,)


@cache
def _say_that_nothing_is_kept(why: str) -> None:
    """Says it once a process."""
    print(
        f"{PACKAGE}: no folder to keep compiled code in ({why}), so it is compiled for this "
        "process alone; NUMBA_CACHE_DIR may name one",
        file=sys.stderr,
        flush=True,
    )


def _remove_old(folder: Path, prefix: str) -> None:
    """Leaves the newest `KEPT_VERSIONS` files whose names begin so."""
    times = {}
    for path in folder.glob(f"{escape(prefix)}*{SUFFIX}"):
        with suppress(FileNotFoundError):  # another process was faster
            times[path] = path.stat().st_mtime
    for path in sorted(times, key=lambda path: times[path])[:-KEPT_VERSIONS]:
        path.unlink(missing_ok=True)


class CompiledFiles:
    """The cache of one compiled function, as numba's dispatchers use it."""

    def __init__(self, function: FunctionType, mark: bytes) -> None:
        """A cache for a function with a `fingerprint`."""
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._mark = mark

    @property
    def cache_path(self) -> str:
        """The folder in which new files are put if it can be written."""
        return str(folders()[0])

    def _prefix(self, codegen: Any) -> str:
        """The beginning of the file's name: the function and what runs it."""
        versions = (sys.version, nb.__version__, llvmlite.__version__, np.__version__)
        machine = digest(repr((versions, codegen.magic_tuple())).encode())
        return f"{self._name}-{machine.hex()[:8]}-"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """What was compiled before; None if there is nothing, or not exactly what was written."""
        target_context.refresh()
        name = self._prefix(target_context.codegen()) + self._mark.hex() + SUFFIX
        for folder in folders():
            try:
                data = (folder / name).read_bytes()
            except OSError:
                continue
            if data[:_DIGEST_SIZE] == digest(data[_DIGEST_SIZE:]):
                payload = pickle.loads(data[_DIGEST_SIZE:])
                return CompileResult._rebuild(target_context, *payload)
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keeps what was compiled, where that is possible."""
        prefix = self._prefix(result.codegen)
        data = pickle.dumps(result._reduce())
        why = ""
        for folder in folders():
            try:
                folder.mkdir(parents=True, exist_ok=True)
                with replacing(folder / (prefix + self._mark.hex() + SUFFIX)) as file:
                    file.write(digest(data) + data)
                _remove_old(folder, prefix)
                return
            except OSError as error:
                why = why or str(error)
        _say_that_nothing_is_kept(why)

    def enable(self) -> None:
        """Always enabled."""

    def disable(self) -> None:
        """Always enabled."""

    def flush(self) -> None:
        """Nothing is held back."""
