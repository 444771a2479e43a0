"""What starts several processes by mpirun, as tests and benchmarks do."""

import os
import pathlib


def environment():
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def ranks(launched):
    """The processes of a running mpirun, by rank, once all have begun."""
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
