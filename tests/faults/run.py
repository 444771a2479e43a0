#!/usr/bin/env python3
"""Lets one call after the other fail: run.py HEED FAULTS [UNITTEST ARGS]

For each command, the calls of a kind are counted first (writes, syncs, renames,
new files, allocations). Then the command runs again and again, and each time
another one of them fails: once, or from there on. The command must end with one
line and status 1, or, if the fault did no harm, as if there had been none; what
it would have replaced is the old or the new; and the next try succeeds.

HEED_FAULTS=all tries every call, HEED_FAULTS=N so many of a kind; otherwise, of many calls, a few.
"""

import collections
import errno
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from harness import TIMEOUT, WORLD, contents, heed, train_args, write_text  # noqa: E402

LIBRARY = ""
SOME = "8"  # maximum number of faults of a kind

# Files that contain the time or the path of a run.
PASSING = ("metrics.jsonl", "events.out.tfevents", "config.json")

# Faults: (call, error, 1 if it lasts).
DISK = [("write", errno.ENOSPC, 0), ("write", errno.EIO, 1), ("write", -1, 1),
        ("sync", errno.EIO, 0), ("sync", errno.ENOSPC, 1), ("rename", errno.EIO, 0),
        ("create", errno.ENOSPC, 0)]
MEMORY = [("allocate", errno.ENOMEM, 0), ("allocate", errno.ENOMEM, 1)]

# Prefixes of progress lines of a training or a server.
REPORTS = ("240 pairs", "resuming", "step ", "average of ", "trained ", "model: ", "try it: ",
           '{"time":')


def environment_of(call=None, at=0, error=0, lasts=0, count=None):
    environment = {name: text for name, text in os.environ.items() if name != "HEED_FAULTS"}
    if call:
        environment |= {"LD_PRELOAD": LIBRARY, "HEED_FAULT_CALL": call, "HEED_FAULT_AT": str(at),
                        "HEED_FAULT_ERROR": str(error), "HEED_FAULT_LASTS": str(lasts)}
    if count:
        environment["HEED_FAULT_COUNT"] = str(count)
    return environment


def without_times(printed):
    """Returns the output without durations."""
    return re.sub(rb" in \d+\.\d s\n", b"\n", printed)


def run(args, *fault, count=None, stdin=b""):
    command = [WORLD.heed, *map(str, args)]
    environment = environment_of(*fault, count=count)
    if args[0] != "serve":
        return subprocess.run(command, input=stdin, capture_output=True, timeout=TIMEOUT,
                              check=False, env=environment)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environment) as server:
        if server.stdout.readline():  # it has started once it prints its address
            server.terminate()
        _, error = server.communicate(timeout=TIMEOUT)
        return subprocess.CompletedProcess(command, server.returncode, b"", error)


def chosen(count):
    """Returns the calls that fail: all, or the first, the last and some between."""
    some = os.environ.get("HEED_FAULTS", SOME)
    if some == "all" or count <= int(some):
        return range(1, count + 1)
    draw = random.Random(count)
    return sorted({1, 2, count - 1, count,
                   *(draw.randint(1, count) for _ in range(int(some) - 4))})


def lasting(folder):
    """Returns the contents of a folder without times. Files in .ready, which the next writer
    moves into place, are read as if already in place."""
    folder = pathlib.Path(folder)
    if not folder.exists():
        return None
    if folder.is_file():
        return folder.read_bytes()
    files = {name.removeprefix(".ready/"): data for name, data in contents(folder).items()}
    files.pop(".steps", None)
    # A process that runs out of memory in a destructor of the JSON library leaves
    # .lock. The kernel has released the lock.
    files.pop(".lock", None)
    return {name: data for name, data in files.items()
            if not pathlib.Path(name).name.startswith(PASSING) or name.endswith(".tmp")}


class Faults(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=WORLD.work))
        self.tried = collections.Counter()

    def tearDown(self):
        shutil.rmtree(self.folder)

    def ends_well(self, result, what):
        """Checks for status 1 and one line after the progress lines. Returns true if the command
        failed."""
        error = result.stderr.decode(errors="replace")
        if result.returncode == 0:
            return False
        self.assertEqual(result.returncode, 1, (what, error))
        lines = [line for line in error.split("\n") if not line.startswith(REPORTS)]
        self.assertEqual(len(lines), 2, (what, error))
        self.assertTrue(lines[0].startswith("heed: "), (what, error))
        self.assertEqual(lines[1], "", (what, error))
        return True

    def sweep(self, faults, args, out=None, before=None, again=None, stdin=b"", whole=True):
        """Runs `args` with each fault. `out`: output path; `before`: creates earlier contents;
        `again`: command after a failure, which must give the result of a run without faults."""
        def prepare():
            if out and out.is_dir():
                shutil.rmtree(out)
            elif out:
                out.unlink(missing_ok=True)
            if before:
                before()
        prepare()
        old = lasting(out) if out else None
        result = run(args, stdin=stdin)
        self.assertEqual(result.returncode, 0, result.stderr)
        new, printed = lasting(out) if out else None, without_times(result.stdout)
        count = self.folder / "count"
        for call, error, lasts in faults:
            prepare()
            run(args, call, count=count, stdin=stdin)
            calls = int(count.read_text())
            for at in chosen(calls):
                what = f"{args[0]}: {call} {at} of {calls}, error {error}, lasts {lasts}"
                prepare()
                result = run(args, call, at, error, lasts, stdin=stdin)
                self.tried[call] += 1
                failed = self.ends_well(result, what)
                if not failed:
                    self.assertEqual(without_times(result.stdout), printed, what)
                    self.assertTrue(not out or lasting(out) == new, what)
                elif out and whole:
                    self.assertIn(lasting(out), (old, new), what)
                if failed and again and lasting(out) != new:
                    result = run(again())
                    self.assertEqual(result.returncode, 0, (what, result.stderr))
                    self.assertTrue(lasting(out) == new, what)

    def test_training(self):
        out = self.folder / "model"
        self.sweep_training(DISK, out)

    def test_training_memory(self):
        out = self.folder / "model"
        self.sweep_training(MEMORY, out)

    def sweep_training(self, faults, out):
        args = [*train_args(out, epochs=1, checkpoint_every=4, validate_every=3, units=4,
                            embedding=4), "--quiet"]
        # From any state, resuming or training again gives the same weights.
        def again():
            if (out / "training.safetensors").exists():
                return ["train", "--quiet", "--resume", out]
            return args
        self.sweep(faults, args, out, again=again, whole=False)

    def test_resuming(self):
        out, stopped = self.folder / "model", self.folder / "stopped"
        args = train_args(stopped, epochs=1, checkpoint_every=4, units=4, embedding=4)
        at = 1  # index of the first file that cannot be renamed into place
        while not (stopped / "training.safetensors").exists():
            self.assertEqual(run([*args, "--quiet"], "rename", at, errno.EIO, 1).returncode, 1)
            at += 1
        resume = ["train", "--quiet", "--resume", out]
        self.sweep(DISK, resume, out, before=lambda: shutil.copytree(stopped, out),
                   again=lambda: resume, whole=False)

    def test_quantizing(self):
        out = self.folder / "model"
        args = ["quantize", WORLD.model, "--out", out]
        self.sweep(DISK + MEMORY, args, out, again=lambda: args, whole=False)

    def test_importing(self):
        out = self.folder / "model"
        golden = pathlib.Path(__file__).parent.parent / "golden" / "huggingface_marian"
        args = ["import", golden, "--out", out]
        self.sweep(DISK + MEMORY, args, out, again=lambda: args, whole=False)

    def test_pictures(self):
        picture = self.folder / "picture.svg"
        self.sweep(DISK + MEMORY, ["translate", WORLD.model, "--alignments", picture], picture,
                   before=lambda: picture.write_text("old"), stdin=b"1 2 3\n")

    def test_loading(self):
        before = contents(WORLD.model)
        for args in (["translate", WORLD.model], ["info", WORLD.model],
                     ["explain", WORLD.model, "--json"],
                     ["predict", WORLD.classifier],
                     ["evaluate", WORLD.classifier, "--texts", WORLD.texts]):
            self.sweep(MEMORY, args, stdin=b"1 2 3\n")
        self.assertEqual(contents(WORLD.model), before)

    def test_starting_a_server(self):
        before = contents(WORLD.model)
        args = ["serve", WORLD.model, "--port", 0, "--threads", 1]
        self.sweep(MEMORY, args)
        self.assertEqual(contents(WORLD.model), before)

    def test_exporting(self):
        out = self.folder / "model"
        golden = pathlib.Path(__file__).parent.parent / "golden" / "huggingface_marian"
        imported = self.folder / "imported"
        run(["import", golden, "--out", imported])
        args = ["export", imported, "--out", out]
        self.sweep(DISK + MEMORY, args, out, again=lambda: args, whole=False)

    def test_shortlists(self):
        model = self.folder / "model"
        args = ["shortlist", model, "--source", WORLD.work / "train.source", "--target",
                WORLD.work / "train.target"]
        self.sweep(DISK + MEMORY, args, model, before=lambda: shutil.copytree(WORLD.model, model),
                   again=lambda: args)

    def test_plotting(self):
        picture = self.folder / "curves.svg"
        self.sweep(DISK + MEMORY, ["plot", WORLD.model, "--out", picture], picture,
                   before=lambda: picture.write_text("old"))


def main():
    global LIBRARY
    WORLD.heed, LIBRARY = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory(prefix="heed-faults-") as folder:
        WORLD.work = pathlib.Path(folder)
        write_text(WORLD.work)
        WORLD.model = str(WORLD.work / "model")
        heed(*train_args(WORLD.model, epochs=1)).check_returncode()
        WORLD.texts, WORLD.classifier = WORLD.work / "texts", WORLD.work / "classifier"
        WORLD.texts.write_text("good\ta b\nbad\tc d\n" * 20)
        heed("train", "--task", "classify", "--texts", WORLD.texts, "--out", WORLD.classifier,
             "--epochs", 1, "--quiet", "--threads", 1).check_returncode()
        unittest.main(argv=[sys.argv[0], *sys.argv[3:]])


if __name__ == "__main__":
    main()
