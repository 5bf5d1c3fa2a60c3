"""Each framework as the common suite sees it: a layer is made, called and trained in its way."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

import nalm.equinox
import nalm.flax
import nalm.keras
from nalm._internal.ops import to_numpy
from nalm.units import Unit

keras: Any = import_module("keras")  # its annotations are not those of its arrays


@dataclass(frozen=True)
class Flax:
    """Mutable modules, in training until `eval`."""

    module: ModuleType = nalm.flax

    def layer(self, unit: Unit, params: Mapping[str, Any] | None = None) -> Any:
        return self.module.module(unit, params, rngs=nnx.Rngs(0))

    def named(self, name: str) -> Any:
        return getattr(self.module, name)(3, 2, rngs=nnx.Rngs(0))

    def evaluate(self, layer: Any, x: np.ndarray) -> Any:
        layer.eval()
        return layer(jnp.asarray(x))

    def train(self, layer: Any, x: np.ndarray, seed: int) -> Any:
        layer.train()
        return layer(jnp.asarray(x))

    def constrained(self, layer: Any) -> Any:
        return self.module.constrain_(layer)

    def exact(self, layer: Any, op: str) -> Any:
        return layer.exact_(op)

    def joined(self, *layers: Any) -> Any:
        return nnx.Sequential(*layers)

    def other(self) -> Any:
        return nnx.relu

    def parameter_names(self, layer: Any) -> set[str]:
        return {str(path[0]) for path, _ in nnx.to_flat_state(nnx.state(layer, nnx.Param))}


@dataclass(frozen=True)
class Equinox(Flax):
    """Immutable modules, in training until `inference_mode`."""

    module: ModuleType = nalm.equinox

    def layer(self, unit: Unit, params: Mapping[str, Any] | None = None) -> Any:
        return self.module.module(unit, params, key=jax.random.key(0))

    def named(self, name: str) -> Any:
        return getattr(self.module, name)(3, 2, key=jax.random.key(0))

    def evaluate(self, layer: Any, x: np.ndarray) -> Any:
        return eqx.nn.inference_mode(layer)(jnp.asarray(x))

    def train(self, layer: Any, x: np.ndarray, seed: int) -> Any:
        return layer(jnp.asarray(x), key=jax.random.key(seed))

    def constrained(self, layer: Any) -> Any:
        return self.module.constrain(layer)

    def exact(self, layer: Any, op: str) -> Any:
        return layer.exact(op)

    def joined(self, *layers: Any) -> Any:
        return eqx.nn.Sequential(layers)

    def other(self) -> Any:
        return eqx.nn.Lambda(jax.nn.relu)

    def parameter_names(self, layer: Any) -> set[str]:
        return set(layer.params)


@dataclass(frozen=True)
class Keras(Flax):
    """Layers that are told at each call whether this is training."""

    module: ModuleType = nalm.keras

    def layer(self, unit: Unit, params: Mapping[str, Any] | None = None) -> Any:
        return self.module.module(unit, params)

    def named(self, name: str) -> Any:
        return getattr(self.module, name)(3, 2)

    def evaluate(self, layer: Any, x: np.ndarray) -> Any:
        return to_numpy(layer(x, training=False))

    def train(self, layer: Any, x: np.ndarray, seed: int) -> Any:
        return to_numpy(layer(x, training=True))

    def joined(self, *layers: Any) -> Any:
        return keras.Sequential(layers)

    def other(self) -> Any:
        return keras.layers.ReLU()

    def parameter_names(self, layer: Any) -> set[str]:
        return {variable.name for variable in layer.trainable_variables}


FACES = {"flax": Flax(), "equinox": Equinox(), "keras": Keras()}
if chosen := os.environ.get("NALM_TEST_FACES"):
    FACES = {name: FACES[name] for name in chosen.split(",")}
