"""Texts with several values as lists."""


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
    from nalm.experiments import EXPERIMENTS

    parts = split(names)
    if parts is None or experiment not in EXPERIMENTS:
        return parts
    known = {cell.setting for cell in EXPERIMENTS[experiment].cells()}
    found = []
    while parts:
        ends = [n for n in range(len(parts), 0, -1) if ", ".join(parts[:n]) in known]
        count = ends[0] if ends else 1
        found.append(", ".join(parts[:count]))
        parts = parts[count:]
    return found


def numbers(names: str | None) -> list[int] | None:
    """Return whole numbers separated by commas."""
    from nalm.errors import InputError

    parts = split(names)
    if parts is None:
        return None
    for part in parts:
        if not part.isdecimal():
            raise InputError(f"--inputs takes whole numbers, such as 2,10; received {part!r}.")
    return [int(part) for part in parts]
