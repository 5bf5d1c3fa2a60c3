"""Draw a picture of units."""

import json
import sys

from nalm.cli import choices
from nalm.cli.app import Changed, Json, OutputFile, Whole, app
from nalm.cli.printing import complain, say
from nalm.cli.tables import print_rows


@app.command
def plot(
    name: str | None = None,
    /,
    *,
    unit: str | None = None,
    op: str | None = None,
    range: str | None = None,  # noqa: A002
    weights: str | None = None,
    workers: Whole = None,
    changed: Changed = None,
    output: OutputFile = None,
    as_json: Json = False,
) -> None:
    """Draw a picture of a paper, or one of any unit on any task; list them all without a name.

    Parameters
    ----------
    name
        The picture; all are listed if absent.
    unit
        The unit, such as nmu, nru(tanh_scale=10) or FILE.py:CLASS.
    op
        The operation that it is to learn, such as mul.
    range
        The training range, such as U[1,2).
    weights
        The two weights that are the axes, such as weight[0,0],gate[1].
    workers
        How many processes train; all cores if absent.
    changed
        A number or text of the picture as NAME=VALUE, such as points=51; the option may be
        repeated.
    output
        The file, which ends in .html, .svg, .png, .pdf or .json; NAME.html if absent.
    as_json
        Print the list as JSON instead of a table.
    """
    from nalm.errors import NalmError
    from nalm.plots import picture

    if name is None:
        _list(as_json)
        return
    given = {"unit": unit, "op": op, "range": range, "weights": choices.split(weights)}
    try:
        numbers = {key: value for key, value in given.items() if value is not None}
        numbers |= {} if workers is None else {"workers": workers}
        numbers |= {key: _parts(text) for key, text in choices.changes(changed).items()}
        made = picture(name, **numbers)
        written = made.save(output or f"{name}.html")
    except NalmError as error:
        complain(error)
        sys.exit(2)
    say(f"{made.title}\nWritten to {written}.")


def _parts(text: str) -> str | list[str]:
    """Return a text, or several that commas separate."""
    parts = choices.split(text) or []
    return parts if len(parts) > 1 else text


def _list(as_json: bool) -> None:
    from nalm.plots import PICTURES

    if as_json:
        rows = [
            {"name": e.name, "what": e.what, "source": e.source, "numbers": list(e.numbers)}
            for e in PICTURES.values()
        ]
        say(json.dumps(rows, indent=2))
        return
    print_rows(
        dict.fromkeys(("name", "what", "source", "may be changed"), "left"),
        [[e.name, e.what, e.source, ", ".join(e.numbers)] for e in PICTURES.values()],
        optional=("may be changed",),
    )
    say("nalm plot NAME draws one: nalm plot nmu-landscape -o landscape.svg")
