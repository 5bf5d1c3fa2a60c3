"""Settings for every test: 64-bit JAX next to 32-bit, and reproducible property tests."""

import jax
import pytest
import torch
from hypothesis import HealthCheck, settings

from browsing import chromium

jax.config.update("jax_enable_x64", True)
torch.set_num_threads(1)

settings.register_profile(
    "nalm",
    deadline=None,
    derandomize=True,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("nalm")


@pytest.fixture(scope="module")
def browser():
    """A real Chromium."""
    yield from chromium()
