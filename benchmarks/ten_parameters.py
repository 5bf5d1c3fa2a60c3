"""NAC, then NAC with exp and log, on the function of ten parameters, in plain PyTorch.

python benchmarks/ten_parameters.py [SEEDS]

Shares no code with nalm: it checks `nalm bench ten-parameters --units nac_mul`, which differs from
what is published. All seeds are trained at once; sums of losses keep their gradients apart.
"""

import sys

import torch

EPSILON = 1e-7
STEPS, EVERY, BATCH, EVALUATION = 200_000, 2000, 128, 10_000
THRESHOLD = 2.157e-6
RADII = 5.425508, 9.471406
"""Of the initial weights of both layers: 6 Var(r) = 2, and 5 Var(r) = 2 (Madsen and Johansen)."""


def weight(w_hat, m_hat):
    return torch.tanh(w_hat) * torch.sigmoid(m_hat)


def model(params, x):
    sums = x @ weight(params[0], params[1]).mT
    logarithms = torch.log(sums.abs() + EPSILON)
    return torch.exp(logarithms @ weight(params[2], params[3]).mT)[..., 0]


def target(x):
    return x[..., :2].sum(-1) * x.sum(-1)


def errors(params, x):
    """Return the mean squared error of each seed."""
    return ((model(params, x) - target(x)) ** 2).mean(-1)


def uniform(low, high, *shape):
    return low + (high - low) * torch.rand(*shape)


def main(seeds):
    torch.manual_seed(0)
    shapes = [(2, 4), (2, 4), (1, 2), (1, 2)]
    radii = [RADII[0], RADII[0], RADII[1], RADII[1]]
    params = [
        uniform(-r, r, seeds, *shape).requires_grad_()
        for r, shape in zip(radii, shapes, strict=True)
    ]
    optimizer = torch.optim.Adam(params, lr=1e-3)
    inside, outside = uniform(1, 2, 1, EVALUATION, 4), uniform(2, 6, 1, EVALUATION, 4)
    best = torch.full((seeds,), torch.inf)
    test = best.clone()
    for step in range(STEPS + 1):
        if step % EVERY == 0:
            with torch.no_grad():
                validation = errors(params, inside)
                better = validation < best
                best = torch.where(better, validation, best)
                test = torch.where(better, errors(params, outside), test)
        if step % 10_000 == 0:
            print(f"step {step:,}: {int((test < THRESHOLD).sum())} of {seeds} solved", flush=True)
        optimizer.zero_grad()
        errors(params, uniform(1, 2, seeds, BATCH, 4)).sum().backward()
        optimizer.step()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
