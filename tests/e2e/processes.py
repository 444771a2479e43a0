"""Training in several processes with mpirun."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

from harness import (TIMEOUT, WORLD, UsersBuild, contents, heed, is_sanitized, reversed_digits,
                     train_args, weights)
from mpirun import environment, is_usable, launch, ranks

LIMIT = 10  # seconds from a fault to the end of all processes


def is_alive(pid):
    """True if a process runs; a zombie counts as ended."""
    try:
        return "\nState:\tZ" not in pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


class Processes(UsersBuild):
    def setUp(self):
        super().setUp()
        if is_sanitized():
            self.skipTest("Open MPI keeps memory to its end, which the sanitizer reports")
        if not is_usable(WORLD.heed):
            self.skipTest("no Open MPI here")

    def trains(self, processes, *args):
        with launch(WORLD.heed, processes, *args) as run:
            said = run.communicate(timeout=TIMEOUT)[1].decode()
        self.assertEqual(run.returncode, 0, said)
        return said

    def refused(self, says, *commands):
        """Runs mpirun and checks that heed prints one line, besides the lines of mpirun."""
        result = subprocess.run(["mpirun", "--oversubscribe", *map(str, commands)],
                                capture_output=True, timeout=TIMEOUT, check=False,
                                env=environment())
        self.assertNotEqual(result.returncode, 0)
        lines = [line for line in result.stderr.decode().splitlines()
                 if line.startswith("heed: ")]
        self.assertEqual(len(lines), 1, result.stderr.decode())
        self.assertIn(says, lines[0])

    def same_bits(self, *args):
        """Trains in one to four processes with different numbers of threads. `args` have no
        --out."""
        expected = None
        for processes, threads in ((1, 2), (2, 1), (3, 2), (4, 1)):
            out = self.folder / f"in-{processes}"
            command = [*args, "--shards", 4, "--threads", threads, "--out", out]
            if processes == 1:
                self.runs(*command)
            else:
                said = self.trains(processes, *command)
                self.assertTrue(said.startswith(
                    f"{processes} processes × {threads} thread"), said)
                self.assertEqual(said.count("trained "), 1, said)
            expected = expected or weights(out)
            self.assertEqual(weights(out), expected, processes)

    def test_translation_has_the_same_bits(self):
        args = train_args(None, threads=None, dropout=0.2, validate_every=4, ema=0.9)
        self.same_bits(*args)

    def test_classification_has_the_same_bits(self):
        lines = reversed_digits(60, 4)[0].splitlines()
        texts = self.put("texts", "".join(f"{line.count('7')}\t{line}\n" for line in lines))
        self.same_bits("train", "--task", "classify", "--texts", texts, "--vocabulary", "words",
                       "--valid-texts", texts, "--epochs", 2, "--batch-tokens", 200)

    def test_what_learns_by_reward_has_the_same_bits(self):
        args = train_args(None, threads=None, normalizer="hard", accumulate=2)
        self.same_bits(*args)

    def test_going_on_in_another_number_gives_the_same_bits(self):
        args = train_args(None, validate_every=4, shards=4)
        whole, parts = self.folder / "whole", self.folder / "parts"
        self.runs(*args, "--out", whole)
        self.trains(3, *args, "--out", parts, "--steps", 5)
        self.trains(2, "train", "--resume", parts, "--steps", 9)
        self.runs("train", "--resume", parts, "--steps", 0, "--threads", 2)
        self.assertEqual(weights(parts), weights(whole))

    def test_a_run_is_verified_in_any_number(self):
        out = self.folder / "model"
        args = train_args(out, validate_every=4, shards=4, dropout=0.1)
        self.trains(2, *args)
        before = contents(out)
        self.assertIn("and all weights", self.runs("verify", out))
        self.assertIn("equal: 5 steps, of which 5 compared",
                      self.runs("verify", out / "run.json", "--steps", 5))
        with launch(WORLD.heed, 3, "verify", out, stdout=subprocess.PIPE) as run:
            said = run.communicate(timeout=TIMEOUT)[0].decode()
        self.assertEqual((run.returncode, said.count("equal: ")), (0, 1), said)
        self.assertEqual(contents(out), before)

        record = json.loads((out / "run.json").read_text())
        self.assertEqual(record["shards"], 4)
        name = max(record["weights"])
        for change, says in ((lambda r: r["steps"].update({"7": "00000000"}), "step 7"),
                             (lambda r: r["weights"].update({name: "00000000"}), name)):
            changed = json.loads((out / "run.json").read_text())
            change(changed)
            other = self.folder / "other"
            shutil.copytree(out, other, dirs_exist_ok=True)
            (other / "run.json").write_text(json.dumps(changed))
            result = heed("verify", other)
            self.assertEqual(result.returncode, 1)
            self.assertIn("differs", result.stdout.decode())
            self.assertIn(says, result.stdout.decode())
        (out / "run.json").write_text("{}")
        self.fails(1, "not the record of a run", "verify", out)
        (out / "run.json").unlink()
        self.fails(1, "run.json", "verify", out)

    def ends_by(self, sign, rank):
        """Sends a signal to one of three ranks at work; returns heed's output."""
        out = self.folder / "model"
        args = train_args(out, shards=4, epochs=100000, patience=0, validate_every=50)
        with launch(WORLD.heed, 3, *args) as run:
            end = time.monotonic() + TIMEOUT
            while not (out / "model.safetensors").exists():
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
            found = ranks(run)
            self.assertEqual(sorted(found), [0, 1, 2])
            begin = time.monotonic()
            os.kill(found[rank], sign)
            said = run.communicate(timeout=TIMEOUT)[1].decode()
            self.assertLess(time.monotonic() - begin, LIMIT)
        self.assertNotEqual(run.returncode, 0)
        end = time.monotonic() + LIMIT
        for pid in found.values():
            while is_alive(pid):
                self.assertLess(time.monotonic(), end, said)
                time.sleep(0.05)
        # From any state, two processes continue to bits equal to an uninterrupted run.
        info = heed("info", out, "--json")
        self.assertEqual(info.returncode, 0, info.stderr)
        self.trains(2, "train", "--resume", out, "--steps", 1500, "--quiet")
        whole = self.folder / "whole"
        self.runs(*train_args(whole, shards=4, epochs=100000, patience=0, validate_every=50,
                              steps=1500), "--quiet")
        self.assertEqual(weights(out), weights(whole))
        return [line for line in said.splitlines() if line.startswith("heed: ")]

    def test_one_that_is_killed(self):
        said = self.ends_by(signal.SIGKILL, 1)
        # The launcher may report the rank first.
        self.assertTrue(all("rank 1 on" in line for line in said), said)

    def test_the_leading_one_killed(self):
        self.ends_by(signal.SIGKILL, 0)

    def test_one_that_is_stopped(self):
        said = self.ends_by(signal.SIGSTOP, 2)
        self.assertEqual(len(said), 1, said)
        self.assertIn("rank 2 on", said[0])
        self.assertIn("--resume", said[0])

    def test_a_request_to_end(self):
        said = self.ends_by(signal.SIGTERM, 2)
        self.assertEqual(len(said), 1, said)
        self.assertIn("stopped after step", said[0])

    def test_an_error_of_the_leading_one_is_said_once(self):
        args = train_args(self.folder / "model")
        (self.folder / "model").write_text("a file")
        self.refused("cannot write to the folder", "-n", "3", WORLD.heed, *args)

    def test_other_files_settings_and_shards_are_refused(self):
        args = list(map(str, train_args(None)))
        out = ["--out", str(self.folder / "model")]
        one = ["-n", "1", WORLD.heed, *args, *out]
        other = [*train_args(None, target=self.put("other", "1 2\n" * 240)), *out]
        self.refused("rank 1 on", *one, ":", "-n", "1", WORLD.heed, *other)
        self.refused("settings differ", *one, "--seed", "2", ":", *one)
        self.refused("share 2 shards", "-n", "3", WORLD.heed, *args, *out, "--shards", "2")
        self.refused("power of two", "-n", "2", WORLD.heed, *args, *out, "--shards", "3")
        for says, change in (("no-such", {"source": "no-such"}), ("stream", {"source": "-"}),
                             ("units", {"units": "many"})):
            self.refused(says, "-n", "2", WORLD.heed, *train_args(None, **change), *out)
        self.assertFalse((self.folder / "model").exists())

    def test_without_the_library_the_error_names_the_package(self):
        alone = self.folder / "heed"
        shutil.copy(WORLD.heed, alone)
        result = subprocess.run([alone, *map(str, train_args(self.folder / "model"))],
                                capture_output=True, check=False, timeout=TIMEOUT,
                                env=dict(os.environ, OMPI_COMM_WORLD_SIZE="2"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("heed-mpi", result.stderr.decode())
        # A single process does not need the MPI library.
        result = subprocess.run([alone, *map(str, train_args(self.folder / "model"))],
                                capture_output=True, check=False, timeout=TIMEOUT)
        self.assertEqual(result.returncode, 0, result.stderr.decode())


