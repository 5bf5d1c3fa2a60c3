"""JSON of files that may be damaged or made up: read strictly, with a checksum inside."""

import hashlib
import json
from typing import Any

CHECKSUM = "sha256"
"""The key of an object's own checksum."""


def parsed(text: str) -> Any:
    """Return the value of a text, or raise ValueError: no key twice, no nesting without end.

    >>> parsed('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ValueError: the key 'a' is there twice
    """
    try:
        return json.loads(text, object_pairs_hook=_object)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, _ in pairs if sum(key == other for other, _ in pairs) > 1)
        raise ValueError(f"the key {twice!r} is there twice")
    return found


def checksum(value: dict[str, Any], more: bytes = b"") -> str:
    """Return the SHA-256 of an object without its own checksum, and of the bytes beside it.

    >>> checksum({"a": 1}) == checksum({"sha256": "...", "a": 1})
    True
    """
    rest = {key: item for key, item in value.items() if key != CHECKSUM}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode() + more).hexdigest()


def check_keys(value: Any, needed: set[str], allowed: set[str] | None = None) -> None:
    """Raise ValueError unless this is an object with these keys and no others."""
    if not isinstance(value, dict):
        raise ValueError(f"an object with the keys {sorted(needed)} is expected")
    if missing := needed - value.keys():
        raise ValueError(f"it has no {min(missing)!r}")
    if unknown := value.keys() - needed - (allowed or set()):
        raise ValueError(f"it has an unknown key {min(unknown)[:60]!r}")
