"""Names for the kinds of value that cross the borders between modules."""

from collections.abc import Mapping
from typing import Any

Array = Any
"""An array of NumPy, JAX, PyTorch or any other library that follows the array API standard."""

Namespace = Any
"""The module of array functions that belongs to an array: the `xp` of the array API standard."""

Params = Mapping[str, Array]
"""The parameters of one unit, by name."""
