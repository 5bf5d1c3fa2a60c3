"""The argument `model=`: a unit, a network, a class, or text such as `nru(tanh_scale=10)`."""

import ast
from dataclasses import MISSING, fields
from typing import Any

from nalm._internal.checks import shown
from nalm._internal.custom import is_custom, load, names_file
from nalm.errors import InputError
from nalm.networks import Model, Stack
from nalm.networks.layers import layers
from nalm.sweeps.custom_checks import check, check_forward
from nalm.units import Unit, unit
from nalm.units._options import check_names

LONGEST = 1000
"""The most letters of a unit with its options."""


def split_options(text: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the options of a text; nothing in it is executed.

    Parameters
    ----------
    text
        A name, or a name with keywords in parentheses, whose values are Python literals.

    Examples
    --------
    >>> split_options("snmu(noise_range='batch')"), split_options("nmu")
    (('snmu', {'noise_range': 'batch'}), ('nmu', {}))
    """
    rule = "A unit with options is written as in nru(tanh_scale=10)"
    if len(text) > LONGEST:
        raise InputError(f"{rule}, in at most {LONGEST} letters; received {shown(text)}.")
    start = text.find("(", text.rfind(".py:") + 1)
    if start < 0:
        return text.strip(), {}
    name = text[:start].strip()
    try:
        call = ast.parse(f"unit{text[start:].strip()}", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise InputError(f"{rule}; received {shown(text)}.") from None
    if not isinstance(call, ast.Call) or call.args or any(k.arg is None for k in call.keywords):
        raise InputError(f"{rule}, every option by its name; received {shown(text)}.")
    options = {}
    for keyword in call.keywords:
        if keyword.arg in options:
            raise InputError(f"{rule}, every option once; received {shown(text)}.")
        try:
            options[str(keyword.arg)] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, MemoryError, RecursionError):
            raise InputError(
                f"{rule}: a value is a number, a text in quotes, True, False, None or a tuple of "
                f"these; received {shown(text)}, whose {keyword.arg} is none."
            ) from None
    return name, options


def class_in_file(text: str) -> tuple[type[Unit], dict[str, Any]]:
    """Return the class and the options of `FILE.py:CLASS` or `FILE.py:CLASS(option=value)`."""
    where, options = split_options(text)
    cls = load(where, Unit, "unit")
    check_names(cls, options)
    return cls, options


def made(model: Any, inputs: int) -> Model:
    """Return the model that an argument means, for so many inputs and one output.

    Parameters
    ----------
    model
        A unit or network; a class of units; the name of a unit, with options if wanted; or
        FILE.py:CLASS.
    inputs
        The number of inputs of the task, for what has no size yet.
    """
    if isinstance(model, Unit | Stack):
        for layer in layers(model).values():
            if is_custom(type(layer)):
                check_forward(layer)
        return _sized(model, inputs)
    options: dict[str, Any] = {}
    if isinstance(model, str) and names_file(model):
        model, options = class_in_file(model)
    if isinstance(model, str):
        name, options = split_options(model)
        return unit(name, inputs, 1, **options)
    if isinstance(model, type) and issubclass(model, Unit):
        if is_custom(model):
            check(model)
        return model(inputs, 1, **options)
    raise InputError(
        "A model is a unit, a network, a class of units, or a name such as 'nmu' or "
        f"'nru(tanh_scale=10)'; received {shown(model)}."
    )


def _sized(model: Model, inputs: int) -> Model:
    if model.in_features != inputs:
        raise InputError(
            f"A model takes as many inputs as its task has; {named(model)} takes "
            f"{model.in_features} and the task has {inputs}. Change in_features or inputs."
        )
    if model.out_features != 1:
        raise InputError(
            f"A task has one target, so a model has one output; {named(model)} has "
            f"{model.out_features}. Set out_features=1 in its last layer."
        )
    return model


def named(model: Model) -> str:
    """Return what a model is called in tables: its layers, with options that are not the default.

    Examples
    --------
    >>> import nalm
    >>> named(nalm.unit("nmu", 2, 1)), named(nalm.unit("snmu", 2, 1, noise_range="batch"))
    ('nmu', "snmu(noise_range='batch')")
    """
    return "-".join(_layer_name(layer) for layer in layers(model).values())


def _layer_name(layer: Unit) -> str:
    sizes = {"in_features", "out_features", "units"}
    changed = [
        f"{field.name}={getattr(layer, field.name)!r}"
        for field in fields(layer)
        if field.name not in sizes
        and (field.default is MISSING or getattr(layer, field.name) != field.default)
    ]
    return f"{layer.name}({', '.join(changed)})" if changed else layer.name
