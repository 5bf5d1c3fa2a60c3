"""The network of isolated digits: each picture is read alone, by the same classifier."""

import torch
from torch import Tensor, nn

from nalm.vision.networks.layers import ByteDropout, features, softargmax


class DigitReader(nn.Module):
    """Reads a digit off a picture: two convolutions, two linear layers.

    Pooling comes before the second ReLU, which gives the same numbers and is cheaper. All layers
    but the last may be computed in bfloat16; the logits are float32.

    Parameters
    ----------
    side
        The length of a side of the pictures in pixels.
    classes
        How many digits there are.
    precision
        "float32" or "bfloat16".

    Examples
    --------
    >>> import torch
    >>> DigitReader(28)(torch.zeros(5, 1, 28, 28)).shape
    torch.Size([5, 10])
    """

    def __init__(self, side: int, classes: int = 10, precision: str = "float32") -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.dropout1 = ByteDropout(0.25)
        self.fc1 = nn.Linear(64 * ((side - 4) // 2) ** 2, 128)
        self.dropout2 = ByteDropout(0.5)
        self.fc2 = nn.Linear(128, classes)
        self.lower = precision == "bfloat16"

    def forward(self, pictures: Tensor) -> Tensor:
        """Return the logits of pictures (pictures, 1, side, side)."""
        with torch.autocast(pictures.device.type, torch.bfloat16, enabled=self.lower):
            h = torch.relu(self.conv1(pictures))
            h = torch.relu(torch.max_pool2d(self.conv2(h), 2))
            h = torch.relu(self.fc1(features(self.dropout1(h))))
        return self.fc2(self.dropout2(h.float()))


class PictureNetwork(nn.Module):
    """A reader of digits, and a unit that computes with what it reads.

    Parameters
    ----------
    reader
        Returns logits of pictures.
    head
        Returns results of digits, over the last axis: layers of `nalm.torch`.
    digits
        How many digits the unit takes.
    first
        The digit of the first logit.
    through_one
        Whether the unit gets (1 + x) - 1 instead of x, as the published NMU does.

    Examples
    --------
    >>> import nalm, torch
    >>> network = PictureNetwork(DigitReader(8), nalm.torch.NMU(2, 1), digits=2)
    >>> read, results = network(torch.zeros(6, 1, 8, 8))
    >>> read.shape, results.shape
    (torch.Size([3, 2]), torch.Size([3]))
    """

    def __init__(
        self,
        reader: nn.Module,
        head: nn.Module,
        digits: int,
        first: int = 0,
        through_one: bool = False,
    ) -> None:
        super().__init__()
        self.reader, self.head = reader, head
        self.digits, self.first, self.through_one = digits, first, through_one

    def read(self, logits: Tensor) -> Tensor:
        """Return what is read of logits, one digit each."""
        return softargmax(logits, self.first)

    def compute(self, values: Tensor) -> Tensor:
        """Return the results of digits (samples, digits)."""
        seen = (values + 1) - 1 if self.through_one else values
        return self.head(seen)[..., 0]

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """Return what is read, (samples, digits), and the results, of samples * digits pictures."""
        values = self.read(self.reader(pictures)).view(-1, self.digits)
        return values, self.compute(values)
