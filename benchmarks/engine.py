"""`make bench`: how fast the engine trains, as ratios to other ways measured in the same run.

Every side uses one core. The engine's figure is whole training with its evaluations, the loop's is
training alone. The sides alternate, and the median over rounds is reported. `--quick` measures the
NMU, the NAU and the two-layer task only.
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

from nalm.training.worker import environment

HERE = Path(__file__).parent
ROUNDS = 3
RUNS = 225
STEPS = {2: 10_000, 10: 3000, 100: 1000}
"""Steps that are timed, by the number of inputs."""
OTHER_RUNS = (1, 25, 2000)


def main():
    if os.environ.get("NPROC") != "1":
        os.execve(sys.executable, [sys.executable, *sys.argv], environment(None))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    names = ["nau", "nmu"] if "--quick" in sys.argv else units()
    nmu, shared = compare_nmu(), sharing()
    rows = [two_layers()]
    print(HEADER)
    show(rows[0])
    for inputs in STEPS:
        for name in names:
            rows.append(single(name, inputs))
            show(rows[-1])
    for name, value in nmu.items():
        print(f"nmu: {name}: {value:,.2f}")
    for name, value in shared.items():
        print(f"{name}: {value:,.2f}")
    folder = Path("results")
    folder.mkdir(exist_ok=True)
    (folder / "engine.json").write_text(
        json.dumps({"cells": rows, "nmu": nmu, "sharing": shared}, indent=2)
    )
    print("Written to results/engine.json.")


HEADER = (
    "| model | op | inputs | times a PyTorch loop | with Philox | ns per run-step at R = 225 "
    "| R = 1 | R = 25 | R = 2000 | loop, µs |\n" + "|---" * 10 + "|"
)


def show(row):
    runs = (RUNS, *OTHER_RUNS)
    times = " | ".join(f"{row['ns'].get(str(r), float('nan')):,.0f}" for r in runs)
    print(
        f"| {row['model']} | {row['op']} | {row['inputs']} | {row['ratio']:,.0f} "
        f"| {row['ratio_philox']:,.0f} | {times} | {row['torch_us']:,.0f} |",
        flush=True,
    )


def units():
    from nalm.experiments.single_module import LEFT_OUT
    from nalm.units import REGISTRY

    return sorted(set(REGISTRY) - LEFT_OUT - {"nlrl", "nsr"})


def operation_of(name):
    import nalm

    return next(op for op in ("mul", "add") if op in nalm.unit(name, 2, 1).ops)


def single(name, inputs):
    """Measure one unit on the single module task."""
    import nalm
    from nalm.tasks import RANGES, single_module
    from nalm.training.published import published_recipe

    op = operation_of(name)
    tasks = [single_module(op, r, inputs) for r in RANGES]
    recipe = replace(published_recipe(name, op, inputs), steps=STEPS[inputs])
    return measured(nalm.unit(name, inputs, 1), tasks, recipe)


def two_layers():
    """Measure NAU and NMU on the arithmetic dataset task: 100 inputs, two subset sums."""
    import nalm
    from nalm.tasks import RANGES, arithmetic_dataset
    from nalm.training import Ramp, Recipe

    stack = nalm.Stack((nalm.unit("nau", 100, 2), nalm.unit("nmu", 2, 1)))
    recipe = Recipe(steps=2000, penalties=(("discretise", Ramp(10.0, 1000, 2000)),))
    return measured(stack, [arithmetic_dataset("mul", r) for r in RANGES], recipe)


def measured(model, tasks, recipe):
    """Measure the engine and the PyTorch loop in turns, then other numbers of runs."""
    from nalm.networks.layers import title

    engine, loop = engine_timer(model, tasks, recipe, RUNS), torch_timer(model, tasks[0], recipe)
    philox = engine_timer(model, tasks, replace(recipe, generator="philox"), RUNS)
    rounds = [(engine(), loop(), philox()) for _ in range(ROUNDS)]
    ns = {str(RUNS): 1e9 * statistics.median(e for e, _, _ in rounds)}
    if model.in_features == 2:
        ns |= {str(r): 1e9 * engine_timer(model, tasks, recipe, r)() for r in OTHER_RUNS}
    return {
        "model": title(model),
        "op": tasks[0].op,
        "inputs": model.in_features,
        "ratio": statistics.median(t / e for e, t, _ in rounds),
        "ratio_philox": statistics.median(t / p for _, t, p in rounds),
        "ns": ns,
        "torch_us": 1e6 * statistics.median(t for _, t, _ in rounds),
    }


def engine_timer(model, tasks, recipe, count):
    """Return a function that measures seconds per run-step of whole training of `count` runs."""
    from nalm.training.engine.plan import blocks
    from nalm.training.run import Run

    runs = [Run(model, tasks[i % len(tasks)], recipe, i // len(tasks)) for i in range(count)]
    planned = blocks(runs)
    return block_timer(planned[: max(1, int(30_000 // len(planned[0]) // model.in_features**1.5))])


def block_timer(timed):
    """Return a function that measures seconds per run-step of blocks; each program is compiled."""
    from nalm.training.engine.plan import signature
    from nalm.training.engine.train import train_block

    steps = timed[0][0].recipe.steps
    for block in {signature(block[0]): block for block in timed}.values():
        train_block(block)

    def measure():
        start = time.perf_counter()
        for block in timed:
            train_block(block)
        return (time.perf_counter() - start) / (sum(map(len, timed)) * steps)

    return measure


def sharing():
    """Measure runs that share their samples, or the numbers behind, against runs that do not.

    Alone, too, they are full blocks, of five seeds each.
    """
    import nalm
    from nalm.tasks import RANGES, arithmetic_dataset

    ops = [arithmetic_dataset(op) for op in ("add", "sub", "mul", "div", "root", "square")]
    ranges = [arithmetic_dataset("mul", name) for name in RANGES]
    found = {}
    for first, second in (("nau", "nmu"), ("nac", "nac"), ("nalu", "nalu")):
        model = nalm.Stack((nalm.unit(first, 100, 2), nalm.unit(second, 2, 1)))
        for name, tasks in (("six operations", ops), ("nine ranges", ranges)):
            alone, ratio = together(model, tasks)
            found[f"{first}-{second}, {name} alone, µs"] = alone
            found[f"{first}-{second}, {name} alone / together"] = ratio
    return found


def together(model, tasks):
    """Return the microseconds of a run-step task by task, and how much faster all at once are."""
    from nalm.training import Recipe
    from nalm.training.engine.plan import blocks
    from nalm.training.run import Run

    recipe = Recipe(steps=1000)
    by_task = [[Run(model, task, recipe, seed) for seed in range(10)] for task in tasks]
    alone = block_timer([block for runs in by_task for block in blocks(runs)])
    at_once = block_timer(blocks([run for runs in by_task for run in runs]))
    rounds = [(alone(), at_once()) for _ in range(ROUNDS)]
    ratio = statistics.median(a / t for a, t in rounds)
    return 1e6 * statistics.median(a for a, _ in rounds), ratio


def torch_timer(model, task, recipe):
    """Return a function that measures seconds per step of a plain loop over our own layers."""
    import torch

    import nalm
    from nalm.formula.operations import operation
    from nalm.networks.layers import layers

    torch.set_num_threads(1)
    stack = [nalm.torch.Layer(unit) for unit in layers(model).values()]
    network = torch.nn.Sequential(*stack)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    selected = torch.tensor(task.layout(0), dtype=torch.float32)
    low, high = task.train.low, task.train.high

    def step():
        x = low + (high - low) * torch.rand(recipe.batch, task.inputs)
        target = operation(task.op).apply(torch, list(selected @ x.T))
        loss = torch.nn.functional.mse_loss(network(x)[:, 0], target)
        for layer in stack:
            terms = layer.penalties() if recipe.penalties else {}
            for penalty, _ in recipe.penalties:
                if penalty in terms:
                    loss = loss + 1e-3 * terms[penalty]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for layer in stack:
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

    def measure(steps=STEPS[2]):
        weights = start_weights.copy()
        start = time.perf_counter()
        train(RUNS, steps, 1.0, 1.0, weights.ctypes.data_as(pointer))
        seconds = time.perf_counter() - start
        assert np.allclose(weights, 1.0, atol=0.05), "the C kernel did not learn"
        return seconds / (RUNS * steps)

    return measure


def compare_nmu():
    """Measure the NMU on two inputs in every way there is."""
    import nalm
    from nalm.tasks import RANGES, single_module
    from nalm.training.published import published_recipe

    model, tasks = nalm.unit("nmu", 2, 1), [single_module("mul", r) for r in RANGES]
    recipe = replace(published_recipe("nmu", "mul"), steps=STEPS[2])
    engine = engine_timer(model, tasks, recipe, RUNS)
    one = {
        generator: engine_timer(model, tasks[:1], replace(recipe, generator=generator), RUNS)
        for generator in ("keyed", "philox")
    }
    natural, kernel, loop = vmap_timer(), c_timer(), torch_timer(model, tasks[0], recipe)
    timers = {
        "engine, nine ranges": engine,
        "engine, one range": one["keyed"],
        "engine with Philox, one range": one["philox"],
        "C kernel with Philox, one range": kernel or (lambda: float("nan")),
        "natural vmap(grad)": natural,
        "PyTorch loop": loop,
    }
    rounds = [{name: timer() for name, timer in timers.items()} for _ in range(ROUNDS)]
    times = {
        f"{name}, ns": 1e9 * statistics.median(found[name] for found in rounds) for name in timers
    }
    ratios = {
        f"{name} / engine, nine ranges": statistics.median(
            found[name] / found["engine, nine ranges"] for found in rounds
        )
        for name in timers
        if name != "engine, nine ranges"
    }
    return times | ratios


if __name__ == "__main__":
    main()
