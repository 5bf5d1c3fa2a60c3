"""Type checkers see the layers."""

import ast

import nalm.torch
from nalm.torch._stub import FILE, stub


def test_the_stub_is_up_to_date():
    """If this fails, run `python -m nalm.torch._stub`."""
    written = FILE.read_text(encoding="utf-8")
    assert ast.dump(ast.parse(written)) == ast.dump(ast.parse(stub()))


def test_the_stub_has_every_public_name():
    tree = ast.parse(FILE.read_text(encoding="utf-8"))
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    imported = {
        alias.asname
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("nalm.")
        for alias in node.names
    }
    assert classes | imported == set(dir(nalm.torch))
