"""The short version of the campaigns in benchmarks/faults: inputs and files by the thousand."""

import random
from pathlib import Path

import pytest
from benchmarks.faults.damage import Kind, damaged, kinds
from benchmarks.faults.fuzz import fuzz
from benchmarks.faults.outcomes import outcome
from benchmarks.faults.readers import readers

from nalm.errors import WorkerError
from nalm.sweeps.executors import Local

INPUTS, FILES = 1200, 400


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("faults")


@pytest.fixture(scope="module")
def files(folder) -> tuple[Kind, ...]:
    return kinds(folder)


def refuse(*_):
    raise WorkerError("Nothing is trained here.")


@pytest.mark.slow
def test_every_input_is_read_or_refused_in_one_sentence(folder, monkeypatch):
    found = readers(folder)
    monkeypatch.setattr(Local, "execute", refuse)
    total = sum(reader.share for reader in found)
    failures = []
    for reader in found:
        tally = fuzz(reader, max(5, round(INPUTS * reader.share / total)))
        assert tally.counts.total() >= 5
        failures += [f"{reader.name}: {reason}" for reason in tally.failures]
    assert failures == []


@pytest.mark.slow
def test_every_damaged_file_is_refused_or_read_as_it_was(tmp_path, files):
    rng = random.Random(0)
    place = tmp_path / "damaged"
    place.mkdir()
    failures = {}
    for kind in files:
        good, file = kind.good.read_bytes(), place / kind.good.name
        for number in range(round(FILES * kind.share / 10)):
            for leftover in place.iterdir():
                leftover.unlink()
            file.write_bytes(damaged(good, rng))
            _, failure = outcome(kind.check, file, 20)
            if failure:
                failures[kind.name, number] = failure
    assert failures == {}


def test_a_file_that_is_not_damaged_passes_and_one_of_others_does_not(files):
    law = files[0]
    for kind in files:
        assert outcome(kind.check, kind.good, 5) == ("read", None)
    other = law.good.with_name("other.json")
    text = law.good.read_text().split("\n")
    other.write_text("\n".join(line for line in text if "sha256" not in line).replace("a", "b", 1))
    came, failure = outcome(law.check, other, 5)
    assert came == "refused" or "another law" in str(failure)


def test_outcomes_tell_hangs_and_tracebacks():
    def hang(_):
        while True:
            pass

    assert "more than 0.1 s" in str(outcome(hang, None, 0.1)[1])
    assert "ZeroDivisionError" in str(outcome(lambda x: 1 / x, 0, 1)[1])
    assert "letters" in str(outcome(lambda _: _raise(WorkerError("a\nb")), 0, 1)[1])


def _raise(error):
    raise error
