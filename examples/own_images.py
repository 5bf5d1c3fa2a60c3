"""A network that sees pictures and is told results only: its unit learns the formula.

Replace `samples` by your own pictures, two for each result. Here they are scikit-learn's digits,
and the results are their products.
"""

import sys

import torch
from safetensors.torch import save_file

import nalm
from nalm.vision import DigitReader, Images, PictureNetwork, digits


def samples(images: Images, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    pixels, labels = torch.from_numpy(images.pixels), torch.from_numpy(images.labels)
    chosen = torch.randint(len(pixels), (count, 2))
    return pixels[chosen].flatten(0, 1).unsqueeze(1).float() / 255, labels[chosen].float()


def main(steps: int = 3000) -> None:
    torch.manual_seed(0)
    network = PictureNetwork(DigitReader(side=8), nalm.torch.NMU(2, 1), digits=2)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for step in range(steps):
        pixels, shown = samples(digits().train, 64)
        loss = torch.nn.functional.mse_loss(network(pixels)[1], shown.prod(-1))
        if step > steps // 5:  # first the pictures, then whole weights
            loss = loss + 10 * nalm.torch.penalties(network)["discretise"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        nalm.torch.constrain_(network)

    pixels, shown = samples(digits().test, 500)
    read, results = network.eval()(pixels)
    right = (results.round() == shown.prod(-1)).float().mean().item()
    print(f"The unit computes {nalm.torch.formula(network.head, ['a', 'b'])[0]}.")
    print(f"It read {read[0].tolist()}; the digits are {shown[0].tolist()}.")
    print(f"{right:.0%} of 500 results of new pictures are right when rounded.")
    nalm.torch.save(network.head, "unit.safetensors")
    save_file(network.reader.state_dict(), "reader.safetensors")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
