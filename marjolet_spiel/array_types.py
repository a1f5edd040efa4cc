"""The types of arrays, for people, type checkers and compiled code alike.

Arrays are C-contiguous. A plural is one-dimensional, ``...Rows`` has two dimensions and
``...Grids`` three; docstrings say what they hold.
"""

from dataclasses import dataclass
from typing import Annotated, Any

import numba as nb
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Contiguous:
    """What compiled code needs to know of an array: the type of its items and its dimensions."""

    item: Any
    dimensions: int

    @property
    def numba_type(self) -> Any:
        """The type of such arrays in compiled code."""
        return nb.types.Array(nb.from_dtype(np.dtype(self.item)), self.dimensions, "C")


Vector = Annotated[NDArray[np.int64], Contiguous(np.int64, 1)]
VectorRows = Annotated[NDArray[np.int64], Contiguous(np.int64, 2)]
VectorGrids = Annotated[NDArray[np.int64], Contiguous(np.int64, 3)]

Ints = Annotated[NDArray[np.int32], Contiguous(np.int32, 1)]
IntRows = Annotated[NDArray[np.int32], Contiguous(np.int32, 2)]
IntGrids = Annotated[NDArray[np.int32], Contiguous(np.int32, 3)]

ShortRows = Annotated[NDArray[np.int16], Contiguous(np.int16, 2)]
ShortGrids = Annotated[NDArray[np.int16], Contiguous(np.int16, 3)]
UnsignedShorts = Annotated[NDArray[np.uint16], Contiguous(np.uint16, 1)]

Bytes = Annotated[NDArray[np.int8], Contiguous(np.int8, 1)]
ByteRows = Annotated[NDArray[np.int8], Contiguous(np.int8, 2)]
UnsignedBytes = Annotated[NDArray[np.uint8], Contiguous(np.uint8, 1)]
UnsignedByteRows = Annotated[NDArray[np.uint8], Contiguous(np.uint8, 2)]

Floats = Annotated[NDArray[np.float64], Contiguous(np.float64, 1)]
FloatRows = Annotated[NDArray[np.float64], Contiguous(np.float64, 2)]
SingleFloats = Annotated[NDArray[np.float32], Contiguous(np.float32, 1)]
SingleFloatRows = Annotated[NDArray[np.float32], Contiguous(np.float32, 2)]

Truths = Annotated[NDArray[np.bool_], Contiguous(np.bool_, 1)]
TruthRows = Annotated[NDArray[np.bool_], Contiguous(np.bool_, 2)]
