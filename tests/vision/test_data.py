"""Pictures: found in a folder, the cache or on a server, and never read if they are damaged."""

import gzip
import hashlib
import struct
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold

from nalm.errors import InputError, UnknownNameError
from nalm.vision import mnist_files
from nalm.vision.data import Images, digits, load, mnist
from nalm.vision.idx import read_idx
from nalm.vision.mnist_files import File, copy_to_cache
from nalm.vision.pairs import all_pairs, drawn, fold_of, pair_samples


def idx(array: np.ndarray) -> bytes:
    shape = struct.pack(f">{array.ndim}I", *array.shape)
    return bytes([0, 0, 8, array.ndim]) + shape + array.astype(np.uint8).tobytes()


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.integers(0, 9))
def test_an_idx_file_is_read_as_it_was_written(shape, seed):
    array = np.random.default_rng(seed).integers(0, 256, shape)
    assert np.array_equal(read_idx(idx(array), "it"), array)


@pytest.mark.parametrize(
    "data",
    [b"", b"\0\0\x08", b"\0\0\x0d\1\0\0\0\1abcd", b"\0\0\x08\0", b"\0\0\x08\2\0\0\0\1", b"PK\3\4"],
)
def test_what_is_no_idx_file_is_refused(data):
    with pytest.raises(InputError, match=r"^labels is an idx file .* [Ff]etch it again"):
        read_idx(data, "labels")


@pytest.mark.parametrize("change", [-1, 1])
def test_a_file_of_another_length_is_refused(change):
    data = idx(np.zeros((3, 2, 2)))
    with pytest.raises(InputError, match=f"so 12 bytes; it has {12 + change}"):
        read_idx(data[:-1] if change < 0 else data + b"x", "pictures")


def test_pictures_and_labels_belong_together():
    pixels = np.zeros((3, 4, 4), np.uint8)
    with pytest.raises(InputError, match="3 pictures and labels of shape"):
        Images(pixels, np.zeros(2, np.uint8))
    with pytest.raises(InputError, match="received 12"):
        Images(pixels, np.full(3, 12, np.uint8))
    with pytest.raises(InputError, match="square"):
        Images(pixels[:, :3], np.zeros(3, np.uint8))


def test_the_small_digits_are_all_there_and_no_test_picture_is_trained_on():
    data = digits()
    assert (len(data.train.pixels), len(data.test.pixels)) == (1347, 450)
    assert set(data.train.labels) == set(data.test.labels) == set(range(10))
    seen = {picture.tobytes() for picture in data.train.pixels}
    assert not seen & {picture.tobytes() for picture in data.test.pixels}
    normal = (data.train.pixels / 255 - data.mean) / data.std
    assert abs(normal.mean()) < 1e-9
    assert abs(normal.std() - 1) < 1e-9
    with pytest.raises(UnknownNameError, match="Did you mean 'digits'"):
        load("digit")


@pytest.mark.parametrize("first", [0, 1])
def test_folds_are_those_of_scikit_learn(first):
    pairs = all_pairs(first)
    folds = KFold(10, shuffle=True, random_state=np.random.RandomState(0)).split(pairs)
    for i, (train, test) in enumerate(folds):
        fold = fold_of(first, 10, i)
        assert np.array_equal(fold.train, pairs[train])
        assert np.array_equal(fold.test, pairs[test])


def test_samples_show_their_digits_and_test_pairs_are_new():
    samples = pair_samples(digits(), 0, 10, 3, 4)
    for images, part in ((digits().train, samples.train), (digits().test, samples.test)):
        assert np.array_equal(images.labels[part.pictures], part.digits)
    train, test = ({tuple(pair) for pair in part.digits} for part in samples)
    assert len(train) == 90
    assert len(test) == 10
    assert not train & test
    again = pair_samples(digits(), 0, 10, 3, 4)
    assert np.array_equal(again.train.pictures, samples.train.pictures)
    rng = np.random.default_rng(0)
    assert len(np.unique(drawn(digits().train, np.array([[3, 3]]), 500, rng).pictures)) > 90


# --- the files of MNIST ------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch, tmp_path):
    """A tiny MNIST with its own checksums, on a server; nothing else can be reached."""
    rng = np.random.default_rng(0)
    contents = {
        "train-images-idx3-ubyte": idx(rng.integers(0, 256, (20, 28, 28))),
        "train-labels-idx1-ubyte": idx(np.arange(20) % 10),
        "t10k-images-idx3-ubyte": idx(rng.integers(0, 256, (10, 28, 28))),
        "t10k-labels-idx1-ubyte": idx(np.arange(10)),
    }
    files = {n: File(len(d), hashlib.sha256(d).hexdigest()) for n, d in contents.items()}
    monkeypatch.setattr(mnist_files, "FILES", files)
    monkeypatch.setattr("nalm.vision.data.FILES", files)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("NALM_DATA", raising=False)
    served = tmp_path / "served"
    served.mkdir()
    for name, data in contents.items():
        (served / f"{name}.gz").write_bytes(gzip.compress(data))
    mnist.cache_clear()
    yield served
    mnist.cache_clear()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format, *args):  # noqa: A002 (as it is named there)
        pass


@pytest.fixture
def server(small, monkeypatch):
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(small))) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{serving.server_port}"
        monkeypatch.setattr(mnist_files, "SERVERS", ("http://127.0.0.1:1", address))
        yield small
        serving.shutdown()


def test_mnist_is_downloaded_once_and_then_in_the_cache(server, monkeypatch):
    told = []
    mnist_files.mnist_files(lambda *news: told.append(news))
    assert {name for name, *_ in told} == set(mnist_files.FILES)
    assert all(done == total for _, done, total in told)
    monkeypatch.setattr(mnist_files, "SERVERS", ("http://127.0.0.1:1",))
    data = mnist()
    assert data.train.pixels.shape == (20, 28, 28)
    assert data.test.labels.tolist() == list(range(10))


def test_offline_an_error_names_the_files_the_folder_and_what_needs_no_download(small, monkeypatch):
    monkeypatch.setattr(mnist_files, "SERVERS", ("http://127.0.0.1:1",))
    with pytest.raises(InputError) as found:
        mnist()
    for said in (*mnist_files.FILES, str(mnist_files.cache_folder()), "NALM_DATA", "'digits'"):
        assert said in str(found.value)


def test_a_server_that_sends_something_else_is_not_believed(server):
    (server / "t10k-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx(np.zeros(10))))
    with pytest.raises(InputError, match="is not the file t10k-labels-idx1-ubyte of MNIST"):
        mnist()
    assert not mnist_files.cache_folder().exists()


def test_a_folder_is_used_with_compressed_or_plain_files(small, monkeypatch):
    name = "t10k-images-idx3-ubyte"
    plain = gzip.decompress((small / f"{name}.gz").read_bytes())
    (small / f"{name}.gz").unlink()
    (small / name).write_bytes(plain)
    monkeypatch.setenv("NALM_DATA", str(small))
    assert mnist().test.side == 28
    monkeypatch.delenv("NALM_DATA")
    mnist.cache_clear()
    copy_to_cache(small)
    assert mnist().train.pixels.shape == (20, 28, 28)


@pytest.mark.parametrize("harm", ["cut", "changed", "missing"])
def test_a_damaged_file_is_named(small, harm):
    path = small / "train-images-idx3-ubyte.gz"
    data = path.read_bytes()
    if harm == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif harm == "changed":
        path.write_bytes(gzip.compress(gzip.decompress(data)[:-1] + b"x"))
    else:
        path.unlink()
    with pytest.raises(InputError, match="train-images-idx3-ubyte"):
        copy_to_cache(small)
    assert not mnist_files.cache_folder().exists()
