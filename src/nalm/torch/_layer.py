"""One `torch.nn.Module` for every unit: it holds parameters and randomness, the unit the maths."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from html import escape
from typing import TYPE_CHECKING, Any, Self

import array_api_compat.torch as xp
import torch
from torch import Tensor, nn

from nalm._internal.ops import to_numpy
from nalm.errors import InputError, NalmError
from nalm.formula import TOLERANCE, latex
from nalm.units import Stochastic, Unit
from nalm.units import _checks as checks
from nalm.units._penalties import Penalties

if TYPE_CHECKING:
    import sympy


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


class Layer(nn.Module):
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
        if not isinstance(unit, Unit):
            raise InputError(f"A layer is made from a unit; received {unit!r}.")
        self.unit = unit
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

    @property
    def in_features(self) -> int:
        """The number of inputs."""
        return self.unit.in_features

    @property
    def out_features(self) -> int:
        """The number of outputs."""
        return self.unit.out_features

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

    def penalties(self, x: Tensor | None = None) -> Penalties:
        """Return the named penalties, unscaled and differentiable.

        Parameters
        ----------
        x
            Inputs; penalties that depend on them are there only if they are given.

        Returns
        -------
        Penalties
            A dictionary. A penalty that only other units have is zero.

        Examples
        --------
        >>> import nalm
        >>> nalm.torch.NALU(2, 1).penalties()["discretise"]
        tensor(0.)
        """
        zero = next(iter(self._params().values())).new_zeros(())
        return Penalties(self.unit.penalties(self._params(), x), zero)

    def effective(self) -> dict[str, Tensor]:
        """Return the transformed weights that carry the meaning."""
        return self.unit.effective(self._params())

    def sparsity_error(self) -> Tensor:
        """Return how far the weights are from discrete."""
        return self.unit.sparsity_error(self._params())

    @torch.no_grad()
    def exact_(self, op: str, operands: Sequence[int] | None = None) -> Self:
        """Set the parameters that compute `op` exactly, in place."""
        for name, value in self.unit.exact(op, operands).items():
            parameter = self._params()[name]
            parameter.copy_(torch.as_tensor(value, dtype=parameter.dtype))
        return self

    def formula(
        self,
        names: Sequence[Any] | None = None,
        *,
        tolerance: float = TOLERANCE,
        x: Tensor | None = None,
    ) -> tuple["sympy.Basic", ...]:
        """Read one sympy expression per output off the rounded weights."""
        return self.unit.formula(self.numbers(), names, tolerance=tolerance, x=x)

    def latex(
        self,
        names: Sequence[Any] | None = None,
        *,
        tolerance: float = TOLERANCE,
        x: Tensor | None = None,
    ) -> tuple[str, ...]:
        """Return the formulas as LaTeX."""
        return tuple(latex(e) for e in self.formula(names, tolerance=tolerance, x=x))

    def numbers(self) -> dict[str, Any]:
        """Return the parameters as NumPy arrays, as JAX, NumPy and `nalm.save` take them."""
        return {name: to_numpy(p) for name, p in self._params().items()}

    def _repr_html_(self) -> str:
        """Return the formula for a notebook, or a short description if there is none yet."""
        return self._repr_latex_() or f"<code>{escape(repr(self))}</code>"

    def _repr_latex_(self) -> str | None:
        """Return the formula for a notebook; None if the weights are not discrete."""
        try:
            return "$" + r", \quad ".join(self.latex()) + "$"
        except NalmError:
            return None

    def extra_repr(self) -> str:
        """Return sizes and options, for `print`."""
        options = [f.name for f in fields(self.unit)][2:]
        return ", ".join(
            [f"{self.in_features}, {self.out_features}"]
            + [f"{name}={getattr(self.unit, name)!r}" for name in options]
        )

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
