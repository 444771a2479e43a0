"""Initial weights, inputs of a training, and folders that contain a model."""

import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
import time

from harness import (TIMEOUT, WORLD, EndToEnd, UsersBuild, contents, heed, reversed_digits,
                     train_args, users_build, weights)

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"


def started(*args, **options):
    return subprocess.Popen([WORLD.heed, *map(str, args)], stderr=subprocess.PIPE,
                            stdout=subprocess.DEVNULL, **options)


def wait_for(path):
    end = time.monotonic() + TIMEOUT
    while not path.exists():
        assert time.monotonic() < end, path
        time.sleep(0.005)


class SmallData(UsersBuild):
    def trains(self, *args):
        out = self.folder / "model"
        result = heed("train", *args, "--out", out, "--overwrite", "--epochs", 2, "--threads", 1)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        self.runs("info", out)
        return result.stderr.decode()

    def test_three_pairs_are_enough_for_the_defaults(self):
        files = ["--source", self.put("a", "the dog\na cat\nthe cat sleeps\n"),
                 "--target", self.put("b", "der Hund\neine Katze\ndie Katze schläft\n")]
        said = self.trains(*files)
        self.assertEqual(said.count("(the text does not allow 8000)"), 2, said)
        for options in (["--vocabulary", "bpe"], ["--joint-vocabulary"], ["--vocabulary", "words"],
                        ["--vocabulary", "characters"], ["--target-vocabulary", "characters"],
                        ["--vocabulary", "bpe", "--joint-vocabulary", "--bpe-dropout", 0.1],
                        ["--source-vocabulary-size", 5, "--target-vocabulary-size", 300],
                        ["--model", "transformer-tiny", "--schedule", "cosine", "--warmup", 400]):
            with self.subTest(options):
                said = self.trains(*files, *options)
        self.assertIn("a warm-up of 400 steps would outlast the run of 2", said)

    def test_learned_positions_end_texts_and_never_a_training(self):
        """Two to six digits, for a model with five positions: four tokens and an end mark."""
        source, target = reversed_digits(60, 3)
        pairs = ["--source", self.put("s", source), "--target", self.put("t", target),
                 "--valid-source", self.put("vs", source), "--valid-target", self.put("vt", target),
                 "--vocabulary", "words", "--model", "transformer-tiny", "--layers", 1, "--width", 16,
                 "--heads", 2, "--position", "learned", "--max-positions", 5]
        long = sum(len(line.split()) > 4 for line in source.splitlines())
        for more in ([], ["--valid-beam", 3, "--metric", "exact_match"], ["--max-length", 3]):
            with self.subTest(more):
                said = self.trains(*pairs, *more)
                if "--max-length" not in more:
                    self.assertIn(f"(dropped: {long} longer than 4 tokens", said)
                self.assertIn("the model has 5 positions", said)
                self.assertIn("left out of the loss", said)
        model = self.folder / "model"
        result = heed("translate", model, "--threads", 1, stdin=b"1 2 3 4 5 6\n1 2\n")
        self.assertEqual(result.returncode, 0)
        self.assertIn(b"the end of 1 sources was not read", result.stderr)
        parts = heed("predict", model, "--output", "json", stdin=b"1 2 3 4 5 6\n")
        self.assertEqual(parts.returncode, 0, parts.stderr)

    def test_learned_positions_limit_other_tasks_too(self):
        few = ["--position", "learned", "--max-positions", 6, "--layers", 1, "--width", 16, "--heads", 2]
        words = "one two three four five six seven eight nine ten\n"
        lines = self.put("lines", words * 3 + "one two\n" * 3)
        labelled = self.put("labelled", f"x\t{words}y\tone two\n" * 3)
        self.trains("--task", "lm", "--model", "transformer-tiny", "--texts", lines,
                    "--vocabulary", "words", "--valid-texts", lines, *few)
        said = self.trains("--task", "classify", "--model", "transformer-tiny", "--texts", labelled,
                           "--vocabulary", "words", *few)
        self.assertIn("only the first 6 tokens are read", said)
        self.trains("--task", "autocomplete", "--model", "transformer-tiny", "--texts", lines, *few)
        corpus = self.put("corpus", f"1\t{words}2\ta cat\n3\tthe cat sleeps\n")
        relevant = self.put("relevant", "1\t3\n2\t3\n")
        self.trains("--task", "retrieve", "--model", "transformer-tiny", "--corpus", corpus,
                    "--relevant", relevant, "--vocabulary", "words", *few)

    def test_three_lines_are_enough_for_every_task(self):
        lines = self.put("lines", "the dog\na cat\nthe cat sleeps\n")
        labelled = self.put("labelled", "x\tthe dog\ny\ta cat\nx\tthe cat sleeps\n")
        tagged = self.put("tagged", "Anna B-PER\nsleeps O\n\nwe O\nmet O\nBen B-PER\n")
        corpus = self.put("corpus", "1\tthe dog\n2\ta cat\n3\tthe cat sleeps\n")
        relevant = self.put("relevant", "1\t3\n2\t3\n")
        for kind in ("unigram", "bpe", "wordpiece"):
            self.trains("--task", "classify", "--texts", labelled, "--vocabulary", kind)
        for task in ("lm", "autocomplete"):
            self.trains("--task", task, "--texts", lines)
        self.trains("--task", "tag", "--texts", tagged)
        said = self.trains("--task", "tag", "--model", "bert-tiny", "--texts", tagged)
        self.assertIn("(the text does not allow 8000)", said)
        self.trains("--task", "retrieve", "--corpus", corpus, "--relevant", relevant)
        documents = self.put("documents", "the dog\na cat\n\nthe cat sleeps\n")
        said = self.trains("--task", "pretrain", "--texts", documents)
        self.assertIn("(the text does not allow 8000)", said)


class Folders(EndToEnd):
    def test_second_training_in_a_folder_is_refused(self):
        out = self.folder / "model"
        with started(*train_args(out, epochs=1000000, patience=0)) as first:
            wait_for(out / "config.json")
            for args in ([*train_args(out), "--overwrite"], ["train", "--resume", out],
                         ["quantize", WORLD.model, "--out", out, "--overwrite"],
                         ["import", GOLDEN / "huggingface_bert", "--out", out, "--overwrite"]):
                with self.subTest(args[0]):
                    self.fails(2, f"process {first.pid};", *args)
            first.send_signal(signal.SIGHUP)
            _, said = first.communicate(timeout=TIMEOUT)
        self.assertEqual(first.returncode, 130, said)
        self.assertIn(b"continue with: heed train --resume", said)
        self.runs("train", "--resume", out, "--epochs", 1)

    def test_killed_lock_holds_nothing(self):
        out = self.folder / "model"
        with started(*train_args(out, epochs=1000000, patience=0)) as first:
            wait_for(out / "config.json")
            first.kill()
            first.communicate()
        self.assertTrue((out / ".lock").exists())
        self.runs("train", "--resume", out, "--epochs", 1)
        self.assertFalse((out / ".lock").exists())

    @users_build
    def test_overwriting_that_is_killed_leaves_the_old_model_or_the_new(self):
        draw = random.Random(3)
        out = self.folder / "model"
        self.runs(*train_args(out, epochs=1))
        old = weights(out)["model.safetensors"]
        new = self.folder / "new"
        self.runs(*train_args(new, epochs=3, seed=9, vocabulary="characters"))
        changes = {"epochs": 3, "seed": 9, "vocabulary": "characters"}
        args = [*train_args(out, **changes), "--overwrite"]
        begin = time.monotonic()
        self.runs(*train_args(self.folder / "timed", **changes))
        whole = time.monotonic() - begin
        seen = set()
        for moment in range(12):
            with started(*args) as run:
                try:
                    run.communicate(timeout=whole * (moment + draw.random()) / 11)
                except subprocess.TimeoutExpired:
                    run.kill()
                    run.communicate()
            self.assertEqual(
                self.runs("translate", out, stdin=b"1 2\n").count("\n"), 1, moment)
            now = [path for path in (out / ".ready" / "model.safetensors",
                                     out / "model.safetensors") if path.exists()][0]
            seen.add("old" if hashlib.sha256(now.read_bytes()).hexdigest() == old else "new")
        if "new" not in seen:  # the machine was busier than in the timed run
            self.runs(*args)
        self.runs("train", "--resume", out)
        self.assertEqual(weights(out)["model.safetensors"], weights(new)["model.safetensors"])
        left = [name for name in contents(out) if name.startswith((".next", ".ready"))]
        self.assertEqual(left, [])

    @users_build
    def test_overwriting_that_is_stopped_goes_on(self):
        out = self.folder / "model"
        self.runs(*train_args(out, epochs=1))
        old = weights(out)["model.safetensors"]
        whole = self.folder / "whole"
        changes = {"epochs": 400, "patience": 0, "validate_every": 100000, "seed": 9}
        with started(*train_args(out, **changes), "--overwrite") as run:
            wait_for(out / ".next" / "training.safetensors")
            run.send_signal(signal.SIGTERM)
            _, said = run.communicate(timeout=TIMEOUT)
        self.assertIn(run.returncode, (0, 130), said)
        if run.returncode == 130:  # the interruption came before the end
            self.assertEqual(weights(out)["model.safetensors"], old)
            self.runs("train", "--resume", out)
        self.runs(*train_args(whole, **changes))
        self.assertEqual(weights(out)["model.safetensors"], weights(whole)["model.safetensors"])

    def test_failing_commands_leave_the_old_model(self):
        out = self.folder / "model"
        self.runs(*train_args(out, epochs=1))
        before = contents(out)
        self.fails(1, "nowhere", *train_args(out, source=self.folder / "nowhere"), "--overwrite")
        self.fails(1, "nowhere", "import", self.folder / "nowhere", "--out", out, "--overwrite")
        self.assertEqual(contents(out), before)

    def test_imports_and_exports_replace_all_of_an_old_model(self):
        out = self.folder / "model"
        self.runs(*train_args(out, epochs=1))
        self.put("model/mine.txt", "stays")
        self.runs("import", GOLDEN / "huggingface_marian", "--out", out, "--overwrite")
        self.assertEqual([name for name in contents(out) if "vocabulary.txt" in name
                          or name.startswith(("checkpoints", "training", "metrics"))], [])
        self.runs("translate", out, "--max-length", 5, stdin=b"a b\n")
        exported = self.folder / "exported"
        self.runs("export", out, "--format", "huggingface", "--out", exported)
        self.runs("export", out, "--format", "huggingface", "--out", out, "--overwrite")
        self.assertEqual((out / "config.json").read_bytes(),
                         (exported / "config.json").read_bytes())
        self.assertEqual((out / "mine.txt").read_text(), "stays")


class Prolonging(EndToEnd):
    def test_more_epochs(self):
        whole, short = self.folder / "whole", self.folder / "short"
        self.runs(*train_args(whole, epochs=5))
        self.runs(*train_args(short, epochs=2))
        self.runs("train", "--resume", short, "--epochs", 5)
        self.assertEqual(weights(short), weights(whole))
        said = heed("train", "--resume", short).stderr.decode()
        self.assertIn("nothing left to train", said)
        self.assertIn("--epochs", said)
        self.fails(2, "--epochs", "train", "--resume", short, "--learning-rate", 1)

    def test_pretraining_hides_the_same_words_when_it_goes_on(self):
        lines = self.put("lines", "the dog\na cat\n\nthe cat sleeps\na dog\n" * 5)
        whole, short = self.folder / "whole", self.folder / "short"
        for out, epochs in ((whole, 4), (short, 2)):
            self.runs("train", "--task", "pretrain", "--model", "bert-tiny", "--texts", lines,
                      "--schedule", "constant", "--warmup", 0, "--threads", 1, "--epochs", epochs,
                      "--out", out)
        self.runs("train", "--resume", short, "--epochs", 4)
        self.assertEqual(weights(short), weights(whole))

    def test_equal_metrics(self):
        out = self.folder / "model"
        self.runs(*train_args(out, epochs=6, metric="exact_match", learning_rate=1e-5,
                              patience=2))
        steps = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
        checks = [line for line in steps if "valid_exact_match" in line]
        self.assertEqual({line["valid_exact_match"] for line in checks}, {0})
        self.assertEqual(len(checks), 6)
        info = json.loads(self.runs("info", out, "--json"))
        self.assertEqual(int(info["step"]), checks[-1]["step"])


class Beginnings(EndToEnd):
    def frozen(self, first, second):
        """Returns the names of the tensors that are equal in both models."""
        tensors = [t["name"] for t in json.loads(self.runs("info", first, "--json"))["tensors"]]
        self.assertEqual(tensors, [t["name"] for t in json.loads(
            self.runs("info", second, "--json"))["tensors"]])
        values = [self.tensors(folder) for folder in (first, second)]
        return {name for name in tensors if values[0][name] == values[1][name]}

    @staticmethod
    def tensors(folder):
        data = (folder / "model.safetensors").read_bytes()
        size = int.from_bytes(data[:8], "little")
        header = json.loads(data[8:8 + size])
        return {name: data[8 + size + entry["data_offsets"][0]:8 + size + entry["data_offsets"][1]]
                for name, entry in header.items() if name != "__metadata__"}

    def test_imported_marian_models_are_trained_on(self):
        text = self.put("text", "a b c\nb c\nc a\na a b\n")
        for kind, pattern in (("pre", "encoder.*"), ("s2s", "*embedding*")):
            with self.subTest(kind):
                first, second = self.folder / kind, self.folder / f"{kind}-2"
                vocabularies = [o for side in ("source", "target")
                                for o in ("--vocab", GOLDEN / f"marian.{side}.yml")]
                self.runs("import", GOLDEN / f"marian_{kind}.npz", *vocabularies, "--out", first)
                self.runs("train", "--pretrained", first, "--source", text, "--target", text,
                          "--freeze", pattern, "--epochs", 2, "--out", second)
                same = self.frozen(first, second)
                self.assertTrue(same)
                self.assertTrue(all(("encoder." if kind == "pre" else "embedding") in name
                                    for name in same), same)
                self.runs("translate", second, "--max-length", 5, stdin=b"a b\n")
                for name, data in contents(first).items():
                    if ".vocabulary." in name:
                        self.assertEqual((second / name).read_bytes(), data)

    def test_imported_hugging_face_models_are_trained_on(self):
        lines = self.put("lines", "a b c\nb c\n\nc a\na a b\n")
        for kind, data in (("huggingface_marian", ["--source", lines, "--target", lines]),
                           ("huggingface_bert", ["--task", "pretrain", "--texts", lines])):
            with self.subTest(kind):
                first, second = self.folder / kind, self.folder / f"{kind}-2"
                self.runs("import", GOLDEN / kind, "--out", first)
                self.runs("train", *data, "--pretrained", first, "--freeze", "*.layers.0.*",
                          "--learning-rate", 1e-3, "--epochs", 1, "--out", second)
                self.assertTrue(any(".layers.0." in name for name in self.frozen(first, second)))

    def test_what_does_not_fit_is_named(self):
        out = self.folder / "out"
        on = [*train_args(out, units=None, embedding=None, vocabulary=None), "--pretrained",
              WORLD.model]
        self.runs(*on, "--freeze", "encoder.*")
        self.assertTrue(self.frozen(pathlib.Path(WORLD.model), out))
        again = [*on, "--overwrite"]
        self.fails(2, ["'decoder.nothing*'", "heed info"], *again, "--freeze", "decoder.nothing*")
        self.fails(2, "left to train", *again, "--freeze", "*")
        self.fails(1, ["tensor", WORLD.model], *again, "--units", 24)
        self.fails(2, ["luong", "bahdanau", WORLD.model], *again, "--model", "luong")
        self.fails(2, ["vocabulary", WORLD.model], *again, "--vocabulary", "characters")
        self.fails(2, ["'translate'", "'lm'"], "train", "--task", "lm", "--pretrained",
                   WORLD.model, "--texts", WORLD.work / "train.source", "--out", out)
        small = self.folder / "int8"
        self.runs("quantize", WORLD.model, "--out", small)
        again = heed(*train_args(out, units=None, embedding=None, vocabulary=None), "--overwrite",
                     "--pretrained", small)
        self.assertEqual(again.returncode, 0, again.stderr.decode())
        self.assertIn("quantised", again.stderr.decode())

    def test_other_tasks_go_on_too(self):
        lines = self.put("lines", "the dog\na cat\nthe cat sleeps\n")
        labelled = self.put("labelled", "x\tthe dog\ny\ta cat\nx\tthe cat sleeps\n")
        tagged = self.put("tagged", "Anna B-PER\nsleeps O\n\nwe O\nmet O\nBen B-PER\n")
        other = self.put("other", "Anna B-LOC\nsleeps O\n")
        corpus = self.put("corpus", "1\tthe dog\n2\ta cat\n3\tthe cat sleeps\n")
        relevant = self.put("relevant", "1\t3\n2\t3\n")
        series = self.put("series", "a\n" + "".join(f"{i % 7}\n" for i in range(300)))
        for task, data in (("classify", ["--texts", labelled]), ("lm", ["--texts", lines]),
                           ("autocomplete", ["--texts", lines]), ("tag", ["--texts", tagged]),
                           ("retrieve", ["--corpus", corpus, "--relevant", relevant]),
                           ("forecast", ["--series", series, "--model", "rnn", "--lookback", 8,
                                         "--horizon", 4])):
            with self.subTest(task):
                first, second = self.folder / task, self.folder / f"{task}-2"
                self.runs("train", "--task", task, *data, "--epochs", 1, "--out", first)
                names = sorted(self.tensors(first))
                self.runs("train", "--task", task, *data, "--epochs", 1, "--pretrained", first,
                          "--freeze", names[0], "--out", second)
                self.assertIn(names[0], self.frozen(first, second))
        self.fails(1, "B-LOC", "train", "--task", "tag", "--texts", other, "--pretrained",
                   self.folder / "tag", "--out", self.folder / "none")


class Streams(EndToEnd):
    def setUp(self):
        super().setUp()
        self.source, self.target = (text.encode() for text in reversed_digits(60, 5))

    def plain(self, out):
        files = {"source": self.put("s", self.source), "target": self.put("t", self.target)}
        self.runs(*train_args(out, epochs=2, valid_source=None, valid_target=None, **files))
        return weights(out)

    def test_other_commands_read_standard_input_too(self):
        target = self.put("t", self.target)
        pairs = [f"{s}\t{t}\n" for s, t in zip(self.source.decode().splitlines(),
                                               self.target.decode().splitlines())]
        files = ["--source", self.put("s", self.source), "--target", target]
        stream = ["--source", "-", "--target", target]
        links = self.runs("align", WORLD.model, *files)
        self.assertEqual(self.runs("align", WORLD.model, *stream, stdin=self.source), links)
        self.assertEqual(self.runs("align", WORLD.model, "--tsv", "-",
                                   stdin="".join(pairs).encode()), links)
        measured = [json.loads(self.runs("evaluate", WORLD.model, *args, "--json",
                                         stdin=self.source)) for args in (files, stream)]
        self.assertEqual(measured[0]["loss"], measured[1]["loss"])
        self.fails(1, "standard input:2: not valid UTF-8", "evaluate", WORLD.model, *stream,
                   stdin=b"1\n\xff\n")
        self.fails(1, "standard input is empty", "evaluate", WORLD.model, *stream)

    def test_standard_input_is_read_once_and_kept(self):
        out = self.folder / "model"
        args = train_args(out, epochs=1, source="-", target=self.put("t", self.target),
                          valid_source=None, valid_target=None)
        result = heed(*args, stdin=self.source)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("standard input: 0.0 MB, kept for --resume as", result.stderr.decode())
        self.assertEqual((out / "input" / "1-source").read_bytes(), self.source)
        moved = self.folder / "moved"
        out.rename(moved)
        self.runs("train", "--resume", moved, "--epochs", 2)
        self.assertEqual(weights(moved), self.plain(self.folder / "plain"))
        (moved / "input" / "1-source").unlink()
        self.fails(1, "1-source", "train", "--resume", moved)
        self.runs("translate", moved, stdin=b"1 2\n")

    def test_process_substitution(self):
        out = self.folder / "model"
        for name, text in (("s", self.source), ("t", self.target)):
            self.put(name, text)
        subprocess.run(["bash", "-c", '"$0" "$@" --source <(gzip -c s) --target <(cat t)',
                        WORLD.heed, *map(str, train_args(out, epochs=2, source=None, target=None,
                                                         valid_source=None, valid_target=None))],
                       cwd=self.folder, check=True, capture_output=True, timeout=TIMEOUT)
        self.assertEqual(weights(out), self.plain(self.folder / "plain"))
        self.runs("train", "--resume", out, "--epochs", 3)

    def test_redirected_input_by_its_device_name_is_kept(self):
        out = self.folder / "model"
        with open(self.put("s", self.source), "rb") as file:
            subprocess.run([WORLD.heed, *map(str, train_args(
                out, epochs=1, source="/dev/stdin", target=self.put("t", self.target),
                valid_source=None, valid_target=None))], stdin=file, check=True,
                           capture_output=True, timeout=TIMEOUT)
        self.runs("train", "--resume", out, "--epochs", 2)

    def test_failures_leave_nothing(self):
        out = self.folder / "model"
        self.fails(2, "only once", *train_args(out, source="-", target="-"), stdin=self.source)
        result = heed(*train_args(out, source="-"), stdin=self.source)  # other line count
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertFalse(out.exists())

    def test_hangup_under_nohup_is_ignored(self):
        out = self.folder / "model"
        ignore = lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
        with started(*train_args(out, epochs=30, patience=0), preexec_fn=ignore) as run:
            wait_for(out / "config.json")
            os.kill(run.pid, signal.SIGHUP)
            run.communicate(timeout=TIMEOUT)
        self.assertEqual(run.returncode, 0)
