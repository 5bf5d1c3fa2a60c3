"""Units joined into networks."""

from nalm.networks.layers import Model as Model
from nalm.networks.stack import Stack as Stack
