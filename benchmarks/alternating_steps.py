"""The iNALU trained as its authors' program trains it: weights, gate and penalty in turns.

python benchmarks/alternating_steps.py [--together]

Of the cells of `nalm bench inalu-minimal` that differ from the authors' runs, and of one that
agrees. Shares no code with the engine: eight batches of ten train the weights, two the gate, and
from epoch 11 on, while the loss is below 1, each batch makes two further steps of the penalty.
With `--together` every batch makes one step of all parameters, loss and penalty, as the engine.
"""

import sys
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

EPOCHS, BATCHES, BATCH, SEEDS = 100, 1000, 64, 10
RATE, DECAY, EPSILON, CLIP = 1e-2, 0.9, 1e-10, 0.1


def exponential(rng, shape):
    return rng.exponential(0.2, shape), rng.exponential(0.5, (10_000, 2))


def normal(low, high, rng, shape):
    """Bounds are three standard deviations from the mean, and 8 and 10 in the test."""
    from scipy.stats import truncnorm

    def drawn(a, b, size):
        return truncnorm.rvs(-3, 3, (a + b) / 2, (b - a) / 6, size=size, random_state=rng)

    return drawn(low, high, shape), drawn(8, 10, (10_000, 2))


CELLS = (
    ("separate", "mul", "Exp(0.2)", exponential),
    ("separate", "div", "Exp(0.2)", exponential),
    ("shared", "sub", "Exp(0.2)", exponential),
    ("shared", "div", "Exp(0.2)", exponential),
    ("separate", "mul", "TN(-1,1)[-4,2)", partial(normal, -4, 2)),
    ("shared", "div", "TN(1,1)[-2,4)", partial(normal, -2, 4)),
    ("separate", "sub", "Exp(0.2)", exponential),
)
OPS = {
    "mul": lambda x: x[..., 0] * x[..., 1],
    "div": lambda x: x[..., 0] / x[..., 1],
    "sub": lambda x: x[..., 0] - x[..., 1],
}


def model(p, x):
    add = jnp.tanh(p["w"][0]) * jax.nn.sigmoid(p["m"][0])
    mul = jnp.tanh(p["w"][-1]) * jax.nn.sigmoid(p["m"][-1])
    size = jnp.exp(jnp.minimum(jnp.log(jnp.maximum(jnp.abs(x), 1e-7)) @ mul, 20))
    sign = jnp.prod(jnp.sign(x) * jnp.abs(mul) + 1 - jnp.abs(mul), axis=-1)
    g = jax.nn.sigmoid(p["g"])
    return g * (x @ add) + (1 - g) * size * sign


def loss(p, x, y):
    return jnp.mean((model(p, x) - y) ** 2)


def penalty(p):
    branches = p["w"].shape[0]
    outside = {name: jnp.maximum(20 - jnp.abs(value), 0) for name, value in p.items()}
    both = branches * (outside["w"].mean() + outside["m"].mean())
    return 0.05 * (both + outside["g"].mean())


def moved(state, gradient, names):
    """Return parameters and squares after a step of some of the parameters."""
    p, squares = dict(state[0]), dict(state[1])
    for name in names:
        g = jnp.clip(gradient[name], -CLIP, CLIP)
        squares[name] = DECAY * squares[name] + (1 - DECAY) * g * g
        p[name] = p[name] - RATE * g / jnp.sqrt(squares[name] + EPSILON)
    return p, squares


def where(condition, new, old):
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), new, old)


def in_turns(carry, batch):
    state, number, late = carry
    x, y = batch
    error, gradient = jax.value_and_grad(loss)(state[0], x, y)
    weights = moved(state, gradient, ("w", "m"))
    state = where(number % 10 < 8, weights, moved(state, gradient, ("g",)))
    first = moved(state, jax.grad(penalty)(state[0]), ("w", "m"))
    second = moved(first, jax.grad(penalty)(first[0]), ("g",))
    return (where(late & (error < 1), second, state), number + 1, late), error


def together(carry, batch):
    state, number, late = carry
    x, y = batch
    scale = jnp.where(late & (loss(state[0], x, y) < 1), 1.0, 0.0)
    total = lambda p: loss(p, x, y) + scale * penalty(p)  # noqa: E731
    error, gradient = loss(state[0], x, y), jax.grad(total)(state[0])
    return (moved(state, gradient, ("w", "m", "g")), number + 1, late), error


def epoch(step, state, batches, late):
    (state, _, _), errors = jax.lax.scan(step, (state, 0, late), batches)
    return state, errors


def stuck(errors):
    """Return whether a run begins again: its losses do not fall, and are above 1."""
    before, after = np.array_split(np.asarray(errors), 2)
    falls = before.mean() > after.mean() + after.std()
    return len(errors) >= 10 * BATCHES and not falls and after.mean() > 1


def solved(step, cell):
    weights, op, _, draw = cell
    rngs = [np.random.default_rng(seed) for seed in range(SEEDS)]
    data, tests = zip(*(draw(rng, (BATCHES, BATCH, 2)) for rng in rngs), strict=True)
    x, test = jnp.asarray(np.stack(data), jnp.float32), jnp.asarray(np.stack(tests), jnp.float32)
    branches = 1 if weights == "shared" else 2

    def start(rng):
        shape = (branches, 2)
        return {"w": rng.normal(1, 0.1, shape), "m": rng.normal(-1, 0.1, shape),
                "g": rng.normal(0, 0.1, 1)}  # fmt: skip

    p = {k: np.stack(v) for k, v in _by_name([start(rng) for rng in rngs]).items()}
    p = jax.tree.map(lambda a: jnp.asarray(a, jnp.float32), p)
    state = p, jax.tree.map(jnp.ones_like, p)
    train = jax.jit(jax.vmap(partial(epoch, step), in_axes=(0, 0, None)))
    history = [[] for _ in rngs]
    for number in range(EPOCHS):
        state, errors = train(state, (x, OPS[op](x)), jnp.asarray(number > 10))
        for r, (rng, own) in enumerate(zip(rngs, history, strict=True)):
            own.extend(np.asarray(errors[r]))
            if number + 1 < EPOCHS and (number + 1) % 10 == 0 and stuck(own):
                own.clear()
                drawn = {k: rng.uniform(-2, 2, v.shape[1:]) for k, v in state[0].items()}
                p = {k: v.at[r].set(drawn[k]) for k, v in state[0].items()}
                state = p, state[1]
    return int((jax.vmap(loss)(state[0], test, OPS[op](test)) < 1e-5).sum())


def _by_name(dicts):
    return {name: [d[name] for d in dicts] for name in dicts[0]}


def main():
    step = together if "--together" in sys.argv else in_turns
    for cell in CELLS:
        print(*cell[:3], f"{solved(step, cell)} of {SEEDS} solved", flush=True)


if __name__ == "__main__":
    main()
