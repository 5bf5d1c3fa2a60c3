"""A sweep on a Dask cluster that is there: python examples/cluster/existing.py tcp://HOST:8786.

The command line does the same: nalm bench single-module --scheduler tcp://HOST:8786
"""

import sys

import nalm


def main() -> None:
    with nalm.Dask(sys.argv[1]) as executor:
        results = nalm.bench("single-module", executor=executor, progress=True)
    print(results)


if __name__ == "__main__":
    main()
