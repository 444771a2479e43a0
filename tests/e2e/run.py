#!/usr/bin/env python3
"""Runs the heed command from end to end: run.py HEED [UNITTEST ARGS]

Trains tiny models, stops them in every way and gives them bad input. Needs only Python.
"""

import gzip
import json
import os
import pathlib
import random
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from align import Align  # noqa: F401  (unittest finds them here)
from attention import Attention, Demos  # noqa: F401
from bergamot import Bergamot  # noqa: F401
from cancel import Cancel  # noqa: F401
from captions import Captions  # noqa: F401
from command import FilesAddUp, Help, Missing, Names, OwnName, Start  # noqa: F401
from connections import Connections  # noqa: F401
from convert import Convert  # noqa: F401
from damage import Damage, LittleMemory  # noqa: F401
from distill import Distill  # noqa: F401
from documents import Documents  # noqa: F401
from each_task import EachTask  # noqa: F401
from explain import Explain  # noqa: F401
from firefox import Firefox  # noqa: F401
from graphs import Graphs  # noqa: F401
from images import Images  # noqa: F401
from imported import Imported  # noqa: F401
from languages import Languages, ModelNames, MultiTarget  # noqa: F401
from large_text import LargeText  # noqa: F401
from libretranslate import LibreTranslate  # noqa: F401
from lines import BadLines, Forms, Json, LongLines, Tables  # noqa: F401
from manual import Completion, Manual  # noqa: F401
from markup import Markup  # noqa: F401
from memories import Memories  # noqa: F401
from normalization import Normalization  # noqa: F401
from options import (DemoMemory, Described, Ends, ExplainedWithoutAttention,  # noqa: F401
                     Measures, WithoutEffect)  # noqa: F401
from pictures import Pictures  # noqa: F401
from plot import Plot  # noqa: F401
from processes import Processes  # noqa: F401
from processors import Processors  # noqa: F401
from ratings import Ratings  # noqa: F401
from readers import Ratings as PublicRatings, Readers, Stories  # noqa: F401
from reading import Reading  # noqa: F401
from serve import Serve  # noqa: F401
from serve_limits import Limits, Service  # noqa: F401
from speech import Speech  # noqa: F401
from strings import Scripts, Strings  # noqa: F401
from tables import Headers, Series, Unvalidated  # noqa: F401
from tasks import Engine, Tasks  # noqa: F401
from visits import Visits  # noqa: F401
from training import (Beginnings, Folders, Prolonging, SmallData, Streams)  # noqa: F401
from wording import Wording  # noqa: F401
from harness import (TIMEOUT, WORLD, EndToEnd, contents, heed, is_sanitized, reversed_digits,
                     strict_json, train_args, weights, write_text)

SECONDS_OF_A_DAY = 24 * 60 * 60
EVALUATE_KEYS = {"bleu", "chrf", "loss", "perplexity", "exact_match", "sentence_error",
                 "word_error_rate", "aer", "sentences", "references", "seconds", "signature"}
BENCH_KEYS = {"model", "dtype", "threads", "tokens_per_second", "ms_per_step",
              "peak_bytes", "peak_rss_bytes", "floor_ms", "limit_gflops"}


class Whole(EndToEnd):
    def test_train_translate_evaluate_info(self):
        source, _ = reversed_digits(24, 1)
        output = self.runs("translate", WORLD.model, stdin=source.encode())
        self.assertEqual(output.count("\n"), 24)

        text = ["--source", WORLD.work / "valid.source", "--target", WORLD.work / "valid.target"]
        picture = self.folder / "length.svg"
        self.assertIn("BLEU", self.runs("evaluate", WORLD.model, *text))
        result = strict_json(self.runs("evaluate", WORLD.model, *text, "--json", "--lowercase",
                                       "--by-length", picture))
        self.assertEqual(set(result), EVALUATE_KEYS)
        self.assertEqual(result["sentences"], 24)
        self.assertIsNone(result["aer"])
        self.assertIn("case:lc", result["signature"])
        self.assertTrue(picture.read_text().startswith("<svg"))

        links = "".join(f"0-{len(line.split()) - 1}\n" for line in source.splitlines())
        gold = self.put("gold", links)
        result = strict_json(self.runs("evaluate", WORLD.model, *text, "--json",
                                       "--alignment-gold", gold))
        self.assertTrue(0 <= result["aer"] <= 100)
        two = strict_json(self.runs("evaluate", WORLD.model, WORLD.model, *text, "--json"))
        self.assertEqual([m["model"] for m in two["models"]], [WORLD.model, WORLD.model])

        info = strict_json(self.runs("info", WORLD.model, "--json"))
        self.assertEqual(info["config"]["units"], 16)
        self.assertEqual(info["source_vocabulary"], 14)
        self.assertIn("rnnsearch", self.runs("info", WORLD.model))

    def test_learns(self):
        """Every model learns to copy, from a compressed table."""
        digits = reversed_digits(240, 5)[0].splitlines()
        table = self.folder / "pairs.tsv.gz"
        with gzip.open(table, "wt") as file:
            file.writelines(f"{line}\t{line}\n" for line in digits)
        for model in ("fixed", "bahdanau", "luong"):
            out = self.folder / model
            self.runs(*train_args(out, source=None, target=None, valid_source=None,
                                  valid_target=None, tsv=table, model=model, epochs=8,
                                  units=32, learning_rate=0.01))
            result = strict_json(self.runs("evaluate", out, "--tsv", table, "--json"))
            self.assertLess(result["loss"], 2, model)  # 2.4 by chance

    def test_lists(self):
        for what, key in (("models", "model"), ("scores", "score")):
            rows = strict_json(self.runs("list", what, "--json"))
            self.assertEqual(list(rows), [what])
            for row in rows[what]:
                self.assertTrue(row[key])
                self.assertIn(row[key], self.runs("list", what))

    def test_bench(self):
        result = strict_json(self.runs(
            "bench", "train", "--batch", 2, "--src-len", 2, "--tgt-len", 2, "--vocab", 12,
            "--steps", 1, "--json"))
        self.assertEqual(set(result), BENCH_KEYS)
        self.assertGreater(result["tokens_per_second"], 0)

    def test_help_and_version(self):
        self.assertIn("Usage", self.runs())
        self.assertRegex(self.runs("--version"), r"^heed \d+\.\d+\.\d+\n$")

    def test_config_file_is_what_a_model_holds(self):
        config = self.put("c.json", '{"units": 5, "embedding": 6, "epochs": 9}')
        out = self.folder / "model"
        self.runs(*train_args(out, units=None, embedding=None, epochs=1, config=config))
        held = json.loads((out / "config.json").read_text())
        self.assertEqual([held[k] for k in ("units", "embedding", "epochs")], [5, 6, 1])
        again = self.folder / "again"
        self.runs("train", "--config", out / "config.json", "--out", again)
        repeated = json.loads((again / "config.json").read_text())
        self.assertEqual({k for k in held if held[k] != repeated[k]}, {"out", "heed"})
        self.assertEqual((out / "model.safetensors").read_bytes(),
                         (again / "model.safetensors").read_bytes())

    def test_without_validation_text(self):
        out = self.folder / "model"
        self.runs(*train_args(out, valid_source=None, valid_target=None))
        self.runs("translate", out, stdin=b"1 2\n")


class Stopping(EndToEnd):
    """Interrupted runs resume to the same weights."""

    def whole(self, **changes):
        out = self.folder / "whole"
        self.runs(*train_args(out, **changes))
        return out

    def killed_at_random(self, seed, **changes):
        draw = random.Random(seed)
        whole = self.whole(**changes)
        out = self.folder / "killed"
        kills = 0
        while True:
            begun = any((out / at / "config.json").exists() for at in ("", ".ready"))
            args = ["train", "--resume", out] if begun else train_args(out, **changes)
            with subprocess.Popen([WORLD.heed, *map(str, args)], stderr=subprocess.PIPE) as run:
                try:
                    # The time limit grows, so that the loop ends on any machine.
                    run.communicate(timeout=draw.uniform(0, 0.03 * 1.15**kills))
                except subprocess.TimeoutExpired:
                    run.kill()
                    run.communicate()
                    kills += 1
                    continue
                self.assertEqual(run.returncode, 0)
                break
        self.assertGreater(kills, 1)
        self.assertEqual(weights(out), weights(whole))
        steps = [json.loads(line)["step"]
                 for line in (out / "metrics.jsonl").read_text().splitlines()]
        self.assertEqual(steps, sorted(steps))
        self.assertEqual([name for name in contents(out) if name.endswith(".tmp")], [])

    def test_kill_while_checkpoints_are_written(self):
        self.killed_at_random(1, checkpoint_every=1, epochs=12, keep=2, average=2)

    def test_kill_between_checkpoints(self):
        self.killed_at_random(2, epochs=40, validate_every=25, dropout=0.3, threads=2)

    def test_resume_of_a_finished_run_says_so(self):
        out = self.whole()
        before = weights(out)
        result = heed("train", "--resume", out)
        self.assertEqual(result.returncode, 0)
        self.assertIn(b"nothing left to train", result.stderr)
        self.assertEqual(weights(out), before)

    def test_interrupt_writes_a_checkpoint(self):
        changes = {"epochs": 150, "valid_source": None, "valid_target": None,
                   "checkpoint_minutes": 0, "validate_every": 100000}
        whole = self.whole(**changes)
        for stop in (signal.SIGINT, signal.SIGTERM):
            out = self.folder / stop.name
            with subprocess.Popen([WORLD.heed, *map(str, train_args(out, **changes))],
                                  stderr=subprocess.PIPE) as run:
                log = out / "metrics.jsonl"
                while run.poll() is None and not (log.exists() and log.stat().st_size):
                    time.sleep(0.001)
                run.send_signal(stop)
                last = run.communicate(timeout=TIMEOUT)[1].decode().splitlines()[-1]
            self.assertEqual(run.returncode, 130)
            self.assertRegex(last, r"^heed: stopped after step \d+ of \d+ before its first "
                                   f"validation; {out} holds unvalidated weights; continue "
                                   f"with: heed train --resume {out}$")
            self.runs("train", "--resume", out)
            self.assertEqual(weights(out), weights(whole))

    def test_interrupt_of_other_commands(self):
        with subprocess.Popen([WORLD.heed, "translate", WORLD.model], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            run.stdin.write(b"1 2\n")
            run.stdin.flush()
            run.stdout.readline()
            run.send_signal(signal.SIGINT)
            error = run.communicate(timeout=TIMEOUT)[1]
        self.assertEqual(run.returncode, 130)
        self.assertEqual(error, b"heed: interrupted\n")

    def test_resume_takes_no_settings(self):
        self.fails(2, "--units", "train", "--resume", WORLD.model, "--units", 5)

    def test_resume_refuses_other_text(self):
        write_text(self.folder)
        changes = {"source": self.folder / "train.source"}
        out = self.whole(**changes)
        self.put("train.source", (self.folder / "train.source").read_bytes()[::-1].strip()
                 + b"\n")
        before = contents(out)
        result = heed("train", "--resume", out)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"not what this run began with", result.stderr)
        self.assertEqual(contents(out), before)

    def test_numbers_that_are_not_finite(self):
        out = self.folder / "model"
        args = train_args(out, learning_rate=1000, optimizer="sgd", clip=0,
                          momentum=0.999, epochs=100)
        result = heed(*args)
        self.assertEqual(result.returncode, 1)
        last = result.stderr.decode().splitlines()[-1]
        self.assertRegex(last, r"^heed: step \d+: .*coder\..* is not finite; training "
                               r"stopped, .* last good checkpoint \(step \d+\)")
        for line in (out / "metrics.jsonl").read_text().splitlines():
            strict_json(line)
        self.assertTrue((out / "training.safetensors").exists())


class BadInput(EndToEnd):
    """Failures print one line, exit with the right status and leave all files unchanged."""

    def train_fails(self, status, says, **changes):
        out = self.folder / "deep" / "out"
        self.fails(status, says, *train_args(out, **changes))
        self.assertFalse((self.folder / "deep").exists())
        # An existing model is kept.
        before = contents(WORLD.model)
        self.fails(status, says, *train_args(WORLD.model, **changes), "--overwrite")
        self.assertEqual(contents(WORLD.model), before)

    def test_text_files(self):
        good = (WORLD.work / "train.source").read_bytes()
        missing = self.folder / "missing"
        self.train_fails(1, [str(missing), "No such file"], source=missing)
        self.train_fails(1, [str(missing), "No such file"], valid_target=missing)
        self.train_fails(1, ["Is a directory", str(WORLD.work)], target=WORLD.work)
        self.train_fails(1, "Not a directory", target=WORLD.work / "train.source" / "x")
        empty = self.put("empty", b"")
        self.train_fails(1, [str(empty), "empty"], source=empty)
        cut = self.put("cut.gz", gzip.compress(good)[:-100])
        self.train_fails(1, [str(cut), "truncated gzip"], source=cut)
        bytes_ = bytearray(gzip.compress(good))
        bytes_[len(bytes_) // 2] ^= 0xFF
        bad = self.put("bad.gz", bytes(bytes_))
        self.train_fails(1, [str(bad), "gzip"], source=bad)
        short = self.put("short", good[:good[:-1].rindex(b"\n") + 1])
        self.train_fails(1, ["240", "239", str(short)], source=short)
        lines = good.split(b"\n")
        lines[6] = b"1 \xc3\x28 2"
        broken = self.put("broken", b"\n".join(lines))
        self.train_fails(1, [f"{broken}:7", "UTF-8"], source=broken)
        table = self.put("table", "1\t2\n3 4\n")
        self.train_fails(1, f"{table}:2", tsv=table, source=None, target=None)
        blank = self.put("blank", b" \n" * 240)
        self.train_fails(2, "no words", source=blank)
        self.train_fails(2, "no training pair is left", max_length=1)

    def test_unreadable_text(self):
        if os.geteuid() == 0:
            self.skipTest("everything is readable for root")
        locked = self.put("locked", "1\n")
        locked.chmod(0)
        self.train_fails(1, [str(locked), "Permission denied"], source=locked)

    def test_settings(self):
        for says, changes in {
            ("--units", "1 to 16384"): {"units": 0},
            ("--units", "whole number"): {"units": "1e99"},
            ("--embedding", "-4"): {"embedding": -4},
            ("--learning-rate", "finite"): {"learning_rate": "nan"},
            ("--dropout", "below 1"): {"dropout": 1},
            ("model", "fixed, bahdanau, luong"): {"model": "transfomer"},
            ("score: ", "euclid", "additive"): {"score": "euclid"},
            ("unknown option '--unit', did you mean --units",): {"unit": 3},
            ("units", "encoder"): {"score": "dot", "encoder_units": 7},
            ("size is 3",): {"source_vocabulary_size": 3},
            ("--valid-source and --valid-target",): {"valid_source": None},
            ("--source FILE and --target FILE, or --tsv",): {"source": None},
            ("not both",): {"tsv": WORLD.work / "train.source"},
        }.items():
            with self.subTest(changes):
                self.train_fails(2, says, **changes)

    def test_config_files(self):
        bad_key = self.put("key.json", '{"unit": 3}')
        self.train_fails(2, [str(bad_key), "unknown key", "did you mean 'units'"],
                         config=bad_key)
        bad_value = self.put("value.json", '{"units": "many"}')
        self.train_fails(2, [str(bad_value), "units", "whole number"], config=bad_value)
        self.train_fails(1, "not valid JSON", config=self.put("no.json", '{"units": '))
        self.train_fails(1, "No such file", config=self.folder / "none.json")

    def test_calls(self):
        self.fails(2, ["unknown command", "did you mean 'train'", "evaluate"], "trian")
        self.fails(2, ["unknown option", "--beam"], "translate", WORLD.model, "--beams", 3)
        self.fails(2, "unexpected argument", "info", WORLD.model, "x")
        self.fails(2, "unexpected argument 'tag', did you mean --task tag?", "train", "tag")
        self.fails(2, "missing: DIR", "translate")
        self.fails(2, "one of tasks, models, attentions, scores", "list", "fish")
        self.fails(2, "one of train, attention, convolution", "bench", "fish")
        self.fails(2, ["nbest", "beam"], "translate", WORLD.model, "--nbest", 6, stdin=b"1\n")
        self.fails(2, ".svg, .html", "translate", WORLD.model, "--alignments", "x.png")
        self.fails(2, "--source FILE and --target FILE, or --tsv", "evaluate", WORLD.model)
        self.fails(2, "--out", *train_args(None))
        self.fails(2, "--overwrite", *train_args(WORLD.model))

    def test_out_that_cannot_be_made(self):
        file = self.put("file", "content")
        for out in (file, file / "model"):
            # The error comes before the text is read.
            self.fails(1, str(out), *train_args(out, source=self.folder / "missing"))
        self.assertEqual(file.read_text(), "content")

    def test_outputs_that_cannot_be_written_are_told_before_the_work(self):
        lost = self.folder / "none" / "x.svg"
        result = self.fails(1, str(lost), "translate", WORLD.model, "--alignments", lost,
                            stdin=b"1 2\n")
        self.assertEqual(result.stdout, b"")
        self.fails(1, str(lost), "evaluate", WORLD.model, "--by-length", lost, "--source",
                   WORLD.work / "valid.source", "--target", WORLD.work / "valid.target")

    def test_model_folders(self):
        self.fails(1, "not a folder", "translate", self.folder / "none")
        self.fails(1, "config.json", "info", self.folder)
        for name in ("config.json", "model.safetensors", "source.vocabulary.txt",
                     "target.vocabulary.txt"):
            for damage in ("missing", "short", "flipped"):
                with self.subTest(file=name, damage=damage):
                    copy = self.folder / "copy"
                    shutil.copytree(WORLD.model, copy)
                    data = bytearray((copy / name).read_bytes())
                    (copy / name).unlink()
                    if damage == "short":
                        (copy / name).write_bytes(data[:len(data) // 2])
                    if damage == "flipped":
                        data[len(data) // 2] ^= 1
                        (copy / name).write_bytes(data)
                    says = f"{copy}/{name}"
                    if (name, damage) == ("config.json", "missing"):
                        says = f"{copy}: not a folder with a model (it has no config.json)"
                    for command in ("info", "translate"):
                        self.fails(1, says, command, copy)
                    shutil.rmtree(copy)

    def test_newer_version(self):
        copy = self.folder / "copy"
        shutil.copytree(WORLD.model, copy)
        config = json.loads((copy / "config.json").read_text())
        config["heed"]["format"] = 99
        (copy / "config.json").write_text(json.dumps(config))
        self.fails(1, ["newer version", "99"], "info", copy)

    def test_damaged_checkpoint(self):
        copy = self.folder / "copy"
        shutil.copytree(WORLD.model, copy)
        path = copy / "training.safetensors"
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 4
        path.write_bytes(data)
        before = contents(copy)
        result = heed("train", "--resume", copy)
        self.assertEqual(result.returncode, 1)
        self.assertIn(str(path).encode(), result.stderr)
        self.assertEqual(contents(copy), before)

    def test_gold_alignments(self):
        text = ["--source", WORLD.work / "valid.source", "--target", WORLD.work / "valid.target"]
        for content, says in (("0-0\n", "1 lines of links for 24"),
                              ("0-0\n" * 23 + "x\n", ":24"), ("", "empty")):
            gold = self.put("gold", content)
            self.fails(1, [str(gold), says], "evaluate", WORLD.model, *text,
                       "--alignment-gold", gold)


def with_small_files(size):
    """Returns options that limit the size of files, to simulate a full disk."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return {"preexec_fn": limit, "restore_signals": False}


class FullDisk(EndToEnd):
    def test_standard_output(self):
        for args in (["--help"], ["list", "models"], ["info", WORLD.model, "--json"],
                     ["translate", WORLD.model]):
            for full in (True, False):
                with self.subTest(args=args, full=full), open("/dev/full", "wb") as file:
                    run = subprocess.run(
                        [WORLD.heed, *args], input=b"1 2 3\n", timeout=TIMEOUT, check=False,
                        stdout=file, stderr=subprocess.PIPE,
                        preexec_fn=None if full else lambda: os.close(1))
                    error = run.stderr.decode()
                    self.assertEqual(run.returncode, 1, error)
                    self.assertRegex(error, r"^heed: [^\n]*\n$")

    def test_closed_standard_error_spoils_no_file(self):
        out = self.folder / "model"
        run = subprocess.run([WORLD.heed, *map(str, train_args(out))], timeout=TIMEOUT,
                             check=False, preexec_fn=lambda: os.close(2))
        self.assertEqual(run.returncode, 0)
        self.runs("info", out)

    def test_train(self):
        for size in (100, 3000, 20000):
            out = self.folder / str(size)
            result = heed(*train_args(out), **with_small_files(size))
            self.assertEqual(result.returncode, 1)
            last = result.stderr.decode().splitlines()[-1]
            self.assertRegex(last, "^heed: cannot write .*File too large")

    def test_resume_keeps_what_was_there(self):
        out = self.folder / "model"
        args = map(str, train_args(out, epochs=100000, patience=0))
        with subprocess.Popen([WORLD.heed, *args], stderr=subprocess.DEVNULL) as run:
            while run.poll() is None and not (out / "model.safetensors").exists():
                time.sleep(0.001)
            run.kill()
        names = ("model.safetensors", "training.safetensors")
        before = [(out / name).read_bytes() for name in names]
        result = heed("train", "--resume", out, **with_small_files(len(before[0]) - 1))
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"File too large", result.stderr)
        self.assertEqual([(out / name).read_bytes() for name in names], before)

    def test_pictures(self):
        picture = self.put("look.svg", "old")
        self.fails(1, str(picture), "translate", WORLD.model, "--alignments", picture,
                   stdin=b"1 2 3\n", **with_small_files(1000))
        self.assertEqual(picture.read_text(), "old")
        self.assertEqual(len(list(self.folder.iterdir())), 1)


class Translating(EndToEnd):
    def lines(self, text, *options):
        output = self.runs("translate", WORLD.model, *options, stdin=text)
        self.assertTrue(output == "" or output.endswith("\n"))
        return output.split("\n")[:-1]

    def test_strange_lines(self):
        strange = [b"", b" ", b"\t\x01\x02\x7f", b"\x00", "👩‍👩‍👧 🙂 é ¤".encode(),
                   "\u200b\u3000\u00a0".encode(), b"</s> <pad> <unk>", b"1 2 3",
                   b"1" * 100000]
        for options in ([], ["--beam", "1"], ["--replace-unknown"],
                        ["--sample", "--top-p", "0.9"]):
            lines = self.lines(b"\n".join(strange) + b"\n", *options)
            self.assertEqual(len(lines), len(strange), options)
            self.assertEqual(lines[0], "")
        self.assertEqual(self.lines(b""), [])
        self.assertEqual(self.lines(b"\n"), [""])
        self.assertEqual(len(self.lines(b"1 2\r\n3 4")), 2)

    def test_strange_lines_of_other_vocabularies(self):
        strange = b"\n\x00\x01\t \n\xf0\x9f\x99\x82\n" + b"7 " * 300 + b"\n"
        for kind, size in (("characters", 0), ("unigram", 16), ("bpe", 16)):
            out = self.folder / kind
            self.runs(*train_args(out, vocabulary=kind, source_vocabulary_size=size,
                                  target_vocabulary_size=size, epochs=1))
            output = self.runs("translate", out, stdin=strange)
            self.assertEqual(output.count("\n"), 4, kind)

    def test_long_line(self):
        line = b" ".join(b"%d" % (i % 10) for i in range(10000)) + b"\n"
        self.assertEqual(len(self.lines(line + b"1 2\n", "--beam", "5")), 2)
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertLess(used, 2 << 20)  # KiB, of the largest child so far

    def test_invalid_utf8_names_the_line(self):
        self.fails(1, ["standard input:3", "UTF-8"], "translate", WORLD.model, stdin=b"1\n2\n\xff\n")

    def test_order(self):
        source = [f"{i % 10} {i // 10 % 10} {i // 100}" for i in range(600)]
        source[5] = source[500] = ""
        text = ("\n".join(source) + "\n").encode()
        lines = self.lines(text, "--nbest", "2", "--beam", "2")
        numbers = [int(line.split(" ||| ")[0]) for line in lines]
        self.assertEqual(numbers, sorted(numbers))
        self.assertEqual(numbers.count(5), 1)
        self.assertEqual(len(lines), 2 * 598 + 2)
        self.assertEqual([i for i, line in enumerate(self.lines(text)) if not line.strip()
                          and not source[i]], [5, 500])

    def test_a_line_is_answered_before_the_next_is_sent(self):
        with subprocess.Popen([WORLD.heed, "translate", WORLD.model], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, bufsize=0) as run:
            for line in (b"1 2 3\n", b"\n", b"4 5\n"):
                run.stdin.write(line)
                self.assertTrue(select.select([run.stdout], [], [], TIMEOUT)[0])
                self.assertTrue(run.stdout.readline().endswith(b"\n"))
            run.stdin.close()
            self.assertEqual(run.wait(TIMEOUT), 0)

    def test_alignments(self):
        source = b"1 2 3\n\n4 5\n"
        for kind in ("svg", "html", "json", "pharaoh"):
            self.lines(source, "--alignments", self.folder / f"look.{kind}")
        sentences = strict_json((self.folder / "look.json").read_text())["sentences"]
        self.assertEqual(len(sentences), 3)
        self.assertEqual(sentences[0]["source"], ["1", "2", "3", "</s>"])
        links = (self.folder / "look.pharaoh").read_text().split("\n")[:-1]
        self.assertEqual(len(links), 3)
        for line, sentence in zip(links, sentences):
            pairs = [tuple(map(int, link.split("-"))) for link in line.split()]
            self.assertEqual([t for _, t in pairs],
                             list(range(max(0, len(sentence["target"]) - 1))))
            for s, _ in pairs:
                self.assertLess(s, len(sentence["source"]) - 1)

    def test_ensemble(self):
        text = b"1 2 3\n\n4 5\n"
        self.assertEqual(self.lines(text, "--ensemble", WORLD.model), self.lines(text))
        other = self.folder / "other"
        self.runs(*train_args(other, seed=2, epochs=1))
        self.assertEqual(len(self.lines(text, "--ensemble", f"{other},{WORLD.model}")), 3)
        files = "--source", WORLD.work / "valid.source", "--target", WORLD.work / "valid.target"
        alone, both = (json.loads(self.runs("evaluate", WORLD.model, *files, "--json", *options))
                       for options in ((), ("--ensemble", other)))
        self.assertNotEqual(alone["loss"], both["loss"])
        other = self.folder / "characters"
        self.runs(*train_args(other, epochs=1, vocabulary="characters"))
        self.fails(2, [str(other), "source vocabulary", WORLD.model], "translate", WORLD.model,
                   "--ensemble", other, stdin=text)

    def test_model_without_attention(self):
        out = self.folder / "fixed"
        self.runs(*train_args(out, model="fixed", epochs=1))
        self.runs("translate", out, stdin=b"1 2\n")
        for option in ("--replace-unknown", "--show-attention"):
            self.fails(2, "attention", "translate", out, option, stdin=b"1 2\n")


def load_tests(loader, suites, pattern):
    """Returns every SHARDS-th test, for parallel processes. With sanitizers, tests are slow,
    and unit tests run the code as well, so only a third of them is taken, another each day."""
    tests = [test for suite in suites for test in suite]
    if is_sanitized():
        tests = tests[int(time.time()) // SECONDS_OF_A_DAY % 3::3]
    shard, shards = (int(os.environ.get(name, one)) for name, one in (("SHARD", 0), ("SHARDS", 1)))
    return unittest.TestSuite(tests[shard::shards])


def main():
    WORLD.heed = str(pathlib.Path(sys.argv[1]).resolve())
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(prefix="heed-e2e-") as folder:
        WORLD.work = pathlib.Path(folder)
        write_text(WORLD.work)
        WORLD.model = str(WORLD.work / "model")
        heed(*train_args(WORLD.model, epochs=20, learning_rate=0.01)).check_returncode()
        unittest.main(argv=[sys.argv[0], *sys.argv[2:]])


if __name__ == "__main__":
    main()
