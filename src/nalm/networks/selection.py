r"""One of several values, chosen by logits: the selection of modules of Mistry 2023, algorithm 1.

A straight-through softmax is 1 for the largest logit and 0 for the others, with the slopes of

.. math:: p_m = \frac{\exp(w_m / \tau)}{\sum_k \exp(w_k / \tau)}

and a straight-through Gumbel-softmax the same of :math:`w_m - \log(-\log u_m)`, :math:`u_m \sim
U(0, 1)`. A gate :math:`\sigma(\hat g)` above 1/2 takes the first, otherwise the second; its slopes
are those of the mixture. All straight-through values are `detach(hard - soft) + soft`.
"""

from collections.abc import Sequence

from nalm._internal.ops import detach, sigmoid, softmax, weigh
from nalm._internal.types import Array, Namespace
from nalm.units import Parameter
from nalm.units.initial import Constant, Uniform

TINY = 1e-7
DRAWN = Uniform(TINY, 1 - TINY)
"""The noise of a selection: numbers whose double logarithm is finite."""
UNCERTAIN = -1.0
"""The logit at which a gate starts: σ(-1) = 0.27, so that training begins with random choices."""


def selection_parameters(steps: int, modules: int) -> dict[str, Parameter]:
    """Return the logits of the modules, equal at first, and of the gate, for each step."""
    return {
        "choice": Parameter((steps, modules), Constant(0.0)),
        "certainty": Parameter((steps,), Constant(UNCERTAIN)),
    }


def selected(xp: Namespace, values: Array, logits: Array) -> Array:
    """Return the value of the largest logit; values have the modules last."""
    return _weighed(xp, one_hot(xp, logits), values)


def selected_in_training(
    xp: Namespace, values: Array, logits: Array, gate: Array, u: Array, *, temperature: float
) -> Array:
    """Return the value that training sees: the likeliest or a random one, as the gate decides."""
    gumbel = logits - xp.log(-xp.log(u))
    likeliest = _weighed(xp, straight_through(xp, logits, temperature), values)
    random = _weighed(xp, straight_through(xp, gumbel, temperature), values)
    p = sigmoid(xp, gate)
    soft = p * likeliest + (1 - p) * random
    hard = xp.where(p > 0.5, likeliest, random)
    return detach(xp, hard - soft) + soft


def straight_through(xp: Namespace, logits: Array, temperature: float) -> Array:
    """Return 1 for the largest logit and 0 for the others, with the slopes of the softmax."""
    soft = softmax(xp, logits / temperature)
    return detach(xp, one_hot(xp, logits) - soft) + soft


def one_hot(xp: Namespace, logits: Array) -> Array:
    """Return 1 for the largest along the last axis, for the first of equal ones, and 0 elsewhere.

    >>> import numpy as np
    >>> one_hot(np, np.array([0.0, 2.0, 2.0])).tolist()
    [0.0, 1.0, 0.0]
    """
    count, chosen = logits.shape[-1], []
    for i in range(count):
        mine = logits[..., i]
        wins = mine == mine  # noqa: PLR0124 (true in the shape of the logits)
        for j in range(count):
            if j != i:
                other = logits[..., j]
                wins = wins & ((mine > other) if j < i else (mine >= other))
        chosen.append(xp.astype(wins, logits.dtype))
    return joined(xp, chosen)


def joined(xp: Namespace, numbers: Sequence[Array]) -> Array:
    """Return arrays side by side along a new last axis."""
    return xp.concat([xp.expand_dims(number, axis=-1) for number in numbers], axis=-1)


def _weighed(xp: Namespace, weights: Array, values: Array) -> Array:
    return xp.sum(weigh(xp, weights, values), axis=-1)
