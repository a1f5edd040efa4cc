"""How functions are compiled, and the two instructions on bits that numba has no word for."""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba as nb
import numpy as np
from llvmlite import ir
from numba.core.caching import FunctionCache
from numba.extending import intrinsic

if nb.config.DISABLE_JIT:
    np.seterr(over="ignore")  # compiled integers wrap around in silence


@cache
def _digest(folder: Path) -> str:
    """A hash of the Python sources of this package, solvers included, and of `folder`."""
    sources = sorted({*Path(__file__).parent.rglob("*.py"), *folder.glob("*.py")})
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()


class _Cache(FunctionCache):  # type: ignore[misc]
    """numba's cache on disk, but what is in it counts only while no source has changed.

    numba looks at the source of the function itself. Ours call each other across modules and share
    the layout of positions: code compiled before a change elsewhere would read the wrong fields.
    """

    def _index_key(self, signature: Any, codegen: Any) -> Any:
        folder = Path(self._py_func.__code__.co_filename).parent
        return *super()._index_key(signature, codegen), _digest(folder)


def _compiled(signature: str, **options: Any) -> Callable[[Any], Any]:
    def decorate(function: Any) -> Any:
        dispatcher = nb.njit(nogil=True, **options)(function)
        if not nb.config.DISABLE_JIT:
            function.__globals__[function.__name__] = dispatcher  # it may call itself
            dispatcher._cache = _Cache(function)
            dispatcher.compile(signature)
            dispatcher.disable_compile()
        return dispatcher

    return decorate


def compiled(signature: str) -> Any:
    """The decorator of the compiled functions: explicit types, kept on disk, no GIL.

    They allocate nothing, so numba's reference counting is left out (`_nrt`), whose atomic counters
    at each call with an array took half of the time of a playout. Calls among them are inlined,
    which halved it again: passing an array means passing seven words.
    """
    return _compiled(signature, _nrt=False, forceinline=True)


def compiled_recursive(signature: str) -> Any:
    """The decorator of compiled functions that call themselves: as `compiled`, never inlined."""
    return _compiled(signature, _nrt=False)


def compiled_allocating(signature: str) -> Any:
    """The decorator of the few compiled functions that make arrays."""
    return _compiled(signature)


@intrinsic
def _ctpop(typing_context: Any, mask: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return nb.int64(nb.int64), codegen


@intrinsic
def _cttz(typing_context: Any, mask: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return nb.int64(nb.int64), codegen


_BIT_OF_BYTE = np.array(
    [([i for i in range(8) if byte >> i & 1] + [0] * 8)[:8] for byte in range(256)], dtype=np.int64
)
_ONES = 0x0101010101010101
_HIGHS = 0x8080808080808080 - (1 << 64)

if nb.config.DISABLE_JIT:

    def count(mask: int) -> int:
        """How many bits of `mask` are set."""
        return int(mask).bit_count()

    def lowest(mask: int) -> int:
        """The index of the lowest set bit of a mask that has one."""
        return (int(mask) & -int(mask)).bit_length() - 1

    def select(mask: int, k: int) -> int:
        """The index of the k-th set bit (from 0) of a mask that has so many."""
        return [bit for bit in range(62) if int(mask) >> bit & 1][k]

else:

    @compiled("i8(i8)")
    def count(mask: int) -> int:
        """How many bits of `mask` are set."""
        return _ctpop(mask)

    @compiled("i8(i8)")
    def lowest(mask: int) -> int:
        """The index of the lowest set bit of a mask that has one."""
        return _cttz(mask)

    @compiled("i8(i8, i8)")
    def select(mask: int, k: int) -> int:
        """The index of the k-th set bit (from 0) of a mask below 2^62 that has so many.

        Without a branch: counts of the bits up to each byte side by side in one word tell the byte,
        a table the rest (Vigna, Broadword implementation of rank/select queries, 2008). A loop
        that clears k bits is slower, since processors cannot predict where it ends.
        """
        sums = mask - ((mask >> 1) & 0x5555555555555555)
        sums = (sums & 0x3333333333333333) + ((sums >> 2) & 0x3333333333333333)
        sums = ((sums + (sums >> 4)) & 0x0F0F0F0F0F0F0F0F) * _ONES
        not_above = ((k * _ONES) | _HIGHS) - sums
        place = count(not_above & _HIGHS) << 3
        before = ((sums << 8) >> place) & 0xFF
        return place + _BIT_OF_BYTE[(mask >> place) & 0xFF, k - before]


@compiled("i8(i8)")
def highest_bit(mask: int) -> int:
    """The highest set bit of a mask below 2^32, as a mask; 0 for 0."""
    for shift in (1, 2, 4, 8, 16):
        mask |= mask >> shift
    return mask & ~(mask >> 1)
