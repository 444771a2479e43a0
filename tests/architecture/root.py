#!/usr/bin/env python3
"""Checks that nothing was left at the root of the source tree. root.py fails and names files
that git would list there as untracked. Builds, tests and fuzzers must write to build/ or to
paths in .gitignore.

root.py --self-test plants such files in a temporary repository."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CRASHES = ("crash-1f", "leak-1f", "oom-1f", "slow-unit-1f", "timeout-1f", "core", "core.123",
           "vgcore.123")


def untracked(root):
    """Returns files and folders at the root; None if this is no checkout, or git is missing."""
    if not (root / ".git").exists() or not shutil.which("git"):
        return None
    listed = subprocess.run(
        ["git", "-c", f"safe.directory={root}", "-c", "status.relativePaths=false", "status",
         "--porcelain", "-z", "--untracked-files=normal", "--no-renames"],
        cwd=root, stdout=subprocess.PIPE, text=True, check=True).stdout
    names = [line[3:] for line in listed.split("\0") if line.startswith("?? ")]
    return [name for name in names if "/" not in name.rstrip("/")]


def self_test():
    if not shutil.which("git"):
        return
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        subprocess.run(["git", "init", "-q", root], check=True)
        shutil.copyfile(ROOT / ".gitignore", root / ".gitignore")
        subprocess.run(["git", "-C", root, "add", ".gitignore"], check=True)
        (root / "web/src/core").mkdir(parents=True)
        (root / "tests/fuzz/corpus/text").mkdir(parents=True)
        for name in (*CRASHES, "left.json", "web/src/core/dom.ts", "tests/fuzz/corpus/text/crash-1"):
            (root / name).write_text("x")
        found = untracked(root)
        if sorted(found) != ["left.json", "tests/", "web/"]:
            sys.exit(f"expected left.json and two folders, found {found}")


def main():
    if "--self-test" in sys.argv:
        self_test()
        return
    found = untracked(ROOT)
    if found:
        sys.exit("left at the root (write it into build/, add it, or name it in .gitignore): "
                 + " ".join(found))


if __name__ == "__main__":
    main()
