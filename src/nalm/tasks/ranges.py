"""The ranges of the papers, and the test range that belongs to any other."""

from nalm._internal.checks import shown
from nalm.errors import InputError
from nalm.tasks.distributions import Distribution, Uniform, Union, parse

RANGES: dict[str, tuple[Distribution, Distribution]] = {
    "U[-20,-10)": (Uniform(-20, -10), Uniform(-40, -20)),
    "U[-2,-1)": (Uniform(-2, -1), Uniform(-6, -2)),
    "U[-1.2,-1.1)": (Uniform(-1.2, -1.1), Uniform(-6.1, -1.2)),
    "U[-0.2,-0.1)": (Uniform(-0.2, -0.1), Uniform(-2, -0.2)),
    "U[-2,2)": (Uniform(-2, 2), Union(Uniform(-6, -2), Uniform(2, 6))),
    "U[0.1,0.2)": (Uniform(0.1, 0.2), Uniform(0.2, 2)),
    "U[1,2)": (Uniform(1, 2), Uniform(2, 6)),
    "U[1.1,1.2)": (Uniform(1.1, 1.2), Uniform(1.2, 6)),
    "U[10,20)": (Uniform(10, 20), Uniform(20, 40)),
}
"""Training and test distribution of the nine ranges, by the name of the training range."""
WIDER = 4
"""How many times as wide as the training range the test range is, where no paper has one."""
ARROW = "->"


def default_test(train: Distribution) -> Distribution:
    """Return where a model that is trained on a range is tested: beyond it.

    The published ranges have their published test ranges. Any other range [a, b) is continued away
    from zero: [b, b + 4 (b - a)) if it is positive, [a - 4 (b - a), a) if it is negative. A range
    around zero is continued on both sides, each as wide as itself. Other distributions are tested
    where they are trained.

    Parameters
    ----------
    train
        The training distribution.

    Returns
    -------
    Distribution
        The test distribution.

    Examples
    --------
    >>> from nalm.tasks import Uniform, default_test
    >>> default_test(Uniform(5, 9)).label, default_test(Uniform(-9, -5)).label
    ('U[9,25)', 'U[-25,-9)')
    >>> default_test(Uniform(-1, 3)).label, default_test(Uniform(1, 2)).label
    ('U[-5,-1)|U[3,7)', 'U[2,6)')
    """
    for known, test in RANGES.values():
        if train == known:
            return test
    return train.beyond(WIDER)


def range_pair(text: str) -> tuple[Distribution, Distribution]:
    """Return the training and the test distribution of a text.

    Parameters
    ----------
    text
        The training range, such as `U[5,9)`, whose test range is that of `default_test`; or both,
        such as `U[5,9)->U[9,30)`.

    Returns
    -------
    tuple of Distribution
        Training and test distribution.

    Examples
    --------
    >>> from nalm.tasks import range_pair
    >>> [part.label for part in range_pair("U[5,9)->U[9,30)")]
    ['U[5,9)', 'U[9,30)']
    """
    if not isinstance(text, str):
        raise InputError(f"A range is text such as 'U[5,9)'; received {shown(text)}.")
    train, *tests = text.split(ARROW)
    if len(tests) > 1:
        raise InputError(
            f"A range is U[5,9), or U[5,9)->U[9,30) with its test range; received {shown(text)}."
        )
    if tests and not tests[0].strip():
        raise InputError(
            f"Give a test range after ->, such as U[5,9)->U[9,30); received {shown(text)}."
        )
    trained = parse(train)
    return trained, parse(tests[0]) if tests else default_test(trained)


def pair_label(train: Distribution, test: Distribution) -> str:
    """Return the label of a training range, with the test range where it is not the default one.

    Parameters
    ----------
    train, test
        The training and the test distribution.

    Returns
    -------
    str
        `U[5,9)`, or `U[5,9)->U[20,30)`.

    Examples
    --------
    >>> from nalm.tasks import Uniform
    >>> from nalm.tasks.ranges import pair_label
    >>> pair_label(Uniform(1, 2), Uniform(2, 6)), pair_label(Uniform(1, 2), Uniform(100, 300))
    ('U[1,2)', 'U[1,2)->U[100,300)')
    """
    usual = test == default_test(train) or train.tables()
    return train.label if usual else f"{train.label}{ARROW}{test.label}"
