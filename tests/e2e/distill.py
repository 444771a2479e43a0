"""heed distill: a small model from a large one, in steps that go on after a stop."""

import json
import shutil
import signal
import subprocess
import time

from harness import (TIMEOUT, WORLD, EndToEnd, contents, heed, strict_json, train_args,
                     weights)

LINES = b"1 2 3\n4 5\n"
STUDENT = ["--width", 16, "--ff", 32, "--heads", 2, "--layers", 1, "--decoder-layers", 1,
           "--steps", 30, "--validate-every", 10]
STEPS = ["translate", "select", "filter", "align", "train", "fine-tune", "shortlist",
         "quantise and measure"]


class Distill(EndToEnd):
    def words(self, out, *more, student=(), teachers=None, tuning=10, **changes):
        files = {"source": WORLD.work / "train.source", "target": WORLD.work / "train.target",
                 "valid_source": WORLD.work / "valid.source",
                 "valid_target": WORLD.work / "valid.target"} | changes
        words = ["distill", *(teachers or [WORLD.model]), "--out", out, "--chunk", 50,
                 "--fine-tune-steps", tuning, "--threads", 1, *more]
        for key, value in files.items():
            if value is not None:
                words += ["--" + key.replace("_", "-"), value]
        return [*words, "--", *STUDENT, *student]

    def until(self, path, run):
        begin = time.monotonic()
        while not path.exists() and run.poll() is None and time.monotonic() - begin < TIMEOUT:
            time.sleep(0.002)

    def test_every_step_goes_on_to_the_same_model(self):
        whole = self.folder / "whole"
        first = heed(*self.words(whole))
        self.assertEqual(first.returncode, 0, first.stderr.decode())
        table = first.stdout.decode()
        for row in ("teacher", "student", "student, tuned for int8", "student in int8, shortlist"):
            self.assertIn(f"\n{row} ", table)
        notes = first.stderr.decode()
        for i, step in enumerate(STEPS, 1):
            self.assertIn(f"step {i} of 8: {step}\n", notes)
        report = strict_json((whole / "report.json").read_text())["models"]
        self.assertEqual(len(report), 5)
        self.assertLess(report[3]["bytes"], report[2]["bytes"])
        self.assertEqual(self.runs("translate", whole / "int8", "--dtype", "int8", stdin=LINES),
                         self.runs("translate", whole / "tuned", "--dtype", "int8", stdin=LINES))

        again = heed(*self.words(whole))
        self.assertEqual(again.stdout.decode(), table)
        self.assertEqual(again.stderr.decode().count("already done"), 8)

        stopped = self.folder / "stopped"
        places = ["translations/parallel-000001.json", "student/training.safetensors",
                  "tuned/training.safetensors"]
        for place in places:
            with subprocess.Popen([WORLD.heed, *map(str, self.words(stopped))],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
                self.until(stopped / place, run)
                run.send_signal(signal.SIGINT)
                _, error = run.communicate(timeout=TIMEOUT)
            self.assertIn(run.returncode, (0, 130), error)
            if run.returncode == 130 and b"interrupted" not in error:
                self.assertIn(b"run the command again to go on", error)
        self.runs(*self.words(stopped))
        same = lambda folder: {name: data for name, data in contents(folder).items()
                               if name.startswith(("translations", "selected", "filtered", "links"))}
        self.assertEqual(same(whole), same(stopped))
        for model in ("student", "tuned", "int8"):
            self.assertEqual(weights(whole / model), weights(stopped / model), model)

        self.options_of_finished_steps_are_kept(whole)
        self.deleted_outputs_are_made_again(stopped)

    def options_of_finished_steps_are_kept(self, out):
        self.fails(2, ["step 1 (translate)", "beam 8, not 4", "delete"],
                   *self.words(out, "--beam", 4, "--nbest", 4))
        self.fails(2, ["step 3 (filter)", "max_words 200, not 9"],
                   *self.words(out, "--max-words", 9))
        self.fails(2, ["step 5 (train)", "seed 1, not 2"],
                   *self.words(out, student=["--seed", 2]))
        self.fails(2, ["step 1 (translate)", "text"],
                   *self.words(out, source=WORLD.work / "train.target"))

    def deleted_outputs_are_made_again(self, out):
        before = weights(out / "student")
        shutil.rmtree(out / "student")
        run = heed(*self.words(out, student=["--seed", 2]))
        self.assertEqual(run.returncode, 0, run.stderr.decode())
        self.assertEqual(run.stderr.decode().count("already done"), 4)
        self.assertNotEqual(weights(out / "student"), before)

    def test_text_without_references_and_a_reverse_model(self):
        reverse = self.folder / "reverse"
        args = train_args(reverse, source=WORLD.work / "train.target",
                          target=WORLD.work / "train.source", epochs=1)
        self.runs(*args)
        out = self.folder / "out"
        result = heed(*self.words(
            out, "--mono", WORLD.work / "train.source", "--reverse", reverse, "--drop", 0.25,
            teachers=[WORLD.model, WORLD.model], tuning=0, source=None, target=None,
            student=["--noise-case", 0.1, "--noise-typos", 0.1]))
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        self.assertIn("improbable", result.stderr.decode())
        self.assertIn("step 7 of 7", result.stderr.decode())
        lines = lambda name: (out / name).read_text().splitlines()
        self.assertEqual(len(lines("selected.source")), 240)
        self.assertEqual(len(lines("filtered.source")), len(lines("links.pharaoh")))
        config = json.loads((out / "student/config.json").read_text())
        self.assertEqual((config["noise_case"], config["guided_alignment_weight"]), (0.1, 0.1))

    def test_too_little_space_is_found_before_the_translation(self):
        out = self.folder / "out"
        out.mkdir()
        mono = self.put("mono", "1 2 3\n" * 100000)
        small = ["unshare", "-rm", "sh", "-c",
                 'mount -t tmpfs -o size=1m none "$0" || exit 99; exec "$@"', out, WORLD.heed]
        try:
            run = subprocess.run([*map(str, [*small, *self.words(out, "--mono", mono)])],
                                 capture_output=True, timeout=TIMEOUT, check=False)
        except FileNotFoundError:
            self.skipTest("needs unshare")
        if run.returncode == 99 or run.stderr.startswith(b"unshare:"):
            self.skipTest("needs a file system of its own")
        self.assertEqual(run.returncode, 1, run.stderr.decode())
        self.assertIn("the translations need about 3 MB, but 1 MB are free", run.stderr.decode())

    def test_wrong_input_is_one_line(self):
        out = self.folder / "out"
        empty = self.put("empty", "")
        file = self.put("file", "x")
        header = self.put("pairs.csv", "source,target\n")
        self.fails(1, "is empty", *self.words(out, source=empty, target=empty))
        self.fails(1, "pairs.csv", *self.words(out, "--tsv", header, source=None, target=None))
        self.fails(1, "cannot be created", *self.words(file / "out"))
        self.fails(2, "--width", *self.words(out, student=["--widht", 3]))
        self.fails(2, "heed distill sets it", *self.words(out, student=["--out", "x"]))
        self.fails(2, "--resume", *self.words(out, student=["--resume", WORLD.model]))
        self.fails(2, ["--source", "--mono"], *self.words(out, source=None, target=None))
        self.fails(1, "has 240 lines", *self.words(out, target=WORLD.work / "valid.target"))
        self.assertFalse((out / "translations").exists())
        out.mkdir(exist_ok=True)
        (out / "steps.json").write_text('{"translate": 1}')
        self.fails(1, ["steps.json", "no record of steps"], *self.words(out))
        (out / "steps.json").unlink()
        lm = self.folder / "lm"
        self.runs("train", "--task", "lm", "--texts", WORLD.work / "train.source", "--out", lm,
                  "--vocabulary", "words", "--epochs", 1, "--threads", 1, "--units", 8)
        self.fails(2, ["task 'lm'", "translator"], *self.words(out, teachers=[lm]))
