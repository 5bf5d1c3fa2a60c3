"""Tables as tasks: rows for training and test, identified by their content."""

import numpy as np
import pytest

import nalm
from nalm.errors import InputError
from nalm.tasks import Task, threshold
from nalm.training import Recipe
from nalm.training.description import canonical, decode, decode_tables, encode, encode_tables
from nalm.training.engine.train import train_block
from nalm.training.run import Run

X = np.random.default_rng(0).uniform(1, 2, (40, 2))
Y = X.sum(axis=1)


def test_a_table_is_split_and_identified_by_its_content():
    task = Task.from_table(X, Y)
    train, test = task.tables().values()
    assert (len(train), len(test)) == (30, 10)
    assert sorted(map(tuple, np.vstack([train, test]))) == sorted(map(tuple, np.c_[X, Y]))
    assert task == Task.from_table(X.tolist(), list(Y))
    assert task != Task.from_table(X, Y, random_state=1)
    assert Task.from_table(X, Y, threshold=1e-3).threshold == 1e-3
    assert threshold(task) == pytest.approx(1e-6 * np.var(test[:, -1]))


def test_its_description_has_no_numbers_of_the_table():
    task = Task.from_table(X, Y)
    assert len(canonical(task)) < 500
    tables = decode_tables(encode_tables(task.tables()))
    assert decode(encode(task), tables) == task
    with pytest.raises(InputError, match="is not here"):
        decode(encode(task))


def test_named_test_rows():
    task = Task.from_table(X, Y, test=(X[:5] + 1, Y[:5] + 2), names=["a", "b"])
    assert [len(table) for table in task.tables().values()] == [40, 5]


def test_columns_have_names_in_a_dictionary_and_in_a_dataframe():
    pandas = pytest.importorskip("pandas")
    columns = {"mass": X[:, 0], "speed": X[:, 1].tolist()}
    named = Task.from_table(X, Y, names=["mass", "speed"])
    assert Task.from_table(columns, Y) == named
    assert Task.from_table(pandas.DataFrame(columns), Y) == named
    swapped = {"speed": X[:5, 1], "mass": X[:5, 0]}
    tested = Task.from_table(columns, Y, test=(swapped, Y[:5]))
    assert tested == Task.from_table(X, Y, test=(X[:5], Y[:5]), names=["mass", "speed"])


@pytest.mark.parametrize("path", ["fused", "plain"])
def test_a_table_trains_and_all_test_rows_count_alike(path):
    task = Task.from_table(X, Y)
    recipe = Recipe(learning_rate=0.05, steps=400, log_every=400, evaluation=1000)
    (curves,) = train_block([Run(nalm.unit("nau", 2, 1), task, recipe, 0)], path=path)
    assert curves.test[-1] < threshold(task)
    still = Recipe(learning_rate=1e-9, steps=1, log_every=1, evaluation=1000)
    (curves,) = train_block([Run(nalm.unit("nau", 2, 1), task, still, 0)], path=path)
    _, test = task.tables().values()
    errors = (test[:, :2] @ curves.final["weight"][0] - test[:, 2]) ** 2
    assert curves.test[-1] == pytest.approx(np.mean(errors), rel=1e-4)


@pytest.mark.parametrize(
    ("x", "y", "options", "message"),
    [
        (np.where(X > 1.9, np.nan, X), Y, {}, "X holds finite numbers; received nan"),
        ([["a", "b"]], [1], {}, "text or ragged"),
        ({"a": [1, 2], "b": [1]}, [1, 2], {}, "one number per row; received shapes"),
        ({}, [1, 2], {}, "one number per row; received shapes"),
        ({"a": ["x", "y"]}, [1, 2], {}, "^Column 'a' holds numbers"),
        ({"a": Y}, Y, {"test": ({"b": Y}, Y)}, r"by name; 'a' is missing"),
        ([[1, 2], [3]], [1, 2], {}, "text or ragged"),
        (X, Y[:-1], {}, "one result for each of the 40 rows"),
        (X[:2], Y[:2], {}, "at least 2 rows for training"),
        (X * 1e39, Y, {}, "at most 3.4e38"),
        (X[:, 0], Y, {}, "a table of rows and columns"),
        (X, Y, {"test": 1.5}, "between 0 and 1"),
        (X, Y, {"names": ["a"]}, "2 different names"),
        (X, Y, {"test": (X[:, :1], Y)}, "as many columns as X"),
    ],
)
def test_what_is_refused(x, y, options, message):
    with pytest.raises(InputError, match=message):
        Task.from_table(x, y, **options)
