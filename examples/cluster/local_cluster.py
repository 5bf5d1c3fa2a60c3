"""A sweep on a Dask cluster of this machine: python examples/cluster/local_cluster.py.

It shows that everything works before you go to a real cluster; for one machine alone, nalm needs
no Dask.
"""

from distributed import LocalCluster

import nalm


def main() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, nalm.Dask(cluster) as executor:
        results = nalm.bench(
            "single-module",
            units="nmu",
            ops="mul",
            out="results/local-cluster",
            executor=executor,
            progress=True,
        )
    print(results)


if __name__ == "__main__":
    main()
