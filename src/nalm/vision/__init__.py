"""Pictures of digits: units inside networks that see pixels, trained by the result alone.

What needs PyTorch is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from nalm.vision.data import DigitData, Images, digits, load, mnist
from nalm.vision.task import DigitPairs, PictureTask

if TYPE_CHECKING:
    from nalm.vision.networks import ByteDropout as ByteDropout
    from nalm.vision.networks import DigitReader as DigitReader
    from nalm.vision.networks import PictureNetwork as PictureNetwork
    from nalm.vision.networks import softargmax as softargmax

DESCRIBED = {cls.__name__: cls for cls in (DigitPairs,)}
"""The classes that descriptions of runs may have in them, by name."""
_LAZY = dict.fromkeys(
    ("ByteDropout", "DigitReader", "PictureNetwork", "softargmax"), "nalm.vision.networks"
)
__all__ = [
    "ByteDropout",
    "DigitData",
    "DigitPairs",
    "DigitReader",
    "Images",
    "PictureNetwork",
    "PictureTask",
    "digits",
    "load",
    "mnist",
    "softargmax",
]


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
