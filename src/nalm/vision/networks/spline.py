"""The thin-plate spline: a smooth map of the plane that moves some points where they are wanted.

Reference: Bookstein, Principal Warps, IEEE TPAMI 1989; Shi et al., Robust Scene Text Recognition
with Automatic Rectification, CVPR 2016.
"""

import torch
from torch import Tensor, nn


def control_grid(count: int = 4, reach: float = 0.9) -> Tensor:
    """Return count x count points (x, y) on a grid from -reach to reach, row by row.

    Examples
    --------
    >>> control_grid(2).tolist()[:2] == [[-0.8999999761581421, -0.8999999761581421],
    ...                                  [0.8999999761581421, -0.8999999761581421]]
    True
    """
    line = torch.linspace(-reach, reach, count)
    y, x = torch.meshgrid(line, line, indexing="ij")
    return torch.stack([x, y], -1).view(-1, 2)


def kernel(a: Tensor, b: Tensor) -> Tensor:
    """Return r² ln r for the distances r of points; 0 where r is 0."""
    squares = (a[:, None] - b[None]).square().sum(-1)
    return torch.where(squares == 0, 0.0, 0.5 * squares * torch.log(squares.clamp_min(1e-38)))


class ThinPlateSpline(nn.Module):
    """Where each pixel of a square picture is taken from, when control points are moved.

    Parameters
    ----------
    side
        The length of a side of the picture in pixels.
    points
        (points, 2): the control points in the picture that is made.

    Examples
    --------
    >>> spline = ThinPlateSpline(5, control_grid())
    >>> torch.allclose(spline(control_grid()[None]), spline.pixels, atol=1e-5)
    True
    """

    pixels: Tensor
    mapping: Tensor

    def __init__(self, side: int, points: Tensor) -> None:
        super().__init__()
        exact = points.double()
        count, ones = len(exact), torch.ones(len(exact), 1, dtype=torch.float64)
        system = torch.zeros(count + 3, count + 3, dtype=torch.float64)
        system[:count] = torch.cat([kernel(exact, exact), ones, exact], 1)
        system[count:, :count] = torch.cat([ones, exact], 1).T
        line = torch.linspace(-1, 1, side, dtype=torch.float64)
        y, x = torch.meshgrid(line, line, indexing="ij")
        pixels = torch.stack([x, y], -1).view(-1, 2)
        seen = torch.cat([kernel(pixels, exact), torch.ones(len(pixels), 1).double(), pixels], 1)
        mapping = seen @ torch.linalg.inv(system)[:, :count]
        self.side = side
        self.register_buffer("pixels", pixels.float().view(side, side, 2), persistent=False)
        self.register_buffer("mapping", mapping.float(), persistent=False)

    def forward(self, moved: Tensor) -> Tensor:
        """Return the sources (pictures, side, side, 2) of pixels for moved control points."""
        return (self.mapping @ moved).view(-1, self.side, self.side, 2)
