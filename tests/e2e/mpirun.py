"""Launching several processes by mpirun, for tests and benchmarks."""

import os
import pathlib
import shutil
import subprocess


def is_usable(heed):
    """True if Open MPI and heed's MPI library are installed."""
    return (shutil.which("mpirun") is not None
            and pathlib.Path(heed).with_name("heed-mpi.so").exists())


def launch(heed, processes, *args, **options):
    """Starts mpirun. Its own lines are mixed with those of heed."""
    return subprocess.Popen(["mpirun", "--oversubscribe", "-n", str(processes), heed,
                             *map(str, args)], stderr=subprocess.PIPE, env=environment(),
                            **{"stdout": subprocess.DEVNULL, **options})


def environment():
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def ranks(launched):
    """Returns the processes of a running mpirun by rank, after all have started."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if f"PPid:\t{launched.pid}\n" not in (path / "status").read_text():
                continue
            variables = (path / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        for variable in variables:
            if variable.startswith(b"OMPI_COMM_WORLD_RANK="):
                found[int(variable.split(b"=")[1])] = int(path.name)
    return found
