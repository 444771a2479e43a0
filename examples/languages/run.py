#!/usr/bin/env python3
"""Compiles and runs the examples of all languages: run.py HEED LIBRARY HEADER_FOLDER

Each must print the answer of `heed predict`. Languages without a compiler are skipped by
name."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TEXT = 'a "fine" film'


def run(command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                            check=False, **options)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
    return result.stdout


def works(compiler):
    """Returns whether the compiler is installed; rustup's rustc may have no toolchain."""
    version = "version" if compiler == "go" else "--version"
    return shutil.which(compiler) is not None and subprocess.run(
        [compiler, version], capture_output=True, check=False).returncode == 0


def train(heed, folder):
    lines = "".join(f"good\ta fine film {i}\nbad\ta dull film {i}\n" for i in range(40))
    data = folder / "films.tsv"
    data.write_text(lines)
    run([heed, "train", "--task", "classify", "--texts", data, "--valid-texts", data, "--out",
         folder / "model", "--vocabulary", "words", "--units", 8, "--epochs", 2, "--quiet"])
    return folder / "model"


def main(heed, library, headers):
    library, headers = (str(pathlib.Path(path).resolve()) for path in (library, headers))
    folder = pathlib.Path(tempfile.mkdtemp())
    link = folder / "lib"
    link.mkdir()
    for name in ("libheed.so", "libheed.so.0"):
        (link / name).symlink_to(library)
    environment = os.environ | {
        "LD_LIBRARY_PATH": str(link), "LIBRARY_PATH": str(link), "CPATH": headers,
        "CGO_CFLAGS": f"-I{headers}", "CGO_LDFLAGS": f"-L{link}", "GOCACHE": str(folder)}
    model = train(heed, folder)
    program = folder / "predict"
    languages = {
        "cc": [["cc", "-Wall", "-Wextra", "-pedantic", HERE / "predict.c", "-lheed", "-o",
                program], [program]],
        "go": [["go", "build", "-o", program, HERE / "predict.go"], [program]],
        "rustc": [["rustc", HERE / "predict.rs", "-L", link, "-l", "heed", "-o", program],
                  [program]],
        "julia": [["julia", HERE / "predict.jl"]],
    }
    wanted = run([heed, "predict", model], input=TEXT + "\n").rstrip("\n")
    for name, (*compile_commands, call) in languages.items():
        if not works(name):
            print(f"{name}: skipped, not installed")
            continue
        for command in compile_commands:
            run(command, env=environment)
        answer = json.loads(run([*call, model, TEXT], env=environment))["answer"]
        if answer != wanted:
            sys.exit(f"{name}: {answer} is not {wanted}")
        print(f"{name}: {answer}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
