"""The edge test: a formula that imitates the law inside fails outside."""

from fractions import Fraction

import numpy as np

import nalm
from nalm.fitting.evidence.edge_test import edge_test
from nalm.fitting.tree import Column, WeightedSum, constant

X = np.random.default_rng(0).uniform(1, 3, (100, 2))
Y = X[:, 0] ** 2


def test_the_true_law_is_as_good_outside_and_an_imitation_is_not():
    law = nalm.fit(X, Y)
    edge = edge_test(law.tree, X, Y)
    assert edge is not None
    assert (edge.outer_rows, edge.inner_rows, edge.refitted) == (10, 90, False)
    assert max(edge.outer_error, edge.inner_error) < 1e-14
    imitation = edge_test(WeightedSum(((4.0, Column(0)),), -4.0), X, Y)
    assert imitation is not None
    assert imitation.outer_error > 2 * imitation.inner_error > 0
    assert imitation.refitted
    assert edge_test(constant(Fraction(1)), X, Y) is None
    assert edge_test(law.tree, X[:10], Y[:10]) is None
