"""A network sees two pictures and is told their product only: its NMU learns the formula.

Put pictures and results of your own in the place of `samples`.
"""

import sys

import torch
from safetensors.torch import save_file

import nalm
from nalm.vision import DigitReader, Images, PictureNetwork, digits


def samples(images: Images, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    chosen = torch.randint(len(images.pixels), (count, 2))
    pixels = torch.from_numpy(images.pixels)[chosen].flatten(0, 1).unsqueeze(1) / 255
    return pixels, torch.from_numpy(images.labels)[chosen].prod(-1).float()


steps = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
torch.manual_seed(0)
data = digits()
network = PictureNetwork(DigitReader(side=8), nalm.torch.NMU(2, 1), digits=2)
optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
for step in range(steps):
    pixels, products = samples(data.train, 64)
    loss = (network(pixels)[1] - products).square().mean()
    if step > steps // 5:  # first the pictures, then whole weights
        loss = loss + 10 * nalm.torch.penalties(network)["discretise"]
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    nalm.torch.constrain_(network)

pixels, products = samples(data.test, 500)
read, results = network.eval()(pixels)
right = (results.round() == products).float().mean().item()
print(f"The unit computes {nalm.torch.formula(network.head, ['a', 'b'])[0]}.")
print(f"It read {read[0].tolist()}; the product is {products[0]:.0f}.")
print(f"{right:.0%} of 500 products of new pictures are right when rounded.")
nalm.torch.save(network.head, "unit.safetensors")
save_file(network.reader.state_dict(), "reader.safetensors")
