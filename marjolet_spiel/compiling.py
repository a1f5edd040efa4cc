"""How functions are compiled, and the two instructions on bits that numba has no word for."""

import warnings
from types import FunctionType
from typing import Annotated, Any, get_args, get_origin

import numba as nb
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

from marjolet_spiel.compile_cache import CompiledFiles, fingerprint

_SCALARS: dict[Any, Any] = {
    int: nb.int64,
    float: nb.float64,
    bool: nb.boolean,
    None: nb.void,
    np.uint64: nb.uint64,
}


def wrap_around() -> None:
    """Lets integers of this thread wrap around in silence, as compiled ones do."""
    np.seterr(over="ignore")


if nb.config.DISABLE_JIT:
    wrap_around()
    # In threads that others start.
    warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning, "marjolet_spiel")


def numba_type(annotation: Any) -> Any:
    """The type in compiled code that an annotation stands for.

    Plain numbers, truth values, tuples, named tuples, and arrays as `array_types` names them.

    Raises:
      TypeError: it stands for none.
    """
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    if get_origin(annotation) is Annotated:
        return annotation.__metadata__[0].numba_type
    if get_origin(annotation) is tuple:
        return nb.types.Tuple([numba_type(part) for part in get_args(annotation)])
    if hasattr(annotation, "_fields"):
        fields = [numba_type(annotation.__annotations__[name]) for name in annotation._fields]
        return nb.types.BaseTuple.from_types(fields, annotation)
    raise TypeError(f"a compiled function cannot take or give {annotation!r}")


def signature_of(function: FunctionType) -> Any:
    """The signature that the annotations of a function stand for; TypeError if one is missing."""
    code, hints = function.__code__, function.__annotations__
    try:
        arguments = [numba_type(hints[name]) for name in code.co_varnames[: code.co_argcount]]
        return numba_type(hints["return"])(*arguments)
    except (KeyError, TypeError) as error:
        why = f"its annotations do not tell its types: {error}"
        raise TypeError(f"{function.__qualname__}: {why}") from None


def _compile(function: Any, **options: Any) -> Any:
    dispatcher = nb.njit(nogil=True, **options)(function)
    if not nb.config.DISABLE_JIT:
        signature = signature_of(function)
        mark = fingerprint(function, f"{signature} {sorted(options.items())}")
        dispatcher.fingerprint = mark
        function.__globals__[function.__name__] = dispatcher  # it may call itself
        dispatcher._cache = CompiledFiles(function, mark)
        dispatcher.compile(signature)
        dispatcher.disable_compile()
    return dispatcher


def compiled(function: Any) -> Any:
    """The decorator of the compiled functions: types from annotations, kept on disk, no GIL.

    They allocate nothing, so numba's reference counting is left out (`_nrt`), whose atomic counters
    at each call with an array took half of the time of a playout. Calls among them are inlined,
    which halved it again: passing an array means passing seven words.
    """
    return _compile(function, _nrt=False, forceinline=True)


def compiled_recursive(function: Any) -> Any:
    """The decorator of compiled functions that call themselves: as `compiled`, never inlined."""
    return _compile(function, _nrt=False)


def compiled_allocating(function: Any) -> Any:
    """The decorator of the few compiled functions that make arrays."""
    return _compile(function)


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

    @compiled
    def count(mask: int) -> int:
        """How many bits of `mask` are set."""
        return _ctpop(mask)

    @compiled
    def lowest(mask: int) -> int:
        """The index of the lowest set bit of a mask that has one."""
        return _cttz(mask)

    @compiled
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


@compiled
def highest_bit(mask: int) -> int:
    """The highest set bit of a mask below 2^32, as a mask; 0 for 0."""
    for shift in (1, 2, 4, 8, 16):
        mask |= mask >> shift
    return mask & ~(mask >> 1)
