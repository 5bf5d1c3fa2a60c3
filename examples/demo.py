"""`make demo`: learn a formula in PyTorch and in JAX, print it, and check it outside the data."""

import time

import jax
import jax.numpy as jnp
import torch

import nalm
from nalm.stats import wilson

NAMES = ["a", "b", "c", "d"]


def main():
    print("Target: (a + b) * (a + b + c + d), shown only for inputs between 1 and 2.\n")
    learn_in_pytorch()
    learn_in_jax()
    print("\nThe units (nalm units):", ", ".join(sorted(nalm.units.REGISTRY)))


def learn_in_pytorch():
    torch.manual_seed(0)
    start = time.perf_counter()
    net = torch.nn.Sequential(nalm.torch.NAU(4, 2), nalm.torch.NMU(2, 1))
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-2)
    for step in range(4000):
        x = 1 + torch.rand(128, 4)
        target = (x[:, 0] + x[:, 1]) * x.sum(dim=1)
        loss = torch.nn.functional.mse_loss(net(x)[:, 0], target)
        if step > 2000:
            loss = loss + 0.1 * nalm.torch.penalties(net)["discretise"]
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        nalm.torch.constrain_(net)
    (formula,) = nalm.torch.formula(net, NAMES)
    print(f"PyTorch, {time.perf_counter() - start:.1f} s:  {formula}")
    x = torch.tensor([[1000.0, -20.0, 3.5, 0.0]])
    with torch.no_grad():
        learnt = net(x).item()
    print(f"  at (1000, -20, 3.5, 0): network {learnt:.7g}, target {980 * 983.5:.7g}")


def learn_in_jax():
    start = time.perf_counter()
    stack = nalm.Stack((nalm.unit("nau", 4, 2), nalm.unit("nmu", 2, 1)))
    seeds = 20

    def loss(params, x, scale):
        error = stack(params, x)[:, 0] - (x[:, 0] + x[:, 1]) * jnp.sum(x, axis=1)
        return jnp.mean(error**2) + scale * stack.penalties(params)["discretise"]

    def step(carry, i):
        """One step of Adam, then the constraint."""
        params, m, v, key = carry
        key, subkey = jax.random.split(key)
        x = jax.random.uniform(subkey, (128, 4), minval=1.0, maxval=2.0)
        gradient = jax.grad(loss)(params, x, jnp.where(i > 2000, 0.1, 0.0))
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, gradient)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g**2, v, gradient)
        params = jax.tree.map(
            lambda p, m, v: (
                p
                - 1e-2 * (m / (1 - 0.9 ** (i + 1))) / (jnp.sqrt(v / (1 - 0.999 ** (i + 1))) + 1e-8)
            ),
            params,
            m,
            v,
        )
        return (stack.constrain(params), m, v, key), None

    def train(key):
        params = stack.init(key)
        zeros = jax.tree.map(jnp.zeros_like, params)
        (params, *_), _ = jax.lax.scan(step, (params, zeros, zeros, key), jnp.arange(4000.0))
        return params

    runs = jax.jit(jax.vmap(train))(jax.random.split(jax.random.key(0), seeds))
    formulas = {}
    for run in range(seeds):
        try:
            (formula,) = stack.formula(jax.tree.map(lambda p, run=run: p[run], runs), NAMES)
        except nalm.errors.NotDiscreteError:
            formula = "not discrete"
        formulas[str(formula)] = formulas.get(str(formula), 0) + 1
    print(f"JAX, {seeds} seeds at once, {time.perf_counter() - start:.1f} s:")
    for formula, count in sorted(formulas.items(), key=lambda item: -item[1]):
        low, high = wilson(count, seeds)
        print(f"  {count:2d} of {seeds} (95 % interval {low:.2f} to {high:.2f}): {formula}")


if __name__ == "__main__":
    main()
