"""A sweep on Kubernetes: pip install 'nalm[dask]' dask-kubernetes, then run this file.

The Dask operator is installed in the cluster (see dask-kubernetes), and IMAGE is a container image
with the same Python, nalm and dask as here. Its Dockerfile can be:

    FROM python:3.11-slim
    COPY . /nalm
    RUN pip install -c /nalm/constraints.txt '/nalm[dask]'
"""

from dask_kubernetes.operator import KubeCluster  # pyright: ignore[reportMissingImports]

import nalm

IMAGE = "registry.example.org/nalm:0.2.0"
WORKERS = 20


def main() -> None:
    cluster = KubeCluster(
        name="nalm",
        image=IMAGE,
        n_workers=WORKERS,
        resources={"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"memory": "2Gi"}},
        env={"XDG_CACHE_HOME": "/tmp"},  # compiled programs are kept there
        worker_command=["dask", "worker", "--nthreads", "1"],
    )
    with cluster, nalm.Dask(cluster) as executor:
        results = nalm.bench("arithmetic-dataset", executor=executor, progress=True)
    print(results)


if __name__ == "__main__":
    main()
