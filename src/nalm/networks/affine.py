r"""A learnt affine map of each feature, before and after a model.

.. math:: y_i = w_i x_i + b_i

Feature scaling by min-max trains one beside the unit on the scaled inputs, and one on its output.
"""

from nalm.errors import InputError
from nalm.formula import INTEGERS
from nalm.networks.stack import Stack
from nalm.units import Parameter, Unit
from nalm.units.initial import Constant


class Affine(Unit):
    """One scale and one offset per feature; it begins as the identity, w = 1 and b = 0.

    It computes no operation, so it is no unit of the registry: it is a layer of a stack.
    """

    name = "affine"
    discrete = {"weight": INTEGERS, "bias": INTEGERS}
    has_sparsity_error = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.in_features != self.out_features:
            raise InputError(
                "An affine map of each feature gives as many features as it takes; received "
                f"in_features={self.in_features} and out_features={self.out_features}. "
                f"Use Affine({self.in_features}, {self.in_features})."
            )

    @property
    def parameters(self):
        return {
            "weight": Parameter((self.in_features,), Constant(1.0)),
            "bias": Parameter((self.in_features,), Constant(0.0)),
        }

    def forward(self, xp, params, x, train, noise):
        return params["weight"] * x + params["bias"]

    def read(self, read, x):
        return [a * x_i + b for a, x_i, b in zip(read("weight"), x, read("bias"), strict=True)]


def between_affine(model: Unit | Stack) -> Stack:
    """Return a model between two affine maps: of its inputs, and of its outputs.

    Examples
    --------
    >>> import nalm
    >>> [layer.name for layer in between_affine(nalm.unit("nmu", 2, 1)).layers]
    ['affine', 'nmu', 'affine']
    """
    inner = model.layers if isinstance(model, Stack) else (model,)
    before = Affine(model.in_features, model.in_features)
    return Stack((before, *inner, Affine(model.out_features, model.out_features)))
