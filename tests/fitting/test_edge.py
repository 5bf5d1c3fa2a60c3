"""The edge test: a formula that imitates the law inside fails outside."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

import nalm
from nalm.fitting.edge import edge_test
from nalm.fitting.tree import Input, Sum

X = np.random.default_rng(0).uniform(1, 3, (100, 2))
Y = X[:, 0] ** 2


def test_the_true_law_is_as_good_outside_and_an_imitation_is_not():
    law = nalm.fit(X, Y)
    edge = edge_test(law, X, Y)
    assert edge is not None
    assert (edge.outer_rows, edge.inner_rows, edge.refitted) == (10, 90, "")
    assert max(edge.outer_error, edge.inner_error) < 1e-14
    line = replace(law, tree=Sum(((4.0, Input(0)),), -4.0))
    imitation = edge_test(line, X, Y)
    assert imitation is not None
    assert imitation.outer_error > 2 * imitation.inner_error > 0
    assert "measured numbers" in imitation.refitted
    assert edge_test(replace(law, tree=Sum((), Fraction(1))), X, Y) is None
    assert edge_test(law, X[:10], Y[:10]) is None
