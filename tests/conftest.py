"""Settings for every test: 64-bit JAX next to 32-bit, and reproducible property tests."""

import ctypes
import gc
import os
import re
import sys
from contextlib import suppress
from pathlib import Path

# One thread per process, here and in what the tests start: `make test` has one process per core.
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NPROC": "1"}

import jax
import pytest
import torch
from hypothesis import HealthCheck, settings

from browsing import chromium

# Most of the time of these tests is compiling; worker processes have flags of their own.
os.environ["XLA_FLAGS"] = "--xla_backend_optimization_level=0"
jax.devices()  # reads the flags
del os.environ["XLA_FLAGS"]

jax.config.update("jax_enable_x64", True)
# Every array operation of every shape is a program: compiled once, for all test processes.
jax.config.update("jax_compilation_cache_dir", str(Path(__file__).parents[1] / ".pytest_cache/jax"))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
torch.set_num_threads(1)

settings.register_profile(
    "nalm",
    deadline=None,
    derandomize=True,
    max_examples=15,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("nalm")


LIMIT, GROWTH = 1.2e9, 300e6
"""Above how many bytes compiled programs are dropped, if the process grew by so many since."""
MOST = 2e9
"""The most bytes of a test process: two of them, and what they start, fit a small machine."""
STATM, STATUS = Path("/proc/self/statm"), Path("/proc/self/status")
AFTER_LAST_TIME = [0.0]
"""The bytes in memory after programs were last dropped because of them."""


def resident() -> float:
    """Return the bytes of this process in memory; 0 where the system does not say."""
    if not STATM.exists():
        return 0.0
    return int(STATM.read_text().split()[1]) * float(os.sysconf("SC_PAGE_SIZE"))


def forget_compiled_programs() -> None:
    """Drop compiled programs: kept, they fill gigabytes."""
    jax.clear_caches()
    if engine := sys.modules.get("nalm.training.engine.train"):
        engine.compiled_program.cache_clear()


def give_memory_back() -> None:
    """Return what is free in the heap to the system."""
    gc.collect()
    with suppress(OSError, AttributeError):  # elsewhere than in glibc it cannot be asked
        ctypes.CDLL("libc.so.6").malloc_trim(0)


@pytest.fixture(scope="module", autouse=True)
def forget_after_each_module():
    yield
    forget_compiled_programs()


@pytest.fixture(autouse=True)
def forget_when_the_process_grows():
    yield
    if resident() > max(LIMIT, AFTER_LAST_TIME[0] + GROWTH):
        forget_compiled_programs()
        give_memory_back()
        AFTER_LAST_TIME[0] = resident()


def peak() -> float:
    """Return the most bytes this process had in memory; 0 where the system does not say."""
    if not STATUS.exists():
        return 0.0
    return float(re.findall(r"VmHWM:\s+(\d+) kB", STATUS.read_text())[0]) * 1024


@pytest.fixture(autouse=True)
def stay_below_two_gigabytes():
    before = peak()
    yield
    after = peak()
    assert after < MOST or after == before, f"This test took {after / 1e9:.1f} GB; 2 is the limit."


@pytest.fixture(scope="module")
def browser():
    """A real Chromium."""
    yield from chromium()
