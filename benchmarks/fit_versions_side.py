"""One side of `fit_versions.py`: reads a table on each line of its input, answers how the fit went.

It runs under this version of nalm and under older ones, so it uses nothing but `nalm.fit`.
"""

import json
import sys
import time

import numpy as np

import nalm


def fitted(table: dict) -> dict:
    """Fit a table, and return the formula and the CPU time it took."""
    x, y = (np.array(table[name], table["dtype"]) for name in ("x", "y"))
    began = time.process_time()
    law = nalm.fit(x, y, table["names"], **table["options"])
    return {
        "seconds": time.process_time() - began,
        "formula": str(law.expression),
        "verified": bool(law.verified),
    }


def main() -> None:
    for line in sys.stdin:
        print(json.dumps(fitted(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
