"""The function of ten parameters from the initial weights of the authors' seeds, or from ours.

python benchmarks/ten_parameters.py [FIRST LAST] [--ours]

Trains NAC, then NAC with exp and log, by our engine on our samples. The initial weights are those
that the authors' program draws for its seeds FIRST to LAST - 1 (0 to 99 in table 1 of Madsen and
Johansen): PyTorch's generator, each layer and parameter in turn, and all of them twice. With
`--ours` they are those of our seeds. Prints which seeds are solved; 100 seeds take a minute.
"""

import os
import sys
from dataclasses import replace

import numpy as np

from nalm.training.worker import environment

BLOCK = 100
"""Seeds that are trained at once."""


def main():
    if os.environ.get("NPROC") != "1":
        os.execve(sys.executable, [sys.executable, *sys.argv], environment(None))
    from nalm.experiments import EXPERIMENTS
    from nalm.sweeps.statistics.intervals import wilson

    numbers = [int(text) for text in sys.argv[1:] if text != "--ours"]
    first, last = numbers or (0, 100)
    (cell,) = [c for c in EXPERIMENTS["ten-parameters"].cells() if c.name == "nac_mul"]
    found = []
    for begin in range(first, last, BLOCK):
        seeds = range(begin, min(begin + BLOCK, last))
        found += solved(cell, seeds, theirs="--ours" not in sys.argv)
        interval = wilson(len(found), seeds[-1] + 1 - first)
        print(f"{len(found)} of {seeds[-1] + 1 - first} solved, {interval}: {found}", flush=True)


def starts(model, seed):
    """Return the initial parameters of the authors' program, by name."""
    import torch

    from nalm.networks.layers import parameters
    from nalm.units.initial import nac_radius

    torch.manual_seed(seed)
    declared = parameters(model)
    drawn = {}
    for name in 2 * ("0.w_hat", "0.m_hat", "1.w_hat", "1.m_hat"):
        shape = declared[name].shape
        radius = nac_radius(max(sum(shape), 5))
        drawn[name] = torch.empty(shape).uniform_(-radius, radius).numpy()
    return drawn


def solved(cell, seeds, *, theirs):
    """Return which seeds are solved, from the authors' initial weights or ours."""
    import jax.numpy as jnp

    from nalm.training.engine import train

    ours = train._first

    def begun(compiled, runs, settings, form):
        stage = ours(compiled, runs, settings, form)
        drawn = [starts(cell.model, run.seed) for run in runs]
        columns = [np.concatenate([d[name].ravel() for name in sorted(d)]) for d in drawn]
        weights = np.stack(columns, axis=1)
        state = stage.state._replace(weights=jnp.asarray(weights))
        return replace(stage, state=state, best=weights)

    train._first = begun if theirs else ours
    runs = cell.runs(seeds)
    curves = train.train_block(runs)
    train._first = ours
    errors = [curve.test[np.nanargmin(curve.validation)] for curve in curves]
    return [run.seed for run, error in zip(runs, errors, strict=True) if error < cell.limit]


if __name__ == "__main__":
    main()
