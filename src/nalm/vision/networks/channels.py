"""The network of two digits in one picture: each is found, moved to the middle, and read."""

import torch
from torch import Tensor, nn
from torch.nn.functional import avg_pool2d, grid_sample

from nalm.vision.networks.layers import ByteDropout, features
from nalm.vision.networks.spline import ThinPlateSpline, control_grid

POINTS = 16
"""How many control points a localisation network moves."""


class Localisation(nn.Module):
    """Finds a digit in a picture of two channels: where 16 control points are taken from.

    Parameters
    ----------
    identity
        Whether the control points start where they are. The published code means to do so, but then
        draws all parameters anew.
    """

    def __init__(self, identity: bool = False) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(2, 20, 5)
        self.conv2 = nn.Conv2d(20, 20, 5)
        self.fc1 = nn.Linear(320, 32)
        self.fc2 = nn.Linear(32, 2 * POINTS)
        if identity:
            nn.init.zeros_(self.fc2.weight)
            with torch.no_grad():
                self.fc2.bias.copy_(torch.atanh(control_grid()).flatten())

    def forward(self, pictures: Tensor) -> Tensor:
        """Return the control points (pictures, 16, 2), each between -1 and 1."""
        h = torch.relu(torch.max_pool2d(self.conv1(avg_pool2d(pictures, 2)), 2))
        h = features(torch.relu(self.conv2(h)))
        return torch.tanh(self.fc2(torch.relu(self.fc1(h)))).view(-1, POINTS, 2)


class ChannelClassifier(nn.Module):
    """Reads the digit that was moved to the middle, off a picture of two channels."""

    def __init__(self, classes: int = 10, precision: str = "float32") -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(2, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.dropout1 = ByteDropout(0.25)
        self.fc1 = nn.Linear(4096, 128)
        self.dropout2 = ByteDropout(0.5)
        self.fc2 = nn.Linear(128, classes)
        self.lower = precision == "bfloat16"

    def forward(self, pictures: Tensor) -> Tensor:
        """Return the logits of pictures (pictures, 2, 42, 42)."""
        with torch.autocast(pictures.device.type, torch.bfloat16, enabled=self.lower):
            h = torch.relu(self.conv1(avg_pool2d(pictures, 2)))
            h = self.dropout1(torch.relu(torch.max_pool2d(self.conv2(h), 2)))
            h = torch.relu(self.fc1(features(h)))
        return self.fc2(self.dropout2(h.float()))


class ChannelReader(nn.Module):
    """Reads two digits off one picture: two localisation networks, one classifier.

    Parameters
    ----------
    side
        The length of a side of the pictures: 42 pixels.
    classes
        How many digits there are.
    precision
        "float32" or "bfloat16": in what all layers of the classifier but the last are computed.
    identity
        Whether the pictures are not moved at the start.

    Examples
    --------
    >>> import torch
    >>> ChannelReader()(torch.zeros(5, 2, 42, 42)).shape
    torch.Size([5, 2, 10])
    """

    def __init__(
        self, side: int = 42, classes: int = 10, precision: str = "float32", identity: bool = False
    ) -> None:
        super().__init__()
        self.find = nn.ModuleList([Localisation(identity), Localisation(identity)])
        self.spline = ThinPlateSpline(side, control_grid())
        self.classifier = ChannelClassifier(classes, precision)

    def moved(self, pictures: Tensor) -> Tensor:
        """Return the pictures as each localisation network moves them, (2 pictures, 2, 42, 42)."""
        pictures = pictures.contiguous(memory_format=torch.channels_last)
        sources = torch.cat([self.spline(find(pictures)) for find in self.find])
        twice = torch.cat([pictures, pictures])
        return grid_sample(twice, sources, align_corners=False)

    def forward(self, pictures: Tensor) -> Tensor:
        """Return the logits (pictures, 2, digits) of pictures (pictures, 2, 42, 42)."""
        logits = self.classifier(self.moved(pictures))
        return logits.view(2, len(pictures), -1).transpose(0, 1)
