"""Networks that read digits off pictures, as PyTorch modules."""

from nalm.vision.networks.layers import ByteDropout as ByteDropout
from nalm.vision.networks.layers import softargmax as softargmax
from nalm.vision.networks.reader import DigitReader as DigitReader
from nalm.vision.networks.reader import PictureNetwork as PictureNetwork
