"""A sweep on SLURM: pip install 'nalm[dask]' dask-jobqueue, then python examples/cluster/slurm.py.

Run it where jobs can be submitted and where it may stay: on a login node in tmux, or as a small
job of its own. Change queue, account and the environment to those of your cluster.
"""

from dask_jobqueue import SLURMCluster  # pyright: ignore[reportMissingImports]

import nalm

JOBS = 20
"""How many jobs are wanted; training starts with the first that runs."""


def main() -> None:
    cluster = SLURMCluster(
        queue="normal",
        account="my-project",
        cores=16,  # of one job
        processes=16,  # one worker of one thread per core
        memory="32GB",
        walltime="04:00:00",
        job_script_prologue=["source ~/nalm/bin/activate"],  # an environment with this nalm
        worker_extra_args=["--lifetime", "230m", "--lifetime-stagger", "5m"],  # before walltime
    )
    with cluster, nalm.Dask(cluster) as executor:
        cluster.scale(jobs=JOBS)
        results = nalm.bench("arithmetic-dataset", executor=executor, progress=True)
    print(results)


if __name__ == "__main__":
    main()
