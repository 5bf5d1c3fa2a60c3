"""Units joined into networks."""

from nalm.networks.stack import Stack as Stack
