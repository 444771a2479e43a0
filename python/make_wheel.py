#!/usr/bin/env python3
"""Builds a wheel of the Python package: make_wheel.py LIBRARY FOLDER

The wheel works with every Python from 3.8 on, and carries libheed.so with the libraries
that it needs, except those that every Linux has. Needs patchelf and strip. Prints the path
of the wheel."""

import base64
import hashlib
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Libraries that manylinux lets a wheel rely on.
EVERYWHERE = re.compile(
    r"(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|resolv|gcc_s|stdc\+\+))\.so.*")
METADATA = """Metadata-Version: 2.1
Name: heed
Version: {version}
Summary: Attention models: train, run and explain them on ordinary CPUs
License: Apache-2.0
Requires-Python: >=3.8

Heed trains, runs and explains attention models. No compiler and no PyTorch are needed,
and numpy is optional.
"""
WHEEL = """Wheel-Version: 1.0
Generator: heed
Root-Is-Purelib: false
Tag: {tag}
"""


def run(*command):
    """Returns the output of a command."""
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if ran.returncode != 0:
        raise RuntimeError(f"{command[0]}: {ran.stderr.strip()}")
    return ran.stdout


def needed(library, everywhere):
    """Yields names and paths of the libraries that `library` loads, except `everywhere`."""
    for line in run("ldd", library).splitlines():
        found = re.match(r"\s*(\S+) => (/\S+)", line)
        if found and not everywhere.fullmatch(found[1]):
            yield found[1], pathlib.Path(found[2])


def place(source, target, search):
    """Copies a library, strips it and sets where it looks for others."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source != target:
        shutil.copy(source.resolve(), target)
    target.chmod(0o755)
    run("strip", "--strip-unneeded", target)
    run("patchelf", "--set-rpath", search, target)


def fill(folder, library):
    """Writes the files of the package into `folder`."""
    package = folder / "heed"
    shutil.copytree(ROOT / "python" / "heed", package,
                    ignore=shutil.ignore_patterns("__pycache__"))
    place(library, package / "libheed.so.0", "$ORIGIN/libs")
    for name, path in needed(library, EVERYWHERE):
        place(path, package / "libs" / name, "$ORIGIN")


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(heed VERSION (\S+)", text)[1]


def record(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def main(library, out):
    glibc = platform.libc_ver()[1].replace(".", "_")
    tag = f"py3-none-manylinux_{glibc}_{platform.machine()}"
    info = f"heed-{version()}.dist-info"
    wheel = pathlib.Path(out) / f"heed-{version()}-{tag}.whl"
    wheel.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        fill(folder, pathlib.Path(library))
        (folder / info).mkdir()
        (folder / info / "METADATA").write_text(METADATA.format(version=version()))
        (folder / info / "WHEEL").write_text(WHEEL.format(tag=tag))
        shutil.copy(ROOT / "LICENSE", folder / info / "LICENSE")
        lines = ""
        partial = wheel.with_suffix(".part")
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    name = path.relative_to(folder).as_posix()
                    archive.write(path, name)
                    lines += record(name, path.read_bytes())
            archive.writestr(f"{info}/RECORD", lines + f"{info}/RECORD,,\n")
        partial.replace(wheel)
    print(wheel)


if __name__ == "__main__":
    main(*sys.argv[1:])
