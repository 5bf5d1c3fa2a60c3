"""Units joined into networks."""

from nalm.networks.affine import Affine as Affine
from nalm.networks.affine import between_affine as between_affine
from nalm.networks.layers import Model as Model
from nalm.networks.stack import Stack as Stack
