"""The backend of Keras: JAX or PyTorch, whose arrays units compute with."""

from importlib import import_module
from types import ModuleType

BACKENDS = {"jax": "jax.numpy", "torch": "array_api_compat.torch"}
"""The array namespace of each backend that the layers run on."""


def check_backend() -> None:
    """Raise one sentence if Keras runs on a backend that the layers do not."""
    try:
        name = import_module("keras").backend.backend()
    except ModuleNotFoundError as error:
        if error.name == "keras":
            raise
        name = f"{error.name}, which is not installed"
    if name not in BACKENDS:
        raise ImportError(
            f"nalm.keras needs Keras on its jax or torch backend; it is on {name}. Set the "
            "environment variable KERAS_BACKEND to jax or torch before Keras is imported."
        )


def namespace() -> ModuleType:
    """Return the array namespace of the backend that Keras runs on."""
    return import_module(BACKENDS[import_module("keras").backend.backend()])
