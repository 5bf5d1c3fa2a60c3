"""Networks that read digits off pictures, as PyTorch modules."""

from nalm.vision.networks.channels import ChannelReader as ChannelReader
from nalm.vision.networks.layers import ByteDropout as ByteDropout
from nalm.vision.networks.layers import softargmax as softargmax
from nalm.vision.networks.reader import DigitReader as DigitReader
from nalm.vision.networks.reader import PictureNetwork as PictureNetwork
from nalm.vision.networks.sequence import NumberReader as NumberReader
from nalm.vision.networks.sequence import SequenceNetwork as SequenceNetwork
from nalm.vision.networks.spline import ThinPlateSpline as ThinPlateSpline
from nalm.vision.networks.spline import control_grid as control_grid
