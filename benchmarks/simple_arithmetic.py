"""The simple task of the power units: one network learns x + y, xy, x/y and √x at once.

python benchmarks/simple_arithmetic.py

A run of the catalogue has one result, so this is no experiment of it; the units are those of nalm,
the training is here. Paper and program of the authors disagree. The paper says rate 0.001, and its
table of models puts the unit behind a NAU; the program has rate 0.005 and the unit in front, as
here. The caption of the published table says medians and their absolute deviations; the program
computes means and standard errors of mean absolute errors. Both are printed, for both rates. The
authors' NALU, iNALU and dense network are left out: their gates and starts are not ours.
"""

import jax
import jax.numpy as jnp
import numpy as np

import nalm

RUNS, STEPS, BATCH, HIDDEN = 20, 20_000, 100, 6
RATES = (5e-3, 1e-3)
PUBLISHED = {
    "npu": ("0.200 ± 0.110", "0.370 ± 0.230", "0.230 ± 0.130", "0.031 ± 0.025"),
    "real_npu": ("0.080 ± 0.021", "0.066 ± 0.026", "0.085 ± 0.038", "0.004 ± 0.001"),
    "nmu": ("0.200 ± 0.180", "0.005 ± 0.004", "11.399 ± 0.035", "0.160 ± 0.002"),
}
RESULTS = {
    "x + y": lambda x: x[:, 0] + x[:, 1],
    "xy": lambda x: x[:, 0] * x[:, 1],
    "x / y": lambda x: x[:, 0] / x[:, 1],
    "√x": lambda x: jnp.sqrt(x[:, 0]),
}
UNITS = {
    "npu": nalm.unit("npu", 2, HIDDEN),
    "real_npu": nalm.unit("real_npu", 2, HIDDEN),
    "nmu": nalm.unit("nmu", 2, HIDDEN, clamp="forward"),
}


def grid(start, step, count):
    """Return all pairs of `count` numbers in equal steps."""
    axis = start + step * np.arange(count)
    return jnp.asarray(np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2), jnp.float32)


BOTH_SIGNS, POSITIVE = grid(-4.1, 0.2, 41), grid(0.1, 0.1, 40)


def targets(x):
    return jnp.stack([result(x) for result in RESULTS.values()], axis=-1)


def network(unit, p, x):
    """Return the four results: the unit, and sums of what it gives with free weights."""
    return unit.forward(jnp, p["unit"], x, True, None) @ p["sums"].T


def glorot(key, shape):
    bound = np.sqrt(6 / sum(shape))
    return jax.random.uniform(key, shape, jnp.float32, -bound, bound)


def start(unit, seed):
    """Return the initial weights of the authors' program."""
    first, second, third = jax.random.split(jax.random.key(seed), 3)
    own = {n: jnp.asarray(v, jnp.float32) for n, v in unit.init(second).items()}
    name = "weight_re" if "weight_re" in own else "weight"
    draw = jax.random.uniform if unit.name == "nmu" else glorot
    return {"unit": own | {name: draw(first, (HIDDEN, 2))}, "sums": glorot(third, (4, HIDDEN))}


def trained(unit, rate, seed):
    """Return the weights after all steps of Adam."""
    p = start(unit, seed)
    key = jax.random.key(1_000 + seed)

    def loss(p, x):
        return jnp.mean((network(unit, p, x) - targets(x)) ** 2)

    def step(carry, number):
        p, m, v = carry
        x = jax.random.uniform(jax.random.fold_in(key, number), (BATCH, 2), minval=0.1, maxval=2.1)
        g = jax.grad(loss)(p, x)
        m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, g)
        v = jax.tree.map(lambda a, b: 0.999 * a + 0.001 * b * b, v, g)
        n = number + 1.0
        size = rate * jnp.sqrt(1 - 0.999**n) / (1 - 0.9**n)
        p = jax.tree.map(lambda w, a, b: w - size * a / (jnp.sqrt(b) + 1e-8), p, m, v)
        return (p, m, v), None

    zeros = jax.tree.map(jnp.zeros_like, p)
    (p, _, _), _ = jax.lax.scan(step, (p, zeros, zeros), jnp.arange(STEPS))
    return p


def errors(unit, p):
    """Return the mean absolute error of each result outside the training range."""
    found = []
    for k, result in enumerate(RESULTS.values()):
        x = POSITIVE if result is RESULTS["√x"] else BOTH_SIGNS
        found.append(jnp.mean(jnp.abs(network(unit, p, x)[:, k] - result(x))))
    return jnp.stack(found)


def main():
    for name, unit in UNITS.items():
        for rate in RATES:
            run = jax.jit(jax.vmap(lambda seed, u=unit, r=rate: errors(u, trained(u, r, seed))))
            each = np.asarray(run(jnp.arange(RUNS)))
            medians = np.median(each, axis=0)
            deviations = np.median(np.abs(each - medians), axis=0)
            means, spreads = each.mean(axis=0), each.std(axis=0, ddof=1) / np.sqrt(RUNS)
            for k, result in enumerate(RESULTS):
                print(
                    f"{name:8} {rate:g} {result:5}  median {medians[k]:.3f} ± {deviations[k]:.3f}"
                    f"  mean {means[k]:.3f} ± {spreads[k]:.3f}  published {PUBLISHED[name][k]}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
