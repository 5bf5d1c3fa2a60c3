"""Pictures of digits: units inside networks that see pixels, trained by the result alone.

What needs PyTorch is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from nalm.vision.data import DigitData, Images, digits, load, mnist
from nalm.vision.sequences import DigitSequences
from nalm.vision.task import DigitChannels, DigitPairs, PictureTask

if TYPE_CHECKING:
    from nalm.vision.networks import ByteDropout as ByteDropout
    from nalm.vision.networks import ChannelReader as ChannelReader
    from nalm.vision.networks import DigitReader as DigitReader
    from nalm.vision.networks import NumberReader as NumberReader
    from nalm.vision.networks import PictureNetwork as PictureNetwork
    from nalm.vision.networks import SequenceNetwork as SequenceNetwork
    from nalm.vision.networks import ThinPlateSpline as ThinPlateSpline
    from nalm.vision.networks import softargmax as softargmax

DESCRIBED = {cls.__name__: cls for cls in (DigitPairs, DigitChannels, DigitSequences)}
"""The classes that descriptions of runs may have in them, by name."""
_NETWORKS = (
    "ByteDropout",
    "ChannelReader",
    "DigitReader",
    "NumberReader",
    "PictureNetwork",
    "SequenceNetwork",
    "ThinPlateSpline",
    "softargmax",
)
_LAZY = dict.fromkeys(_NETWORKS, "nalm.vision.networks")
__all__ = [
    "ByteDropout",
    "ChannelReader",
    "DigitChannels",
    "DigitData",
    "DigitPairs",
    "DigitReader",
    "DigitSequences",
    "Images",
    "NumberReader",
    "PictureNetwork",
    "PictureTask",
    "SequenceNetwork",
    "ThinPlateSpline",
    "digits",
    "load",
    "mnist",
    "softargmax",
]


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(_LAZY[name]), name)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError(f"nalm.vision.{name} needs PyTorch: pip install 'nalm[vision]'") from None
