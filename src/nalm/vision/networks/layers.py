"""What the networks are made of beside PyTorch's own layers."""

import torch
from torch import Tensor, nn

from nalm._internal.checks import shown
from nalm.errors import InputError

LOWEST = -(2**63)
"""The lowest whole number of 64 bits; from it on all of them are drawn, eight random bytes each."""


def softargmax(logits: Tensor, first: int = 0) -> Tensor:
    """Return the mean digit of softmax probabilities, in float32: Σ p_d d.

    Parameters
    ----------
    logits
        (..., digits).
    first
        The digit of the first logit.

    Returns
    -------
    torch.Tensor
        (...).

    Examples
    --------
    >>> import torch
    >>> softargmax(torch.tensor([0.0, 50.0, 0.0]), first=1).item()
    2.0
    """
    digits = torch.arange(first, first + logits.shape[-1], dtype=torch.float32)
    return (torch.softmax(logits.float(), -1) * digits.to(logits.device)).sum(-1)


def features(maps: Tensor) -> Tensor:
    """Return maps (pictures, channels, side, side) as rows of numbers, the channels last.

    Maps that have their channels last in memory are not copied.

    Examples
    --------
    >>> import torch
    >>> features(torch.arange(8.0).view(1, 2, 2, 2)).tolist()
    [[0.0, 4.0, 1.0, 5.0, 2.0, 6.0, 3.0, 7.0]]
    """
    return maps.permute(0, 2, 3, 1).flatten(1)


class ByteDropout(nn.Module):
    """Dropout whose mask is made of random bytes: a share of n/256 is exact, and cheap to draw.

    Parameters
    ----------
    share
        The share of the numbers that are set to 0, a multiple of 1/256 below 1.

    Examples
    --------
    >>> import torch
    >>> ByteDropout(0.25).eval()(torch.ones(2)).tolist()
    [1.0, 1.0]
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        dropped = round(share * 256)
        if not 0 <= dropped < 256 or dropped != share * 256:
            raise InputError(
                f"share is a multiple of 1/256 from 0 to 255/256; received {shown(share)}."
            )
        self.dropped = dropped

    def forward(self, x: Tensor) -> Tensor:
        """Set a share of the numbers to 0 in training, and enlarge the others."""
        if not self.training:
            return x
        count = x.numel()
        words = torch.empty((count + 7) // 8, dtype=torch.int64, device=x.device)
        drawn = words.random_(LOWEST, None).view(torch.uint8)[:count]
        kept = drawn.as_strided(x.shape, x.stride()) >= self.dropped
        return x * (kept * x.new_tensor(256 / (256 - self.dropped)))
