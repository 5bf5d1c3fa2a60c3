"""Units joined into networks."""

from nalm.networks.affine import Affine as Affine
from nalm.networks.affine import between_affine as between_affine
from nalm.networks.composite import Composite as Composite
from nalm.networks.frozen import Frozen as Frozen
from nalm.networks.gated import Gated as Gated
from nalm.networks.gated import gated as gated
from nalm.networks.layers import Model as Model
from nalm.networks.recurrent import Recurrent as Recurrent
from nalm.networks.scratchpad import Scratchpad as Scratchpad
from nalm.networks.scratchpad import scratchpad as scratchpad
from nalm.networks.stack import Stack as Stack

NETWORKS: dict[str, type[Composite]] = {
    cls.name: cls for cls in (Frozen, Gated, Recurrent, Scratchpad)
}
"""Layers that are made of units, by name."""
