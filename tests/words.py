"""Words that only we would understand."""

PRIVATE_WORDS = r"(?i)\b(in print|of one's own|no closer than|told apart|makes of it)\b"
