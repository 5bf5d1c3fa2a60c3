"""The network of sequences: a number is read off each picture, a cell accumulates them."""

import torch
from torch import Tensor, nn

from nalm.vision.networks.layers import features

WIDE = 28
"""From this side on pictures are read as published; smaller ones by smaller convolutions."""


class NumberReader(nn.Module):
    """Reads one number off a picture: two convolutions, two linear layers, no bounds.

    Pictures of 28 pixels are read as published: convolutions of 5 pixels, each followed by pooling.
    Smaller ones are read by convolutions of 3 pixels and pooled once. Pooling comes before the
    ReLU, which gives the same numbers. The last layer is float32 at every precision.

    Parameters
    ----------
    side
        The length of a side of the pictures in pixels.
    precision
        "float32" or "bfloat16": in what all layers but the last are computed.

    Examples
    --------
    >>> import torch
    >>> NumberReader(28)(torch.zeros(5, 1, 28, 28)).shape
    torch.Size([5])
    """

    def __init__(self, side: int, precision: str = "float32") -> None:
        super().__init__()
        self.wide = side >= WIDE
        kernel = 5 if self.wide else 3
        self.conv1 = nn.Conv2d(1, 20, kernel)
        self.conv2 = nn.Conv2d(20, 50, kernel)
        left = ((side - 4) // 2 - 4) // 2 if self.wide else (side - 4) // 2
        self.fc1 = nn.Linear(50 * left**2, 500)
        self.fc2 = nn.Linear(500, 1)
        self.lower = precision == "bfloat16"

    def forward(self, pictures: Tensor) -> Tensor:
        """Return the numbers of pictures (pictures, 1, side, side)."""
        with torch.autocast(pictures.device.type, torch.bfloat16, enabled=self.lower):
            h = self.conv1(pictures)
            h = torch.relu(torch.max_pool2d(h, 2) if self.wide else h)
            h = torch.relu(torch.max_pool2d(self.conv2(h), 2))
            h = torch.relu(self.fc1(features(h)))
        return self.fc2(h.float())[:, 0]


class SequenceNetwork(nn.Module):
    """A reader of numbers, and a cell that accumulates them: h_t = unit([x_t, h_{t-1}]).

    Parameters
    ----------
    reader
        Returns a number for each picture.
    head
        The unit around which the cell is made: it takes a number and the state.
    start
        The state before the first picture.
    lstm
        Whether an LSTM of one hidden number accumulates instead of the unit, which then has no
        part in the network. Its state starts at 0, and its output is its hidden number.

    Examples
    --------
    >>> import nalm, torch
    >>> head = nalm.torch.NMU(2, 1).exact_("mul")
    >>> network = SequenceNetwork(NumberReader(8), head, start=1.0)
    >>> network.accumulate(torch.tensor([[2.0, 3.0, 4.0]]))[0].tolist()
    [[2.0, 6.0, 24.0]]
    """

    def __init__(
        self, reader: nn.Module, head: nn.Module, start: float, *, lstm: bool = False
    ) -> None:
        super().__init__()
        self.reader, self.head, self.start = reader, head, start
        self.lstm = nn.LSTM(1, 1, batch_first=True) if lstm else None
        if lstm:
            head.requires_grad_(False)

    def accumulate(self, values: Tensor) -> tuple[Tensor, Tensor]:
        """Return the states after each of the numbers (samples, length), and what the unit saw.

        What it saw are the numbers and the states before them, (samples, length, 2).
        """
        if self.lstm is not None:
            states = self.lstm(values[..., None])[0][..., 0]
            before = torch.cat([torch.zeros_like(values[:, :1]), states[:, :-1]], 1)
            return states, torch.stack([values, before], -1)
        state = values.new_full(values.shape[:1], self.start)
        states, seen = [], []
        for value in values.unbind(1):
            seen.append(torch.stack([value, state], -1))
            state = self.head(seen[-1])[..., 0]
            states.append(state)
        return torch.stack(states, 1), torch.stack(seen, 1)

    def forward(self, pictures: Tensor, length: int) -> tuple[Tensor, Tensor]:
        """Return the states, (samples, length), and what the unit saw, of samples * length."""
        return self.accumulate(self.reader(pictures).view(-1, length))
