#!/usr/bin/env python3
"""Builds a bundle of the command: make_bundle.py BUILD FOLDER

The bundle is an archive that runs from any folder of a Linux that has glibc: the command of
the build folder BUILD, all libraries that it needs except those of glibc, their licences,
manual pages and shell completion. Archives of equal files are equal byte by byte. Needs
cmake, g++, patchelf, readelf, strip and xz. Prints the path of the archive and the glibc
that it needs."""

import pathlib
import platform
import re
import shutil
import sys
import tempfile

from make_wheel import ROOT, needed, place, run, version

GLIBC = re.compile(r"(ld-linux.*|linux-vdso|"
                   r"lib(anl|c|dl|m|mvec|pthread|resolv|rt|thread_db|util))\.so.*")
MODIFIED = "@1767225600"  # of all files in the archive: 2026-01-01
README = """Heed {version} for Linux on {machine}

bin/heed runs from any folder, on every Linux with glibc {glibc} or newer:

    bin/heed demo
    ln -s "$PWD/bin/heed" ~/.local/bin/        # heed from everywhere
    man -l share/man/man1/heed.1

share/ also has completion for bash, zsh and fish. licences/ has the licences of the
libraries in lib/; packages.txt there lists their Debian source packages, which
https://snapshot.debian.org keeps.

Two things come from your system. Text in PNG pictures needs fonts, such as DejaVu. Training in
several processes with mpirun needs Open MPI and the Debian package heed-mpi, and is not part of
this bundle.
"""


def loaded_on_demand():
    """Returns the paths of the libraries that Heed loads at run time (SharedLibrary)."""
    names = set()
    for source in ROOT.glob("heed/**/*.cc"):
        if not source.name.endswith("_test.cc"):
            names.update(re.findall(r'\bSharedLibrary \w+[({]"([^"]+)"', source.read_text()))
    return {name: pathlib.Path(run("g++", f"-print-file-name={name}").strip())
            for name in names}


def package_of(path):
    """Returns the Debian package of a file. Its list may lack the /usr of a merged /usr."""
    for name in (path, pathlib.Path("/", path.relative_to("/usr"))):
        try:
            return run("dpkg-query", "-S", name).split(":")[0]
        except RuntimeError:
            continue
    raise RuntimeError(f"{path} is in no Debian package, so that its licence is unknown")


def write_licences(folder, libraries):
    """Copies the licences of libraries, and the common licences that these refer to."""
    shutil.copytree("/usr/share/common-licenses", folder / "common-licenses")
    shutil.copy(ROOT / "LICENSE", folder / "heed")
    lines = set()
    for package in sorted({package_of(path) for path in libraries}):
        shutil.copy(pathlib.Path("/usr/share/doc", package, "copyright"), folder / package)
        lines.add(run("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}\n", package))
    (folder / "packages.txt").write_text("".join(sorted(lines)))


def glibc_of(files):
    """Returns the oldest glibc that has all functions that `files` import from it."""
    versions = re.findall(r"\bGLIBC_(2\.\d+)", run("readelf", "--wide", "--version-info", *files))
    return max(versions, key=lambda number: int(number.split(".")[1]))


def fill(folder, build):
    """Writes the files of the bundle into `folder`. Returns the glibc that they need."""
    run("cmake", "--install", build, "--component", "command", "--prefix", folder)
    command = folder / "bin" / "heed"
    libraries = loaded_on_demand()
    for binary in (command, *libraries.values()):
        libraries = {**dict(needed(binary, GLIBC)), **libraries}
    place(command, command, "$ORIGIN/../lib")
    for name, path in libraries.items():
        place(path, folder / "lib" / name, "$ORIGIN")
    write_licences(folder / "licences", {path.resolve() for path in libraries.values()})
    glibc = glibc_of([command, *(folder / "lib").iterdir()])
    (folder / "README").write_text(README.format(
        version=version(), machine=platform.machine(), glibc=glibc))
    return glibc


def main(build, out):
    name = f"heed-{version()}-linux-{platform.machine()}"
    archive = pathlib.Path(out).resolve() / f"{name}.tar.xz"
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        glibc = fill(pathlib.Path(scratch, name), build)
        # A fixed number of threads, on which the compressed bytes depend.
        run("tar", "-C", scratch, "--sort=name", f"--mtime={MODIFIED}", "--owner=0", "--group=0",
            "--numeric-owner", "--mode=u=rwX,go=rX", "--use-compress-program=xz -T2 -3",
            "-cf", f"{archive}.part", name)
        pathlib.Path(f"{archive}.part").replace(archive)
    print(f"{archive}: {archive.stat().st_size / 1e6:.0f} MB, for glibc {glibc} or newer")


if __name__ == "__main__":
    main(*sys.argv[1:])
