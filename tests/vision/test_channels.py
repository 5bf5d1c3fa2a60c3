"""Two digits in one picture: found, moved and read, each step beside a slow reference."""

import numpy as np
import pytest
import torch

import nalm
from nalm.errors import InputError
from nalm.training.packing import pack
from nalm.training.run import Run
from nalm.training.saving import Saving
from nalm.vision import ChannelReader, DigitChannels, ThinPlateSpline
from nalm.vision.networks import control_grid
from nalm.vision.placing import enlarged, placed, shown, turned

TASK = DigitChannels("mul", data="digits", each=2, through_one=True)


def sizes(network: torch.nn.Module) -> list[int]:
    parts = [list(part.parameters(recurse=False)) for part in network.modules()]
    return [sum(p.numel() for p in part) for part in parts if part]


def test_the_networks_have_the_published_numbers_of_parameters():
    find = [1_020, 10_020, 10_272, 1_056]
    assert sizes(ChannelReader()) == [*find, *find, 608, 18_496, 524_416, 1_290]


def slow_spline(points: np.ndarray, moved: np.ndarray, pixel: np.ndarray) -> np.ndarray:
    """Return the source of one pixel: the spline through the moved points, solved anew."""

    def bent(a, b):
        r = np.hypot(*(a - b))
        return r**2 * np.log(r) if r else 0.0

    n = len(points)
    system = np.zeros((n + 3, n + 3))
    for i in range(n):
        for j in range(n):
            system[i, j] = bent(points[i], points[j])
        system[i, n:] = system[n:, i] = [1, *points[i]]
    weights = np.linalg.solve(system, np.vstack([moved, np.zeros((3, 2))]))
    row = [*(bent(pixel, point) for point in points), 1, *pixel]
    return np.array(row) @ weights


def test_the_spline_is_that_of_a_slow_reference():
    rng = np.random.default_rng(0)
    points = control_grid().double().numpy()
    moved = points + rng.normal(0, 0.2, points.shape)
    found = ThinPlateSpline(6, control_grid())(torch.tensor(moved[None], dtype=torch.float32))[0]
    line = np.linspace(-1, 1, 6)
    for i, j in ((0, 0), (0, 5), (2, 3), (5, 1)):
        wanted = slow_spline(points, moved, np.array([line[j], line[i]]))
        np.testing.assert_allclose(found[i, j].numpy(), wanted, atol=1e-4)


def slow_sample(picture: np.ndarray, sources: np.ndarray) -> np.ndarray:
    """Return bilinear samples; a coordinate of -1 is the left edge of the first pixel."""
    side = len(picture)
    found = np.zeros(sources.shape[:2])
    for i in range(side):
        for j in range(side):
            x, y = ((sources[i, j] + 1) * side - 1) / 2
            for row in (int(np.floor(y)), int(np.floor(y)) + 1):
                for column in (int(np.floor(x)), int(np.floor(x)) + 1):
                    if 0 <= row < side and 0 <= column < side:
                        share = (1 - abs(y - row)) * (1 - abs(x - column))
                        found[i, j] += share * picture[row, column]
    return found


def test_pictures_are_moved_as_a_slow_reference_moves_them():
    torch.manual_seed(0)
    reader = ChannelReader()
    pictures = torch.randn(2, 2, 42, 42)
    with torch.no_grad():
        moved = reader.moved(pictures)
        sources = reader.spline(reader.find[1](pictures))
    wanted = slow_sample(pictures[1, 0].double().numpy(), sources[1].double().numpy())
    np.testing.assert_allclose(moved[3, 0].numpy(), wanted, atol=2e-3)


def test_the_identity_start_is_the_identity():
    reader = ChannelReader(identity=True)
    pictures = torch.randn(3, 2, 42, 42)
    with torch.no_grad():
        sources = reader.spline(reader.find[0](pictures))
        torch.testing.assert_close(
            sources, reader.spline.pixels.expand_as(sources), atol=2e-5, rtol=0
        )
    drawn = ChannelReader()
    assert not torch.allclose(drawn.spline(drawn.find[0](pictures)), reader.spline.pixels, atol=0.1)


def test_both_digits_are_read_by_the_same_classifier():
    torch.manual_seed(0)
    reader = ChannelReader(identity=True).eval()
    logits = reader(torch.randn(4, 2, 42, 42))
    assert logits.shape == (4, 2, 10)
    torch.testing.assert_close(logits[:, 0], logits[:, 1])  # nothing is moved yet


def test_digits_are_turned_scaled_and_placed():
    digit = torch.zeros(1, 28, 28)
    digit[0, 4:8, 12:16] = 1.0  # above the middle
    same = turned(digit, torch.zeros(1), torch.ones(1))
    assert torch.equal(same, digit)
    quarter = turned(digit, torch.tensor([90.0]), torch.ones(1))
    assert quarter[0, 12:16].sum() > 14
    assert quarter[0, :8].sum() == 0
    half = turned(digit, torch.zeros(1), torch.tensor([0.5]))
    assert 3 <= half.sum() <= 5
    canvas = placed(digit, torch.tensor([13]), torch.tensor([2]))
    assert torch.equal(canvas[0, 2:30, 13:41], digit[0])
    assert canvas.sum() == digit.sum()
    torch.manual_seed(0)
    pixels = torch.full((5, 2, 28, 28), 255, dtype=torch.uint8)
    first, second = (shown(pixels, 1 / 255, 0.0) for _ in range(2))
    assert first.shape == (5, 2, 42, 42)
    assert not torch.equal(first, second)
    assert enlarged(torch.zeros(3, 8, 8, dtype=torch.uint8)).shape == (3, 28, 28)


def test_a_run_is_trained_and_goes_on_to_the_same_bits():
    model = nalm.unit("snmu", 2, 1, noise_range="batch")
    recipe = TASK.usual_recipe(model).replace(steps=6, log_every=3, batch=16, evaluation=40)
    run = Run(model, TASK, recipe, 2)
    states: list[bytes] = []
    whole = run.trainer.train([run], lambda *_: None, Saving(states.append))
    again = run.trainer.train([run], lambda *_: None, Saving(lambda _: None, found=states[0]))
    assert pack(whole) == pack(again)
    assert whole[0].series["test output rounded"].shape == (3,)
    assert whole[0].arrays["confusion"].sum() == 80


def test_the_default_recipe_is_the_published_one():
    recipe = DigitChannels("mul").usual_recipe(nalm.unit("nmu", 2, 1))
    assert (recipe.steps, recipe.batch) == (241_000, 256)
    with pytest.raises(InputError, match="identity is True or False"):
        DigitChannels("mul", identity=1)
