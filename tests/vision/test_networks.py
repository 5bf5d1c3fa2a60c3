"""Networks: the published sizes, and every shortcut beside what it is short for."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import nalm
from nalm.errors import InputError
from nalm.vision import ByteDropout, DigitReader, PictureNetwork, softargmax
from nalm.vision.heads import head_of, penalties_of, weights_of


def sizes(network: torch.nn.Module) -> list[int]:
    """Return the number of parameters of each layer."""
    parts = [list(part.parameters(recurse=False)) for part in network.modules()]
    return [sum(p.numel() for p in part) for part in parts if part]


def test_the_reader_has_the_published_number_of_parameters():
    assert sizes(DigitReader(28)) == [320, 18_496, 1_179_776, 1_290]
    assert sizes(DigitReader(28, classes=9))[-1] == 1_161
    assert sizes(DigitReader(8))[2] == 256 * 128 + 128


def plain(reader: DigitReader, pictures: torch.Tensor) -> torch.Tensor:
    """Return what the reader computes, as published: ReLU before pooling, channels first."""
    h = torch.relu(reader.conv1(pictures.contiguous()))
    h = torch.nn.functional.max_pool2d(torch.relu(reader.conv2(h)), 2)
    side = h.shape[-1]
    weight = reader.fc1.weight.view(-1, side, side, 64).permute(0, 3, 1, 2).flatten(1)
    h = torch.nn.functional.linear(h.flatten(1), weight, reader.fc1.bias)
    return reader.fc2(torch.relu(h))


@pytest.mark.parametrize("side", [8, 28])
def test_the_fast_reader_gives_the_numbers_and_gradients_of_the_published_one(side):
    torch.manual_seed(0)
    reader = DigitReader(side).eval()
    pictures = torch.randn(6, 1, side, side)
    grads = []
    for forward in (lambda: reader(pictures), lambda: plain(reader, pictures)):
        reader.zero_grad()
        logits = forward()
        logits.square().sum().backward()
        grads.append([logits.detach(), *(p.grad.clone() for p in reader.parameters())])  # pyright: ignore[reportOptionalMemberAccess]
    for fast, slow in zip(*grads, strict=True):
        torch.testing.assert_close(fast, slow, rtol=1e-4, atol=1e-4)


def test_logits_are_float32_at_a_lower_precision():
    torch.manual_seed(0)
    lower = DigitReader(8, precision="bfloat16").eval()
    pictures = torch.randn(4, 1, 8, 8)
    logits = lower(pictures)
    assert logits.dtype == torch.float32
    torch.testing.assert_close(logits, plain(lower, pictures), rtol=0.1, atol=0.05)
    assert not torch.equal(logits, plain(lower, pictures))


@given(st.integers(0, 99), st.sampled_from([0, 1]))
def test_softargmax_is_the_mean_digit(seed, first):
    logits = np.random.default_rng(seed).normal(0, 5, (3, 10 - first))
    shares = np.exp(logits - logits.max(-1, keepdims=True))
    wanted = (shares / shares.sum(-1, keepdims=True)) @ np.arange(first, 10)
    found = softargmax(torch.tensor(logits, dtype=torch.float32), first)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5, atol=1e-6)


def test_softargmax_is_exact_where_one_digit_is_certain_and_is_float32():
    logits = torch.zeros(1, 10, dtype=torch.bfloat16)
    logits[0, 7] = 60
    assert softargmax(logits).tolist() == [7.0]
    assert softargmax(logits).dtype == torch.float32


@pytest.mark.parametrize("share", [0.25, 0.5])
@pytest.mark.parametrize("last", [False, True], ids=["plain layout", "channels last"])
def test_dropout_by_bytes_drops_its_share_and_keeps_the_mean(share, last):
    torch.manual_seed(1)
    x = torch.ones(40, 16, 12, 12)
    x = x.contiguous(memory_format=torch.channels_last) if last else x
    y = ByteDropout(share)(x)
    assert y.unique().tolist() == [0.0, pytest.approx(1 / (1 - share))]
    assert (
        abs(float((y == 0).float().mean()) - share) < 5 * (share * (1 - share) / x.numel()) ** 0.5
    )
    places = (y == 0).float().mean(0)  # every place is dropped now and then
    assert 0 < places.min() <= places.max() < 1
    assert ByteDropout(share).eval()(x) is x
    with pytest.raises(InputError, match="multiple of 1/256"):
        ByteDropout(0.3)


@given(st.floats(0, 10, width=32), st.floats(0, 10, width=32))
def test_the_published_order_of_the_sum_is_what_the_unit_sees(a, b):
    head = head_of(nalm.unit("nmu", 2, 1), "mul").eval()
    network = PictureNetwork(torch.nn.Identity(), head, 2, 0, through_one=True)
    x, W = torch.tensor([[a, b]]), torch.ones(1, 2)
    published = ((x * W + 1) - W).prod(-1)
    assert torch.equal(network.compute(x), published)


def test_the_orders_differ_where_a_zero_is_read():
    head = head_of(nalm.unit("nmu", 2, 1), "mul").eval()
    nearly = torch.tensor([[1e-9, 7.0]])
    for through_one, wanted in ((True, 0.0), (False, 7e-9)):
        network = PictureNetwork(torch.nn.Identity(), head, 2, 0, through_one=through_one)
        assert network.compute(nearly).tolist() == [pytest.approx(wanted, rel=1e-5, abs=0)]


def test_a_given_unit_is_exact_and_not_trained():
    head = head_of(nalm.unit("nru", 2, 1), "div")
    assert not any(p.requires_grad for p in head.parameters())
    assert head(torch.tensor([[8.0, 4.0]])).tolist() == [[2.0]]
    assert weights_of(nalm.unit("nru", 2, 1), head)["weight"].tolist() == [[1.0, -1.0]]


def test_penalties_are_those_of_the_unit():
    model = nalm.unit("nmu", 2, 1)
    head = head_of(model)
    x = torch.full((5, 2), 3.0)
    params = {name: p.detach() for name, p in head.named_parameters()}
    for name, value in model.penalties(params, x).items():
        assert penalties_of(head, x)[name].item() == pytest.approx(value.item())
    large = nalm.unit("mlp", 2, 1, hidden=(64,))
    assert weights_of(large, head_of(large)) == {}
    layer = head_of(large)
    penalties_of(layer, None)["weight_decay"].backward()  # its gradient is the weight itself
    for parameter in layer.parameters():
        torch.testing.assert_close(parameter.grad, parameter.detach())
