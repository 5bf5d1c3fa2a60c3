"""Files in the idx format of MNIST: a header with kind and shape, then bytes."""

import struct
from math import prod

import numpy as np

from nalm.errors import InputError

UNSIGNED_BYTES = 0x08
"""The kind of the numbers in the files of MNIST."""
MOST_AXES = 4


def read_idx(data: bytes, what: str) -> np.ndarray:
    """Return the array of unsigned bytes that an idx file holds.

    Parameters
    ----------
    data
        The content of the file.
    what
        What the file is called in errors.

    Returns
    -------
    numpy.ndarray
        Of kind uint8, with the shape that the header says.

    Examples
    --------
    >>> read_idx(bytes([0, 0, 8, 1, 0, 0, 0, 3, 7, 2, 1]), "labels").tolist()
    [7, 2, 1]
    """
    rule = f"{what} is an idx file of unsigned bytes"
    if len(data) < 4 or data[:2] != b"\0\0" or data[2] != UNSIGNED_BYTES:
        raise InputError(f"{rule}; it begins with {data[:4].hex() or 'nothing'}. Fetch it again.")
    axes = data[3]
    start = 4 + 4 * axes
    if not 1 <= axes <= MOST_AXES or len(data) < start:
        raise InputError(f"{rule}; its header is cut off or has {axes} axes. Fetch it again.")
    shape = struct.unpack(f">{axes}I", data[4:start])
    if len(data) - start != prod(shape):
        raise InputError(
            f"{rule} of shape {shape}, so {prod(shape):,} bytes; it has {len(data) - start:,}. "
            "It was cut off or changed: fetch it again."
        )
    return np.frombuffer(data, np.uint8, offset=start).reshape(shape)
