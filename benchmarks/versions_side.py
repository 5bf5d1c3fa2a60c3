"""One side of `versions.py`: names a case on each line of its input, answers with its CPU time.

It runs under this version of nalm and under older ones, whose modules had other names.
"""

import json
import sys
import time
from dataclasses import replace
from functools import lru_cache, partial
from importlib import import_module
from operator import attrgetter

import nalm
from nalm.tasks import RANGES, arithmetic_dataset, single_module


def first(*homes: str):
    """Return the first `module:name` that this version has."""
    for home in homes:
        module, _, name = home.partition(":")
        try:
            return attrgetter(name)(import_module(module))
        except (ImportError, AttributeError):
            continue
    raise ImportError(f"None of {homes} exists in this version.")


Recipe = first("nalm.training.recipe:Recipe", "nalm.engine.recipe:Recipe")
Ramp = first("nalm.training.schedules:Ramp", "nalm.training.recipe:Ramp", "nalm.engine.recipe:Ramp")
Run = first("nalm.training.run:Run", "nalm.engine.run:Run")
blocks = first("nalm.training.engine.plan:blocks", "nalm.engine.plan:blocks")
train_block = first("nalm.training.engine.train:train_block", "nalm.engine.train:train_block")
published = first(
    "nalm.training.published:published_recipe",
    "nalm.experiments.recipes:published",
)
second_order = first(
    "nalm.training.recipe:Recipe.with_second_order", "nalm.engine.recipe:second_order"
)
UNITS = (
    "nmu", "nau", "real_npu", "nalu", "nac", "nac_mul", "snmu", "inalu", "npu", "nru", "nmru",
    "gnalu", "nac_mul_nmu", "nac_mul_sigma",
)  # fmt: skip
STEPS = {2: 10_000, 10: 5000, 100: 3000}
MOST = {2: 2, 10: 2, 100: 2}
"""How many blocks of a case are trained, by the number of inputs."""


def single(name: str, inputs: int):
    op = "mul" if "mul" in nalm.unit(name, 2, 1).ops else "add"
    recipe = replace(published(name, op, inputs), steps=STEPS[inputs])
    model = nalm.unit(name, inputs, 1)
    tasks = [single_module(op, r, inputs) for r in RANGES]
    runs = [Run(model, task, recipe, seed) for seed in range(25) for task in tasks]
    return blocks(runs)[: MOST[inputs]]


def one_range(name: str, inputs: int):
    recipe = replace(published(name, "mul", inputs), steps=STEPS[inputs])
    model, task = nalm.unit(name, inputs, 1), single_module("mul", inputs=inputs)
    return blocks([Run(model, task, recipe, seed) for seed in range(225)])[: MOST[inputs]]


def two_layers(tasks, seeds: int):
    stack = nalm.Stack((nalm.unit("nau", 100, 2), nalm.unit("nmu", 2, 1)))
    recipe = Recipe(steps=3000, penalties=(("discretise", Ramp(10.0, 1500, 3000)),))
    return blocks([Run(stack, task, recipe, s) for s in range(seeds) for task in tasks])[:2]


def changed(**options):
    known = Recipe.__dataclass_fields__
    spelled = {
        n if n in known else n.replace("optimizer", "optimiser"): v for n, v in options.items()
    }
    recipe = replace(Recipe(steps=5000), **spelled)
    return blocks(
        [Run(nalm.unit("nmu", 2, 1), single_module("mul"), recipe, s) for s in range(113)]
    )


def levenberg():
    recipe = second_order(Recipe())
    return blocks(
        [Run(nalm.unit("nmu", 2, 1), single_module("mul"), recipe, s) for s in range(113)]
    )


OPERATIONS = [arithmetic_dataset(op) for op in ("add", "sub", "mul", "div", "root", "square")]
RANGED = [arithmetic_dataset("mul", name) for name in RANGES]
CASES = {
    "nmu, 2 inputs": partial(single, "nmu", 2),
    "nau, 2 inputs": partial(single, "nau", 2),
    "real_npu, 2 inputs": partial(single, "real_npu", 2),
    "nmu, 2 inputs, one range": partial(one_range, "nmu", 2),
    "nmu, 100 inputs, one range": partial(one_range, "nmu", 100),
    "two layers, alone": partial(two_layers, RANGED[:1], 20),
    "two layers, six operations": partial(two_layers, OPERATIONS, 10),
    "two layers, nine ranges": partial(two_layers, RANGED, 10),
    "nmu with pcc": partial(changed, loss="pcc"),
    "nmu with sgd": partial(changed, optimizer="sgd"),
    "nmu with rmsprop": partial(changed, optimizer="rmsprop"),
    "nmu with lm": levenberg,
    "nmu, population of 10": partial(changed, population=10),
    **{
        f"{name}, {inputs} inputs": partial(single, name, inputs)
        for inputs in STEPS
        for name in UNITS
        if (name, inputs) not in {("nmu", 2), ("nau", 2), ("real_npu", 2)}
    },
}


@lru_cache(maxsize=1)
def compiled(case: str):
    """Return the blocks of a case after a first training, which compiles their program."""
    planned = CASES[case]()
    train_block(planned[0])
    return planned


def measured(case: str) -> float:
    planned = compiled(case)
    start = time.process_time()
    for block in planned:
        train_block(block)
    steps = sum(len(block) * block[0].recipe.steps for block in planned)
    return (time.process_time() - start) / steps


def main() -> None:
    print(json.dumps(list(CASES)), flush=True)
    for line in sys.stdin:
        print(json.dumps(measured(line.strip())), flush=True)


if __name__ == "__main__":
    main()
