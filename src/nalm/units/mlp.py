r"""The multi-layer perceptron: the baseline that fits inside its range and fails outside.

.. math:: h_0 = x, \qquad h_k = f(W_k h_{k-1} + b_k), \qquad y = W_K h_{K-1} + b_K

Hidden layers start as suits their activation, the output layer as a linear one. The penalty
`weight_decay` is half the sum of the squares of all parameters. It has no
discrete weights: no formula is read and no operation is exact.
"""

from itertools import pairwise
from math import sqrt
from typing import Literal

from nalm.units import ops
from nalm.units._declare import Parameter
from nalm.units._options import option
from nalm.units._unit import Unit
from nalm.units.initial import Constant, kaiming_uniform, xavier_uniform
from nalm.units.ops import absolute, clip, relu, sigmoid

Activation = Literal[
    "identity", "relu", "relu6", "leaky_relu", "elu", "selu", "prelu",
    "sigmoid", "tanh", "softsign", "swish",
]  # fmt: skip

SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def elu(xp, z, alpha):
    """Return z above 0 and α (exp(z) - 1) below."""
    return xp.where(z <= 0, alpha * (xp.exp(xp.where(z <= 0, z, 0.0)) - 1), z)


ACTIVATIONS = {
    "identity": lambda _xp, z, _slope: z,
    "relu": lambda xp, z, _slope: relu(xp, z),
    "relu6": lambda xp, z, _slope: clip(xp, relu(xp, z), 0.0, 6.0),
    "leaky_relu": lambda xp, z, _slope: xp.where(z > 0, z, 0.01 * z),
    "elu": lambda xp, z, _slope: elu(xp, z, 1.0),
    "selu": lambda xp, z, _slope: SELU_SCALE * elu(xp, z, SELU_ALPHA),
    "prelu": lambda xp, z, slope: xp.where(z > 0, z, slope * z),
    "sigmoid": lambda xp, z, _slope: sigmoid(xp, z),
    "tanh": lambda xp, z, _slope: xp.tanh(z),
    "softsign": lambda xp, z, _slope: z / (1 + absolute(xp, z)),
    "swish": lambda xp, z, _slope: z * sigmoid(xp, z),
}


def initial(activation, inputs, outputs):
    """Return the distribution a hidden layer with this activation starts from."""
    if activation == "selu":
        return kaiming_uniform(inputs, gain=1.0)
    if activation in {"identity", "sigmoid", "softsign"}:
        return xavier_uniform(inputs, outputs)
    if activation == "tanh":
        return xavier_uniform(inputs, outputs, gain=5 / 3)
    return kaiming_uniform(inputs, gain=sqrt(2))


class MLP(Unit):
    """Multi-layer perceptron with `hidden` layer widths and one activation between them."""

    hidden: tuple[int, ...] = option(
        default=(100,),
        rule="a tuple with a width of at least 1 for each hidden layer",
        valid=lambda widths: len(widths) > 0,
    )
    activation: Activation = "relu"
    bias: bool = True

    name = "mlp"

    @property
    def parameters(self):
        widths = (self.in_features, *self.hidden, self.out_features)
        parameters = {}
        for k, (inputs, outputs) in enumerate(pairwise(widths)):
            last = k == len(self.hidden)
            init = initial("identity" if last else self.activation, inputs, outputs)
            parameters[f"weight_{k}"] = Parameter((outputs, inputs), init)
            if self.bias:
                parameters[f"bias_{k}"] = Parameter((outputs,), Constant(0.0))
            if self.activation == "prelu" and not last:
                parameters[f"slope_{k}"] = Parameter((1,), Constant(0.25))
        return parameters

    def transform(self, xp, params):
        return {name: value for name, value in params.items() if name.startswith("weight")}

    def penalty_terms(self, xp, params, x):
        return {"weight_decay": sum(xp.sum(p * p) for p in params.values()) / 2}

    def forward(self, xp, params, x, train, noise):
        f = ACTIVATIONS[self.activation]
        h = x
        for k in range(len(self.hidden) + 1):
            h = ops.linear(xp, h, params[f"weight_{k}"])
            h = h + params[f"bias_{k}"] if self.bias else h
            h = h if k == len(self.hidden) else f(xp, h, params.get(f"slope_{k}"))
        return h
