"""Digits that are turned, scaled and put somewhere on a larger picture, anew at every access."""

import torch
from torch import Tensor
from torch.nn.functional import affine_grid, grid_sample, interpolate

TURN = 45.0
"""The largest angle in degrees."""
SCALES = (0.7, 1.2)
DIGIT, CANVAS = 28, 42
"""The sides of a digit and of the picture it is put on."""


def enlarged(pixels: Tensor) -> Tensor:
    """Return pictures (pictures, side, side) of bytes with sides of 28 pixels."""
    if pixels.shape[-1] == DIGIT:
        return pixels
    wide = interpolate(pixels[:, None].float(), (DIGIT, DIGIT), mode="bilinear")
    return wide[:, 0].round().to(torch.uint8)


def turned(digits: Tensor, degrees: Tensor, scales: Tensor) -> Tensor:
    """Return digits (pictures, 28, 28) turned and scaled around their middle, the nearest pixel.

    Parameters
    ----------
    digits
        Pictures of floating-point numbers.
    degrees
        By how much each is turned, counterclockwise.
    scales
        By which factor each is enlarged.
    """
    angles = torch.deg2rad(degrees)
    cos, sin, none = (
        torch.cos(angles) / scales,
        torch.sin(angles) / scales,
        torch.zeros_like(scales),
    )
    rows = torch.stack([cos, -sin, none], -1), torch.stack([sin, cos, none], -1)
    shape = [len(digits), 1, *digits.shape[1:]]
    sources = affine_grid(torch.stack(rows, 1), shape, align_corners=False)
    return grid_sample(digits[:, None], sources, mode="nearest", align_corners=False)[:, 0]


def placed(digits: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Return digits (pictures, 28, 28) on pictures of 42 pixels, with their corner at (x, y)."""
    canvas = digits.new_zeros(len(digits), CANVAS, CANVAS)
    place = torch.arange(DIGIT, device=digits.device)
    rows = (y[:, None] + place)[:, :, None]
    columns = (x[:, None] + place)[:, None, :]
    canvas[torch.arange(len(digits), device=digits.device)[:, None, None], rows, columns] = digits
    return canvas


def shown(pixels: Tensor, factor: float, shift: float) -> Tensor:
    """Return samples (samples, 2, 28, 28) of bytes as networks see them, (samples, 2, 42, 42).

    Angles, scales and places are drawn from PyTorch's generator.
    """
    digits = pixels.flatten(0, 1).float()
    count, where = len(digits), digits.device
    degrees = (2 * torch.rand(count, device=where) - 1) * TURN
    scales = SCALES[0] + (SCALES[1] - SCALES[0]) * torch.rand(count, device=where)
    x, y = torch.randint(0, CANVAS - DIGIT, (2, count), device=where)
    canvas = placed(turned(digits, degrees, scales), x, y)
    return canvas.mul_(factor).add_(shift).view(-1, 2, CANVAS, CANVAS)
