"""One `torch.nn.Module` for every unit: it holds parameters and randomness, the unit the maths."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import array_api_compat.torch as xp
import torch
from torch import Tensor, nn

from nalm.errors import InputError
from nalm.networks.layer import UnitLayer, check_names_are_free, checked_unit
from nalm.units import Stochastic, Unit
from nalm.units import _checks as checks

HALF_PRECISION = (torch.bfloat16, torch.float16)


class TorchSource:
    """Draws from PyTorch's global generator, in one dtype on one device."""

    def __init__(self, dtype: torch.dtype | None = None, device: Any = None) -> None:
        self.options: Any = {"dtype": dtype, "device": device}

    def uniform(self, shape: tuple[int, ...]) -> Tensor:
        """Draw from [0, 1)."""
        return torch.rand(shape, **self.options)

    def normal(self, shape: tuple[int, ...]) -> Tensor:
        """Draw from the standard normal distribution."""
        return torch.randn(shape, **self.options)

    def full(self, shape: tuple[int, ...], value: float) -> Tensor:
        """Return a tensor of one value."""
        return torch.full(shape, float(value), **self.options)

    def detach(self, x: Tensor) -> Tensor:
        """Return `x` as a constant of differentiation."""
        return x.detach()

    def split(self, count: int) -> list[Self]:
        """Return `count` independent sources."""
        return [self] * count


class Layer(UnitLayer, nn.Module):
    """A unit as a PyTorch layer; its parameters carry the names of the unit's.

    After each optimizer step call `constrain_()`, which clamps the weights into their intervals.

    Parameters
    ----------
    unit
        Any unit, also a custom one.

    Examples
    --------
    >>> import torch, nalm
    >>> layer = Layer(nalm.unit("nau", 2, 1)).exact_("add")
    >>> layer(torch.tensor([257.0, 1.0])).tolist()
    [258.0]
    """

    def __init__(self, unit: Unit) -> None:
        super().__init__()
        self.unit = checked_unit(unit)
        check_names_are_free(self, unit)
        for name in unit.parameters:
            self.register_parameter(name, None)
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Draw all parameters anew from their initial distributions."""
        for name, declared in self.unit.parameters.items():
            old = self._parameters[name]
            source = TorchSource() if old is None else TorchSource(old.dtype, old.device)
            value = declared.init.draw(source, declared.shape)
            if old is None:
                setattr(self, name, nn.Parameter(value))
            else:
                old.copy_(value)

    def forward(self, x: Tensor) -> Tensor:
        """Apply the unit over the last axis, stochastic units with fresh noise when training.

        Arithmetic in bfloat16 or float16 is not exact (257 + 1 = 256), so autocast is off in here,
        and inputs of half precision are converted to the dtype of the parameters.
        """
        unit, params = self.unit, self._params()
        if not isinstance(x, Tensor):
            raise InputError(
                f"A layer takes a tensor; received {type(x).__name__}. Use torch.as_tensor(x)."
            )
        checks.check_input(unit, xp, x)
        if x.dtype in HALF_PRECISION:
            x = x.to(next(iter(params.values())).dtype)
        with torch.autocast(x.device.type, enabled=False):
            if not self.training and not torch.compiler.is_compiling():
                checks.refuse_zero_divisors(unit, xp, params, x)
            noise = self._noise(x) if self.training else None
            return unit.forward(xp, params, x, self.training, noise)

    @torch.no_grad()
    def constrain_(self) -> Self:
        """Clamp the parameters into their allowed intervals, in place."""
        for name, value in self.unit.constrain(self._params()).items():
            self._params()[name].copy_(value)
        return self

    @torch.no_grad()
    def exact_(self, op: str, operands: Sequence[int] | None = None) -> Self:
        """Set the parameters that compute `op` exactly, in place."""
        for name, value in self.unit.exact(op, operands).items():
            parameter = self._params()[name]
            parameter.copy_(torch.as_tensor(value, dtype=parameter.dtype))
        return self

    def _get_name(self) -> str:
        """Return the name of the unit, for `print`."""
        return type(self.unit).__name__

    def _params(self) -> Mapping[str, Tensor]:
        return self._parameters  # pyright: ignore[reportReturnType]

    def _noise(self, x: Tensor) -> Tensor | None:
        if not isinstance(self.unit, Stochastic):
            return None
        shape, distribution = self.unit.draws(xp, self._params(), x.detach())
        return distribution.draw(TorchSource(x.dtype, x.device), tuple(shape))
