"""`make bench`: what the array namespace costs, as ratios measured side by side.

For each pair the two sides alternate, and the median of the ratios is reported, so that a busy
machine slows both alike.
"""

import json
import statistics
import time

import jax
import jax.numpy as jnp
import torch

import nalm

REPEATS, CALLS = 15, 200


class HandWrittenNMU(torch.nn.Module):
    """The NMU as one would write it for PyTorch alone."""

    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = torch.nn.Parameter(0.25 + 0.5 * torch.rand(out_features, in_features))

    def forward(self, x):
        """Return the product of the selected inputs."""
        return torch.prod(self.weight * x.unsqueeze(-2) + (1 - self.weight), dim=-1)


def torch_step(layer, x):
    def step():
        layer.zero_grad()
        layer(x).sum().backward()

    return step


def jax_step(f, params, x):
    gradient = jax.jit(jax.grad(lambda p: jnp.sum(f(p, x))))
    return lambda: jax.block_until_ready(gradient(params))


def hand_written_jax(params, x):
    weight = params["weight"]
    return jnp.prod(weight * x[..., None, :] + (1 - weight), axis=-1)


def seconds(step):
    start = time.perf_counter()
    for _ in range(CALLS):
        step()
    return (time.perf_counter() - start) / CALLS


def ratio(ours, theirs):
    ours()
    theirs()
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(REPEATS)]
    return {
        "ratio": statistics.median(a / b for a, b in pairs),
        "ours_us": 1e6 * statistics.median(a for a, _ in pairs),
        "hand_written_us": 1e6 * statistics.median(b for _, b in pairs),
    }


def main():
    torch.set_num_threads(1)
    x = torch.rand(128, 10)
    unit = nalm.unit("nmu", 10, 1)
    params = unit.init(jax.random.key(0))
    x_jax = jnp.asarray(x.numpy())
    results = {
        "NMU step, PyTorch eager": ratio(
            torch_step(nalm.torch.NMU(10, 1), x), torch_step(HandWrittenNMU(10, 1), x)
        ),
        "NMU step, JAX jit": ratio(
            jax_step(unit, params, x_jax), jax_step(hand_written_jax, params, x_jax)
        ),
    }
    for name, row in results.items():
        print(
            f"{name}: {row['ratio']:.2f} x hand-written "
            f"({row['ours_us']:.0f} us, {row['hand_written_us']:.0f} us)"
        )
    print(json.dumps(results))


if __name__ == "__main__":
    main()
