"""`make bench`: how fast the engine trains, as ratios to other ways measured in the same run.

Every side uses one core. The engine's figure is whole training with its evaluations. The sides
alternate, and the median over rounds is reported.
"""

import ctypes
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from nalm.engine.worker import environment

HERE = Path(__file__).parent
ROUNDS = 3
RUNS = 225
STEPS = 10_000


def main():
    if os.environ.get("NPROC") != "1":
        os.execve(sys.executable, [sys.executable, *sys.argv], environment(None))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    cells, nmu = [cell(name) for name in units()], compare_nmu()
    for row in cells:
        print(
            f"{row['unit']:<14} {row['op']:<4} {row['ratio']:>7,.0f} x a PyTorch loop "
            f"({row['engine_ns']:,.0f} ns, {row['torch_us']:,.0f} us per run-step)"
        )
    for name, value in nmu.items():
        print(f"nmu: {name}: {value:,.2f}")
    folder = Path("results")
    folder.mkdir(exist_ok=True)
    (folder / "engine.json").write_text(json.dumps({"cells": cells, "nmu": nmu}, indent=2))
    print("Written to results/engine.json.")


def units():
    from nalm.experiments.single_module import LEFT_OUT
    from nalm.units import REGISTRY

    return sorted(set(REGISTRY) - LEFT_OUT - {"nlrl", "nsr"})


def operation_of(name):
    import nalm

    return next(op for op in ("mul", "add") if op in nalm.unit(name, 2, 1).ops)


def cell(name):
    """Measure one unit at two inputs: the engine and the PyTorch loop in turns."""
    op = operation_of(name)
    engine, loop = engine_timer(name, op), torch_timer(name, op)
    pairs = [(engine(), loop()) for _ in range(ROUNDS)]
    return {
        "unit": name,
        "op": op,
        "runs": RUNS,
        "engine_ns": 1e9 * statistics.median(e for e, _ in pairs),
        "torch_us": 1e6 * statistics.median(t for _, t in pairs),
        "ratio": statistics.median(t / e for e, t in pairs),
    }


def engine_timer(name, op, generator="philox"):
    """Return a function that measures seconds per run-step of whole training."""
    import nalm
    from nalm.engine.plan import blocks
    from nalm.engine.recipe import published
    from nalm.engine.run import Run
    from nalm.engine.train import train_block
    from nalm.tasks import RANGES, single_module

    recipe = replace(published(name, op), steps=STEPS, generator=generator)
    model = nalm.unit(name, 2, 1)
    runs = [Run(model, single_module(op, r), recipe, s) for r in RANGES for s in range(25)]
    planned = blocks(runs)
    train_block(planned[0])

    def measure():
        start = time.perf_counter()
        for block in planned:
            train_block(block)
        return (time.perf_counter() - start) / (RUNS * recipe.steps)

    return measure


def torch_timer(name, op):
    """Return a function that measures seconds per step of a plain loop over our own layer."""
    import torch

    import nalm
    from nalm.engine.recipe import published
    from nalm.operations import operation

    torch.set_num_threads(1)
    layer = nalm.torch.Layer(nalm.unit(name, 2, 1))
    recipe = published(name, op)
    optimiser = torch.optim.Adam(layer.parameters(), lr=1e-3)

    def step():
        x = 1 + torch.rand(128, 2)
        target = operation(op).apply(torch, [x[:, 0], x[:, 1]])
        loss = torch.nn.functional.mse_loss(layer(x)[:, 0], target)
        if recipe.penalties:
            terms = layer.penalties()
            for penalty, _ in recipe.penalties:
                loss = loss + 1e-3 * terms[penalty]
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        layer.constrain_()

    def measure(count=300):
        step()
        start = time.perf_counter()
        for _ in range(count):
            step()
        return (time.perf_counter() - start) / count

    return measure


def vmap_timer():
    """Return a function that measures the natural JAX form: vmap of grad of a batch loss."""
    import jax
    import jax.numpy as jnp

    import nalm

    unit = nalm.unit("nmu", 2, 1)

    def loss(params, x):
        error = unit(params, x)[:, 0] - x[:, 0] * x[:, 1]
        return jnp.mean(error**2) + 1e-3 * unit.penalties(params)["discretise"]

    def step(params, key):
        x = jax.random.uniform(key, (128, 2), minval=1.0, maxval=2.0)
        gradient = jax.grad(loss)(params, x)
        return unit.constrain(jax.tree.map(lambda p, g: p - 1e-3 * g, params, gradient))

    @jax.jit
    def train(params, keys):
        def body(params, i):
            folded = jax.vmap(jax.random.fold_in, in_axes=(0, None))(keys, i)
            return jax.vmap(step)(params, folded), None

        return jax.lax.scan(body, params, jnp.arange(200))[0]

    keys = jax.random.split(jax.random.key(0), RUNS)
    params = jax.vmap(unit.init)(keys)
    jax.block_until_ready(train(params, keys))

    def measure():
        start = time.perf_counter()
        jax.block_until_ready(train(params, keys))
        return (time.perf_counter() - start) / (RUNS * 200)

    return measure


def c_timer():
    """Return a function that measures the hand-written C kernel, or None without a compiler."""
    import numpy as np

    compiler = shutil.which("cc")
    if not compiler:
        return None
    folder = Path(tempfile.mkdtemp())
    flags = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]
    subprocess.run(
        [compiler, *flags, str(HERE / "nmu.c"), "-o", str(folder / "nmu.so"), "-lm"], check=True
    )
    train = ctypes.CDLL(str(folder / "nmu.so")).train
    pointer = ctypes.POINTER(ctypes.c_float)
    train.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_float, ctypes.c_float, pointer]
    start_weights = np.random.default_rng(0).uniform(0.25, 0.75, 2 * RUNS).astype("float32")

    def measure(steps=STEPS):
        weights = start_weights.copy()
        start = time.perf_counter()
        train(RUNS, steps, 1.0, 1.0, weights.ctypes.data_as(pointer))
        seconds = time.perf_counter() - start
        assert np.allclose(weights, 1.0, atol=0.05), "the C kernel did not learn"
        return seconds / (RUNS * steps)

    return measure


def compare_nmu():
    engine, fast = engine_timer("nmu", "mul"), engine_timer("nmu", "mul", "pcg4d")
    natural, kernel = vmap_timer(), c_timer()
    rounds = [
        (engine(), fast(), natural(), kernel() if kernel else float("nan")) for _ in range(ROUNDS)
    ]
    return {
        "engine with Philox, ns": 1e9 * statistics.median(r[0] for r in rounds),
        "engine with pcg4d, ns": 1e9 * statistics.median(r[1] for r in rounds),
        "natural vmap(grad), ns": 1e9 * statistics.median(r[2] for r in rounds),
        "C kernel with Philox, ns": 1e9 * statistics.median(r[3] for r in rounds),
        "engine / C kernel, both Philox": statistics.median(r[0] / r[3] for r in rounds),
        "vmap(grad) / engine": statistics.median(r[2] / r[0] for r in rounds),
    }


if __name__ == "__main__":
    main()
