"""One Keras layer for every unit: it holds parameters and randomness, the unit has the maths."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Self

import keras

from nalm._internal.custom import source_of
from nalm._internal.ops import clip
from nalm.errors import NalmError, UnknownNameError, unknown
from nalm.keras._backend import namespace
from nalm.networks.layer import UnitLayer, checked_unit
from nalm.networks.saving import describe, described_model
from nalm.units import Parameter, Stochastic, Unit
from nalm.units import _checks as checks
from nalm.units._penalties import PENALTIES

in_model_files = keras.saving.register_keras_serializable("nalm")
"""Makes a class one that a model file of Keras may have, under the name nalm>CLASS."""
HALF_PRECISION = ("bfloat16", "float16")


class KerasSource:
    """Draws from a seed generator of Keras, in one dtype."""

    def __init__(self, seeds: Any, dtype: str) -> None:
        self.options: Any = {"seed": seeds, "dtype": dtype}

    def uniform(self, shape: tuple[int, ...]) -> Any:
        """Draw from [0, 1)."""
        return keras.random.uniform(shape, **self.options)

    def normal(self, shape: tuple[int, ...]) -> Any:
        """Draw from the standard normal distribution."""
        return keras.random.normal(shape, **self.options)

    def full(self, shape: tuple[int, ...], value: float) -> Any:
        """Return an array of one value."""
        return keras.ops.full(shape, value, dtype=self.options["dtype"])

    def detach(self, x: Any) -> Any:
        """Return `x` as a constant of differentiation."""
        return keras.ops.stop_gradient(x)

    def split(self, count: int) -> list[Self]:
        """Return `count` independent sources."""
        return [self] * count


@in_model_files
class Interval(keras.constraints.Constraint):
    """The interval of a parameter: Keras clamps it after each optimizer step by itself."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def __call__(self, w: Any) -> Any:
        """Clamp a parameter."""
        return clip(namespace(), keras.ops.convert_to_tensor(w), self.low, self.high)

    def get_config(self) -> dict[str, float]:
        """Return the ends, for a model file of Keras."""
        return {"low": self.low, "high": self.high}


def find_defined(described: Any) -> None:
    """Let the custom classes of a description be found by their names among those defined here."""
    for part in described.get("units", ()):
        find_defined(part)
    if "source" not in described:
        return
    name = described["class"]
    defined = [cls for cls in _subclasses(Unit) if name in (cls.__name__, cls.__qualname__)]
    if not defined:
        raise UnknownNameError(
            f"A model file of Keras with the custom unit {name} needs its class; it is not defined "
            "here. Import it before the file is loaded."
        )
    for cls in defined:
        with suppress(NalmError):  # another class of this name, whose source nobody can read
            source_of(cls)


def _subclasses(cls: type[Unit]) -> Iterator[type[Unit]]:
    for derived in cls.__subclasses__():
        yield derived
        yield from _subclasses(derived)


@in_model_files
class Layer(UnitLayer, keras.layers.Layer):
    """A unit as a Keras layer; `params` are its variables by the names of the unit.

    Keras clamps the weights after each optimizer step by itself, and adds the penalties that have a
    scale to the loss, so `model.fit` needs nothing else.

    Parameters
    ----------
    unit
        Any unit, also a custom one.
    scales
        What penalties are multiplied by in the loss, by name: `{"discretise": 0.1}`. It may be
        changed, `layer.scales = {...}`, before `compile` and the next `fit`.
    seed
        The seed of the parameters and of the noise of stochastic units.
    dtype
        The dtype of the parameters and of the arithmetic; that of Keras if absent. Half precision
        becomes float32, for arithmetic in it is not exact.
    name
        The name of the layer.
    trainable
        Whether training changes the parameters.

    Examples
    --------
    >>> import nalm, numpy as np
    >>> layer = Layer(nalm.unit("nau", 2, 1)).exact_("add")
    >>> layer(np.array([[257.0, 1.0]])).tolist()
    [[258.0]]
    """

    def __init__(
        self,
        unit: Unit,
        *,
        scales: Mapping[str, float] | None = None,
        seed: int | None = None,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ) -> None:
        super().__init__(dtype=dtype, name=name, trainable=trainable)
        if self.compute_dtype in HALF_PRECISION:
            self.dtype_policy = keras.DTypePolicy("float32")
        self.unit = checked_unit(unit)
        self.scales = scales or {}
        self.seed = seed
        self.seeds = keras.random.SeedGenerator(seed)
        self.params = {
            parameter: self._variable(parameter, declared)
            for parameter, declared in unit.parameters.items()
        }
        self.built = True

    @property
    def scales(self) -> Mapping[str, float]:
        """What penalties are multiplied by in the loss, by name; set it as a whole."""
        return MappingProxyType(self._scales)

    @scales.setter
    def scales(self, scales: Mapping[str, float]) -> None:
        for penalty in scales:
            if penalty not in PENALTIES:
                raise unknown("penalty", penalty, PENALTIES)
        self._scales = dict(scales)

    def _variable(self, name: str, declared: Parameter) -> Any:
        def draw(shape: Any, dtype: Any = None) -> Any:
            source = KerasSource(self.seeds, dtype or self.variable_dtype)
            return declared.init.draw(source, tuple(shape))

        return self.add_weight(
            shape=declared.shape,
            initializer=draw,
            constraint=None if declared.bounds is None else Interval(*declared.bounds),
            name=name,
        )

    def call(self, x: Any, training: bool | None = None) -> Any:
        """Apply the unit over the last axis, stochastic units with fresh noise when training."""
        xp, params = namespace(), self._params()
        checks.check_input(self.unit, xp, x)
        if training:
            terms = self.unit.penalties(params, x)
            for name, scale in self.scales.items():
                if name in terms:
                    self.add_loss(scale * terms[name])
        else:
            checks.refuse_zero_divisors(self.unit, xp, params, x)
        noise = self._noise(xp, params, x) if training else None
        return self.unit.forward(xp, params, x, bool(training), noise)

    def _noise(self, xp: Any, params: Mapping[str, Any], x: Any) -> Any:
        if not isinstance(self.unit, Stochastic):
            return None
        shape, distribution = self.unit.draws(xp, params, keras.ops.stop_gradient(x))
        source = KerasSource(self.seeds, keras.backend.standardize_dtype(x.dtype))
        return distribution.draw(source, tuple(shape))

    def compute_output_shape(self, input_shape: Sequence[int | None]) -> tuple[int | None, ...]:
        """Return the shape of the outputs."""
        return (*input_shape[:-1], self.unit.out_features)

    def constrain_(self) -> Self:
        """Clamp the parameters into their allowed intervals, in place."""
        return self._set(self.unit.constrain(self._params()))

    def exact_(self, op: str, operands: Sequence[int] | None = None) -> Self:
        """Set the parameters that compute `op` exactly, in place."""
        return self._set(self.unit.exact(op, operands))

    def get_config(self) -> dict[str, Any]:
        """Return what the layer is, for a model file of Keras; nothing in it is executed."""
        config = super().get_config()
        scales = dict(self.scales)
        return {**config, "unit": describe(self.unit), "scales": scales, "seed": self.seed}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "Layer":
        """Return the layer that `get_config` described; its custom units must be imported."""
        find_defined(config["unit"])
        unit = described_model(config["unit"])
        restored = ("scales", "seed", "dtype", "name", "trainable")
        options = {name: config[name] for name in restored if name in config}
        made = cls.__new__(cls)  # a class such as NMU takes the sizes, not the unit
        Layer.__init__(made, unit, **options)  # pyright: ignore[reportArgumentType]
        return made

    def _set(self, values: Mapping[str, Any]) -> Self:
        for name, value in values.items():
            self.params[name].assign(value)
        return self

    def _params(self) -> dict[str, Any]:
        return {
            name: keras.ops.convert_to_tensor(self.params[name]) for name in self.unit.parameters
        }

    def __repr__(self) -> str:
        return f"{type(self.unit).__name__}({self.extra_repr()})"
