"""Texts with several values as lists."""

DIGITS = 18
"""The most digits of a whole number."""


def split(names: str | None) -> list[str] | None:
    """Return names separated by commas; those inside a range are part of it."""
    if names is None:
        return None
    found, depth = [""], 0
    for letter in names:
        depth += (letter in "[({") - (letter in ")]}")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [name.strip() for name in found]


def settings(names: str | None, experiment: str) -> list[str] | None:
    """Return settings separated by commas; those that contain one are known by the experiment.

    >>> settings("all, no l1,l2", "division-real-npu")
    ['all, no l1', 'l2']
    """
    from nalm.experiments.bench import experiment_of

    parts = split(names)
    if parts is None:
        return None
    known = {key.setting for key in experiment_of(experiment).sizes}
    found = []
    while parts:
        ends = [n for n in range(len(parts), 0, -1) if ", ".join(parts[:n]) in known]
        count = ends[0] if ends else 1
        found.append(", ".join(parts[:count]))
        parts = parts[count:]
    return found


def numbers(names: str | None, option: str = "--inputs") -> list[int] | None:
    """Return whole numbers separated by commas."""
    from nalm._internal.checks import shown
    from nalm.errors import InputError

    parts = split(names)
    if parts is None:
        return None
    for part in parts:
        digits = part.removeprefix("-")
        if not digits.isdecimal() or len(digits) > DIGITS:
            raise InputError(
                f"{option} takes whole numbers of at most {DIGITS} digits, such as 2,10; received "
                f"{shown(part)}."
            )
    return [int(part) for part in parts]


def seeds(text: str | None) -> int | list[int] | None:
    """Return how many seeds, or the seeds themselves if there is a comma.

    >>> seeds("25"), seeds("3,7,11"), seeds("7,")
    (25, [3, 7, 11], [7])
    """
    if text is None:
        return None
    found = numbers(text.removesuffix(","), "--seeds") or []
    return found if "," in text else found[0]


def changes(texts: list[str] | None) -> dict[str, str]:
    """Return fields of recipes that are changed, given as NAME=VALUE.

    >>> changes(["learning_rate=5e-3", "optimizer=lion"])
    {'learning_rate': '5e-3', 'optimizer': 'lion'}
    """
    from nalm.errors import InputError

    found = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise InputError(
                f"--set takes NAME=VALUE, such as learning_rate=5e-3; received {text!r}."
            )
        found[name.strip()] = value.strip()
    return found
