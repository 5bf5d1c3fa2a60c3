"""How gradients become steps: every optimizer of optax by its name, and those of nalm."""

from typing import TYPE_CHECKING

from nalm.training.optimizers._optimizer import Optimizer, optimizer_of

if TYPE_CHECKING:
    OPTIMIZERS: tuple[str, ...]
    """The names of all optimizers; optax is imported when they are first asked for."""

__all__ = ["OPTIMIZERS", "Optimizer", "optimizer_of"]


def __getattr__(name: str) -> object:
    if name != "OPTIMIZERS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from nalm.training.optimizers._native import NATIVE
    from nalm.training.optimizers._optax import names

    return tuple(sorted((*NATIVE, *names())))
