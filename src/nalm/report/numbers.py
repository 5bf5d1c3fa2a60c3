"""Numbers, intervals and verdicts as they are written on pages."""

from collections.abc import Callable
from math import isnan

from nalm.sweeps.statistics import Estimate, Verdict


def count(number: float) -> str:
    """Return a whole number with separators.

    >>> count(50_000)
    '50,000'
    """
    return f"{number:,.0f}"


def short(number: float) -> str:
    """Return three significant digits.

    >>> short(0.00123456)
    '0.00123'
    """
    return f"{number:.3g}"


def number(value: float) -> str:
    """Return a whole number with separators, or another one with six significant digits.

    >>> number(20_000), number(1e-3), number(1.192e-07)
    ('20,000', '0.001', '1.192e-07')
    """
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:.6g}"


def narrow_bounds(estimate: Estimate) -> str:
    """Return the ends of an interval as a cell of a table of rates shows them.

    >>> from nalm.sweeps import statistics
    >>> narrow_bounds(statistics.rate(25, 25))
    '0.87–1.00'
    """
    if isnan(estimate.low) or isnan(estimate.high):
        return ""
    return f"{rate(estimate.low)}–{rate(estimate.high)}"


def rate(number: float) -> str:
    """Return a rate with two digits; nothing if it is unknown.

    >>> rate(2 / 3)
    '0.67'
    """
    return "" if isnan(number) else f"{number:.2f}"


def bounds(estimate: Estimate) -> str:
    """Return the ends of the interval of a rate.

    >>> from nalm.sweeps import statistics
    >>> bounds(statistics.rate(25, 25))
    '0.87 to 1.00'
    """
    return f"{rate(estimate.low)} to {rate(estimate.high)}"


def published_rate(estimate: Estimate) -> str:
    """Return a published rate, or its bounds if only these are published."""
    if estimate.known:
        return rate(estimate.value)
    return "" if isnan(estimate.low) and isnan(estimate.high) else bounds(estimate)


def with_interval(estimate: Estimate) -> str:
    """Return a number of steps or an error, with its interval if it has one.

    >>> from nalm.sweeps import statistics
    >>> with_interval(statistics.gamma_mean([1000, 2000, 3000, 4000]))
    '2,500 [1,450, 4,861]'
    >>> with_interval(statistics.gamma_mean([]))
    'none'
    """
    if not estimate.known:
        return "none"
    form = ",.0f" if estimate.value >= 1000 else ".3g"
    if isnan(estimate.low) or isnan(estimate.high):
        return f"{estimate.value:{form}}"
    return f"{estimate.value:{form}} [{estimate.low:{form}}, {estimate.high:{form}}]"


def mark(verdict: Verdict) -> str:
    """Return the sign of a verdict in tables.

    >>> mark(Verdict.AGREES), mark(Verdict.DIFFERS), mark(Verdict.INCOMPARABLE)
    ('✓', '✗', '~')
    """
    return {Verdict.AGREES: "✓", Verdict.DIFFERS: "✗"}.get(verdict, "~")


FILTERS: dict[str, Callable[..., str]] = {
    function.__name__: function
    for function in (
        count,
        short,
        rate,
        bounds,
        narrow_bounds,
        published_rate,
        with_interval,
        mark,
    )
}
"""The filters of the templates."""
