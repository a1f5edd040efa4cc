"""How functions are compiled, and the two instructions on bits that numba has no word for."""

from typing import Any

import numba as nb
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

if nb.config.DISABLE_JIT:
    np.seterr(over="ignore")  # compiled integers wrap around in silence


def compiled(signature: str) -> Any:
    """The decorator of the compiled functions: explicit types, kept on disk, no GIL.

    They allocate nothing, so numba's reference counting is left out (`_nrt`): its atomic counters
    at each call with an array took more than half of the time of a playout.
    """
    return nb.njit(signature, cache=True, nogil=True, _nrt=False)


def compiled_allocating(signature: str) -> Any:
    """The decorator of the few compiled functions that make arrays."""
    return nb.njit(signature, cache=True, nogil=True)


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


if nb.config.DISABLE_JIT:

    def count(mask: int) -> int:
        """How many bits of `mask` are set."""
        return int(mask).bit_count()

    def lowest(mask: int) -> int:
        """The index of the lowest set bit of a mask that has one."""
        return (int(mask) & -int(mask)).bit_length() - 1

else:

    @compiled("i8(i8)")
    def count(mask: int) -> int:
        """How many bits of `mask` are set."""
        return _ctpop(mask)

    @compiled("i8(i8)")
    def lowest(mask: int) -> int:
        """The index of the lowest set bit of a mask that has one."""
        return _cttz(mask)


@compiled("i8(i8)")
def highest_bit(mask: int) -> int:
    """The highest set bit of a mask below 2^32, as a mask; 0 for 0."""
    for shift in (1, 2, 4, 8, 16):
        mask |= mask >> shift
    return mask & ~(mask >> 1)
