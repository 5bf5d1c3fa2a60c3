"""How many runs are solved with a generator: `python benchmarks/generator_outcomes.py GENERATOR`.

Five units with two inputs on nine ranges, 39 seeds each, 10,000 steps of a recipe that is published
for 50,000. Run it under two versions or with two generators, and compare the lines.
"""

import os
import sys
from dataclasses import replace

from nalm.training.worker import environment

UNITS = {"nmu": "mul", "nau": "add", "real_npu": "mul", "nalu": "mul", "snmu": "mul"}
SEEDS, STEPS = 39, 10_000


def main() -> None:
    if os.environ.get("NPROC") != "1":
        os.execve(sys.executable, [sys.executable, *sys.argv], environment(None))
    import nalm
    from nalm.sweeps.statistics import judge
    from nalm.tasks import RANGES, single_module, threshold
    from nalm.training.engine.plan import blocks
    from nalm.training.engine.train import train_block
    from nalm.training.published import published_recipe
    from nalm.training.run import Run

    for name, op in UNITS.items():
        recipe = replace(published_recipe(name, op).stretched(STEPS), generator=sys.argv[1])
        tasks = {r: single_module(op, r) for r in RANGES}
        limits = {task.range: threshold(task) for task in tasks.values()}
        solved = dict.fromkeys(limits, 0)
        model = nalm.unit(name, 2, 1)
        runs = [Run(model, task, recipe, s) for s in range(SEEDS) for task in tasks.values()]
        for block in blocks(runs):
            for run, curves in zip(block, train_block(block), strict=True):
                solved[run.task.range] += judge(curves, limits[run.task.range]).success
        counts = ", ".join(f"{r} {count}" for r, count in solved.items())
        print(f"{name}, of {SEEDS}: {counts}", flush=True)


if __name__ == "__main__":
    main()
