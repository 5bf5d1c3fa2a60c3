"""What is fuzzed: every reader and public function, each with its inputs."""

import io
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.faults import strategies as made
from benchmarks.faults.stores import sample_store, with_cell
from hypothesis import strategies as st

import nalm
from nalm.cli import app, choices
from nalm.errors import WorkerError
from nalm.experiments.catalogue import EXPERIMENTS
from nalm.experiments.selection import Selection
from nalm.fitting.tables.reading import read_table
from nalm.report.results import read_results
from nalm.sweeps.executors import Local
from nalm.sweeps.models import made as model_of
from nalm.sweeps.seeds import seed_list
from nalm.tasks import Task, parse, range_pair, single_module
from nalm.training import Decay, Growth, Ramp, Recipe
from nalm.training.description import decode, encode
from nalm.training.published import published_recipe
from nalm.units import REGISTRY


@dataclass(frozen=True)
class Reader:
    """Something that reads what others wrote, with inputs for it."""

    name: str
    share: float
    """Its share of all inputs; those that take long have a small one."""
    inputs: st.SearchStrategy[Any]
    read: Callable[[Any], object]
    seconds: float = 20.0
    """How long one input may take."""


def train_nothing() -> None:
    """Let every sweep of this process end where its training would begin."""

    def execute(self: Local, orders: Any, watch: Any) -> Any:  # noqa: ARG001 (as every executor)
        raise WorkerError("Nothing is trained here.")

    Local.execute = execute


class Samples:
    """Valid files and values, from which others are made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def law(self) -> nalm.Law:
        x = np.random.default_rng(0).uniform(1, 3, (60, 2))
        noise = np.random.default_rng(1).normal(0, 0.1, 60)
        return nalm.fit(x, 9.81 * x[:, 0] / x[:, 1] + noise, ["a", "b"], max_time=2)

    @cached_property
    def law_json(self) -> list[Any]:
        self.law.save(self.folder / "law.json")
        whole = json.loads((self.folder / "law.json").read_text())
        return [whole, {key: item for key, item in whole.items() if key != "sha256"}]

    @cached_property
    def model_bytes(self) -> bytes:
        stack = nalm.Stack((nalm.unit("nau", 3, 2), nalm.unit("nru", 2, 1)))
        nalm.save(stack, self.folder / "model", stack.init(np.random.default_rng(0)))
        return (self.folder / "model").read_bytes()

    @cached_property
    def descriptions(self) -> list[Any]:
        stack = nalm.Stack((nalm.unit("nau", 3, 2), nalm.unit("nru", 2, 1)))
        recipe = Recipe(decay=Decay(100), penalties=(("l1", Growth(1e-9, 1e-7)),))
        ramp = Recipe(penalties=(("discretise", Ramp(10.0, 1, 2)),))
        task = Task("eq", 2, "1..9", "U[1,2)|U[3,4)")
        values = [stack, single_module("mul"), task, recipe, ramp, published_recipe("npu", "div")]
        return [json.loads(json.dumps(encode(value))) for value in values]

    def written(self, name: str, data: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(data)
        return path


class Calls:
    """What is called with inputs; what is read is also used."""

    def __init__(self, samples: Samples) -> None:
        self.samples, self.folder = samples, samples.folder

    def table(self, data: bytes) -> object:
        return read_table(io.BufferedReader(io.BytesIO(data)), drop_missing=bool(len(data) % 2))

    def law_file(self, data: bytes) -> object:
        path = self.samples.written("fuzzed.json", data)
        (read,) = nalm.ArithmeticRegressor.load(path).laws_
        return self._used(read, np.ones((2, len(read.names))))

    def _used(self, law: nalm.Law, x: np.ndarray) -> object:
        law.save(self.folder / "again.json")
        assert nalm.Law.load(self.folder / "again.json") == law
        return str(law), law.latex(), law.predict(x)

    def fit(self, given: tuple[np.ndarray, np.ndarray]) -> object:
        return self._used(nalm.fit(*given, max_time=0.1), given[0])

    def model(self, data: bytes) -> object:
        return nalm.load(self.samples.written("fuzzed", data))

    def label(self, text: str) -> object:
        train, test = range_pair(text)
        assert parse(train.label) == train
        return train.label, test.label, train.reaches_zero, parse(text)

    def words(self, given: tuple[str, str]) -> object:
        return choices.split(given[0]), choices.seeds(given[1]), choices.numbers(given[1])

    def task_of_table(self, given: tuple[Any, Any, Any]) -> object:
        (x, y), share, names = given
        return Task.from_table(x, y, test=share, names=names)

    def unit(self, given: tuple[Any, Any, Any, dict[str, Any]]) -> object:
        return nalm.unit(given[0], given[1], given[2], **given[3])

    def called(self, given: tuple[str, Any, Any]) -> object:
        unit = nalm.unit(given[0], 2, 1)
        params = dict.fromkeys(unit.parameters, given[1])
        with np.errstate(all="ignore"):
            return unit(unit.init(np.random.default_rng(0)), given[2]), unit(params, given[2])

    def command(self, words: list[str]) -> object:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            sys.stdin = io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n2,4\n3,6\n"))
            try:
                return app(words)
            except SystemExit as end:
                if end.code not in (None, 0, 1, 2, 130):
                    raise AssertionError(f"exit code {end.code}") from None
                return None

    def trained(self, given: tuple[Any, Any, Any, Any]) -> object:
        model, recipe, seeds, workers = given
        return nalm.train(model, single_module("mul"), recipe, seeds=seeds, workers=workers)

    def bench(self, given: tuple[Any, Any, Any, Any]) -> object:
        units, ops, ranges, seeds = given
        folder = self.folder / "bench"
        return nalm.bench("division", units=units, ops=ops, ranges=ranges, seeds=seeds, out=folder)


def readers(folder: Path) -> tuple[Reader, ...]:
    """Return everything that is fuzzed; files are written into the folder."""
    samples = Samples(folder)
    calls = Calls(samples)
    calls.law_file(json.dumps(samples.law_json[0]).encode())  # what is imported late is not timed
    return (*_of_files(samples, calls), *_of_texts(calls), *_of_values(samples, calls))


def _of_files(samples: Samples, calls: Calls) -> tuple[Reader, ...]:
    laws = samples.law_json
    model = samples.model_bytes
    start = 8 + int.from_bytes(model[:8], "little")
    header = json.loads(model[8:start])
    described = json.loads(header.pop("__metadata__")["nalm"])

    def with_description(value: Any) -> bytes:
        metadata = {"nalm": made.texts_of_json(value)}
        return made.safetensors_bytes(metadata, header, model[start:])

    law_values = made.changed(laws, made.json_values).map(made.texts_of_json).map(str.encode)
    model_values = made.changed([described], made.json_values).map(with_description)
    stores = with_cell(sample_store(samples.folder / "store"))
    return (
        Reader("CSV", 22, made.csv_bytes(), calls.table),
        Reader("law, changed values", 12, law_values, calls.law_file),
        Reader("law, changed bytes", 6, made.cut(json.dumps(laws[1]).encode()), calls.law_file),
        Reader("model, changed bytes", 6, made.cut(model), calls.model),
        Reader("model, changed description", 8, model_values, calls.model),
        Reader("store, changed values", 1.5, stores, read_results),
    )


def _of_texts(calls: Calls) -> tuple[Reader, ...]:
    fields = st.lists(made.assignments, max_size=3)
    known = (
        "fit", "-", "units", "experiments", "report", "bench", "--json", "--seeds", "--set",
        "--units", "--target", "--max-time", "0.05", "division",
    )  # fmt: skip
    commands = st.lists(st.one_of(st.sampled_from(known), made.texts, made.options), max_size=5)
    return (
        Reader("range", 10, made.labels, calls.label),
        Reader("unit with options", 8, made.options, lambda text: model_of(text, 2)),
        Reader("lists of words", 3, st.tuples(made.labels, made.seed_texts), calls.words),
        Reader("--set", 4, fields, lambda texts: Recipe().with_options(choices.changes(texts))),
        Reader("command line", 1.5, commands, calls.command),
    )


def _of_values(samples: Samples, calls: Calls) -> tuple[Reader, ...]:
    some, mostly = made.values, made.mostly
    names = st.one_of(made.texts, st.sampled_from(sorted(REGISTRY)))
    several = st.one_of(st.none(), some, st.lists(names, max_size=2))
    small = mostly(st.integers(1, 4))
    operations = mostly(st.sampled_from(("add", "mul", "div", "sub", "eq", "nand", "reciprocal")))
    ranges = mostly(st.sampled_from(("U[1,2)", "U[-2,2)", "1..9 by 0.5", "B[10,100)", "S[0,1)")))
    matrices = mostly(made.tables().map(lambda table: table[0]))
    recipes = st.dictionaries(
        st.sampled_from(sorted(Recipe.__dataclass_fields__)), some, max_size=2
    )
    options = st.dictionaries(made.texts, some, max_size=1)
    wanted = dict.fromkeys(
        ("units", "ops", "ranges", "settings", "inputs"),
        st.lists(st.one_of(names, made.labels), max_size=2),
    )
    units = st.sampled_from(sorted(REGISTRY))
    tables = st.tuples(made.tables(), mostly(st.just(0.25)), some)
    return (
        Reader("seeds", 2, some, seed_list),
        Reader("description", 8, made.changed(samples.descriptions, made.json_values), decode),
        Reader("Recipe", 3, recipes, lambda given: Recipe(**given)),
        Reader("Task", 4, st.tuples(operations, small, ranges, ranges), lambda g: Task(*g).op),
        Reader("Task.from_table", 2, tables, calls.task_of_table),
        Reader("unit", 3, st.tuples(names, small, small, options), calls.unit),
        Reader("unit, called", 3, st.tuples(units, matrices, matrices), calls.called),
        Reader("Law.predict", 2, matrices, samples.law.predict),
        Reader("fit, odd arguments", 1, st.tuples(matrices, some), calls.fit),
        Reader("fit, tables", 2, made.tables(), calls.fit),
        Reader(
            "experiment", 0.5, st.fixed_dictionaries({}, optional=wanted),
            lambda given: Selection(**given).cells(EXPERIMENTS["division"]),
        ),
        Reader("train", 0.5, st.tuples(names, some, some, some), calls.trained),
        Reader("bench", 0.3, st.tuples(several, several, several, some), calls.bench),
    )  # fmt: skip
