"""`make demo`: learn a formula, run a published benchmark at full size, find a law in a table."""

import subprocess
import sys
import time
from pathlib import Path

import torch

import nalm


def main():
    learn_a_formula()
    benchmark()
    find_a_law()


def learn_a_formula():
    print("Target: (a + b) * (a + b + c + d), shown only for inputs between 1 and 2.")
    torch.manual_seed(0)
    start = time.perf_counter()
    net = torch.nn.Sequential(nalm.torch.NAU(4, 2), nalm.torch.NMU(2, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for step in range(4000):
        x = 1 + torch.rand(128, 4)
        target = (x[:, 0] + x[:, 1]) * x.sum(dim=1)
        loss = torch.nn.functional.mse_loss(net(x)[:, 0], target)
        if step > 2000:
            loss = loss + 0.1 * nalm.torch.penalties(net)["discretise"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        nalm.torch.constrain_(net)
    (formula,) = nalm.torch.formula(net, ["a", "b", "c", "d"])
    print(f"Learnt in {time.perf_counter() - start:.1f} s: {formula}")
    with torch.no_grad():
        learnt = net(torch.tensor([[1000.0, -20.0, 3.5, 0.0]])).item()
    print(f"At (1000, -20, 3.5, 0): network {learnt:.7g}, target {980 * 983.5:.7g}.\n")


def benchmark():
    units = ["nmu", "snmu", "nalu", "real_npu"]
    print(
        f"The single module benchmark for multiplication, at published size: {', '.join(units)},"
        " 9 ranges, 25 seeds, 50,000 steps each."
    )
    start = time.perf_counter()
    results = nalm.bench(
        "single-module", units=units, ops=["mul"], out="results/demo", progress=True
    )
    print(results)
    print(
        f"{time.perf_counter() - start:.1f} s. Results in results/demo; a second run reads them.\n"
    )


def find_a_law():
    table = Path(__file__).with_name("double_stars.csv")
    print(
        f"The law in a table of double stars: nalm fit {table.name} --target period_years",
        flush=True,
    )
    command = [sys.executable, "-m", "nalm", "fit", str(table), "--target", "period_years"]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
