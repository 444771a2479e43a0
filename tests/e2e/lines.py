"""Line-based input: long lines, invalid lines, and the output for them."""

import gzip
import json
import time

from harness import WORLD, EndToEnd, heed, strict_json, train_args
from tasks import SMALL_RNN, names, sentiment

WORDS = 100_000
LONG = "1 2 3 . " * (WORDS // 4)


class Models(EndToEnd):
    """Tests with small models of some tasks."""

    def classifier(self, *options, texts=None):
        out = self.folder / "classifier"
        self.runs("train", "--task", "classify", "--texts",
                  texts or self.put("train.tsv", sentiment(120, 1)), "--vocabulary", "words",
                  "--learning-rate", 0.02, "--batch-texts", 20, "--out", out, *SMALL_RNN,
                  *options)
        return out

    def tagger(self, *options):
        out = self.folder / "tagger"
        self.runs("train", "--task", "tag", "--texts", self.put("train.conll", names(120, 1)),
                  "--word-embedding", 8, "--characters", "none", "--learning-rate", 0.05,
                  "--batch-sentences", 8, "--out", out, *SMALL_RNN, *options)
        return out

    def language_model(self, model="rnn"):
        out = self.folder / "lm"
        sizes = SMALL_RNN if model == "rnn" else [
            "--width", 16, "--ff", 32, "--heads", 2, "--layers", 1, "--epochs", 1, "--quiet",
            "--threads", 1]
        self.runs("train", "--task", "lm", "--model", model, "--texts",
                  self.put("text.txt", "the cat sat\nthe dog ran\n" * 40), "--vocabulary",
                  "words", "--length", 16, "--out", out, *sizes)
        return out

    def answers(self, *args, stdin, warns=(), lines):
        result = heed(*args, stdin=stdin.encode() if isinstance(stdin, str) else stdin)
        error = result.stderr.decode()
        self.assertEqual(result.returncode, 0, error)
        for text in [warns] if isinstance(warns, str) else warns:
            self.assertIn(text, error)
        if not warns:
            self.assertEqual(error, "")
        found = result.stdout.decode().split("\n")[:-1]
        self.assertEqual(len(found), lines)
        return found


class LongLines(Models):
    def test_translators_divide_them(self):
        begun = time.monotonic()
        lines = self.answers("translate", WORLD.model, "--beam", 1, stdin=f"1 2\n{LONG}\n3\n",
                             warns="line 2: longer than 2000 characters", lines=3)
        self.assertLess(time.monotonic() - begun, 100)
        self.assertGreater(len(lines[1].split()), 1000)
        short = self.answers("translate", WORLD.model, "--beam", 1, stdin="1 2\n3\n", lines=2)
        self.assertEqual([lines[0], lines[2]], short)
        # Each sentence is translated independently.
        alone = self.answers("translate", WORLD.model, stdin="1 2 .\n3 4 5 .\n", lines=2)
        self.assertEqual(self.answers("translate", WORLD.model, "--max-line", 8,
                                      stdin="1 2 . 3 4 5 .\n", warns="line 1", lines=1),
                         [" ".join(alone)])
        self.answers("predict", WORLD.model, "--beam", 1, stdin=LONG,
                     warns="line 1: longer", lines=1)
        parts = strict_json(self.answers("translate", WORLD.model, "--beam", 1, "--output",
                                         "json", stdin=LONG, warns="line 1", lines=1)[0])
        self.assertGreater(len(parts["source_tokens"]), WORDS / 2)

    def test_a_long_pair_can_be_evaluated_and_aligned(self):
        source = self.put("s", f"1 2\n{LONG}\n")
        target = self.put("t", f"2 1\n{LONG}\n")
        result = heed("evaluate", WORLD.model, "--source", source, "--target", target, "--beam",
                      1, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f"{source}:2: more than 4000 tokens", result.stderr.decode())
        self.assertEqual(strict_json(result.stdout)["sentences"], 2)
        lines = self.answers("align", WORLD.model, "--source", source, "--target", target,
                             stdin="", warns=f"{source}:2: 100000 words", lines=2)
        self.assertTrue(lines[0])
        self.assertEqual(lines[1], "")

    def test_training_text_may_hold_them(self):
        text = self.put("long.conll", names(20, 1) + "Anna B-PER\nsleeps O\n" * 20_000)
        out = self.folder / "out"
        result = heed("train", "--task", "tag", "--texts", text, "--out", out, "--epochs", 1,
                      "--units", 4, "--word-embedding", 4, "--characters", "none", "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b"sentence 21 has 40000 words; it is read in parts of at most 2000",
                      result.stderr)
        self.assertIn(b"40000 words", heed("evaluate", out, "--texts", text).stderr)

    def test_taggers_tag_every_word(self):
        for options in ((), ("--model", "transformer", "--width", 8, "--ff", 8, "--heads", 2,
                             "--layers", 1)):
            model = self.tagger(*options) if not options else self.transformer_tagger(options)
            line = self.answers("predict", model, stdin=LONG, warns="sentence 1 has 100000 words",
                                lines=1)[0]
            self.assertEqual(len(line.split()), WORDS)

    def transformer_tagger(self, options):
        out = self.folder / "transformer"
        self.runs("train", "--task", "tag", "--texts", self.put("t.conll", names(20, 1)),
                  "--word-embedding", 8, "--characters", "none", "--epochs", 1, "--quiet",
                  "--out", out, *options)
        return out

    def test_classifiers_read_the_start(self):
        model = self.classifier()
        lines = self.answers("predict", model, stdin=f"good good\n{'bad ' * WORDS}\n",
                             warns="standard input:2: longer than 20000 characters; only the "
                                   "starts", lines=2)
        self.assertEqual(lines, ["pos", "neg"])
        whole = self.answers("predict", model, "--max-line", 0, stdin="bad " * WORDS,
                             warns="of 1 of 1 texts, only the first 256 tokens are read "
                                   "(--max-length)", lines=1)
        self.assertEqual(whole, ["neg"])

    def test_language_models_read_the_end(self):
        for kind in ("rnn", "transformer"):
            model = self.language_model(kind)
            long = "the dog " * (WORDS // 2) + "c"
            self.answers("predict", model, stdin=long, warns="only its end is read", lines=1)
            self.answers("predict", model, "--mode", "score", stdin=long, lines=1)
            self.answers("predict", model, "--mode", "sample", "--length", 3, stdin=long,
                         warns="only its end is read", lines=1)
            self.folder = self.folder / kind
            self.folder.mkdir()

    def test_explanations_are_of_the_start(self):
        result = heed("explain", self.classifier(), "--json", stdin=("bad " * WORDS).encode())
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b"standard input:1: longer than 2000 characters; only the starts of", result.stderr)
        # A gradient per token of the answer costs more, so the limit is lower.
        result = heed("explain", WORLD.model, "--methods", "saliency", "--json", "--beam", 1,
                      stdin=b"1 2 " * 1000)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b"standard input:1: longer than 500 characters; only its start", result.stderr)

    def test_a_language_is_learnt_from_one_long_line(self):
        text = self.put("text", "the cat sat on the mat . " * 4000)
        out = self.folder / "out"
        self.runs("train", "--task", "lm", "--texts", text, "--out", out, "--units", 4,
                  "--epochs", 1, "--quiet")
        links = self.runs("align", WORLD.model, "--source", self.put("s", "x" * 100_000),
                          "--target", self.put("t", "1 2\n"))
        self.assertEqual(links, "0-0 0-1\n")  # one unknown word


class BadLines(Models):
    TEXT = b"1 2\n\xff\xfe\n3 4\n"

    def test_translate_stops_or_goes_on(self):
        result = heed("translate", WORLD.model, stdin=self.TEXT)
        self.assertEqual([result.returncode, result.stdout.count(b"\n")], [1, 1])
        self.assertIn(b"standard input:2: not valid UTF-8", result.stderr)
        for command in ("translate", "predict"):
            lines = self.answers(command, WORLD.model, "--on-error", "empty", stdin=self.TEXT,
                                 warns="warning: standard input:2: not valid UTF-8", lines=3)
            self.assertEqual(lines[1], "")
            good = self.answers(command, WORLD.model, stdin="1 2\n3 4\n", lines=2)
            self.assertEqual([lines[0], lines[2]], good)

    def test_lines_of_another_form_are_bad_too(self):
        pairs = self.put("pairs.tsv", "".join(
            f"{'yes' if i % 2 else 'no'}\ta {'b' if i % 2 else 'c'}\td\n" for i in range(40)))
        model = self.classifier("--second-column", 3, texts=pairs)
        text = "a b\td\nno tab\na c\td\n"
        self.fails(1, "standard input:2: no tab", "predict", model, stdin=text.encode())
        lines = self.answers("predict", model, "--on-error", "empty", stdin=text,
                             warns="standard input:2: no tab", lines=3)
        self.assertEqual(lines[1], "")
        parts = [strict_json(line) for line in self.answers(
            "predict", model, "--on-error", "empty", "--output", "json", stdin=text,
            warns="standard input:2", lines=3)]
        self.assertIn("no tab", parts[1]["error"])


class Json(Models):
    def parts(self, command, model, text, *options):
        return [strict_json(line) for line in self.runs(
            command, model, "--output", "json", *options, stdin=text.encode()).splitlines()]

    def test_translations(self):
        text = self.runs("translate", WORLD.model, stdin=b"1 2 3\n\n")
        for command in ("translate", "predict"):
            first, empty = self.parts(command, WORLD.model, "1 2 3\n\n")
            self.assertEqual([empty["probabilities"], empty["alignment"]], [[], []])
            self.assertEqual([first["text"], empty["text"]], text.split("\n")[:2])
            self.assertEqual(len(first["probabilities"]), len(first["target_tokens"]))
            self.assertTrue(all(0 <= p <= 1 for p in first["probabilities"]))
            self.assertEqual(first["source_tokens"], ["1", "2", "3", "</s>"])
            self.assertEqual(sorted(t for _, t in first["alignment"]),
                             list(range(len(first["text"].split()))))
        best, = self.parts("translate", WORLD.model, "1 2 3\n", "--nbest", 3)
        self.assertEqual(len(best["alternatives"]), 2)

    def test_other_tasks_say_what_their_lines_say(self):
        label, = self.parts("predict", self.classifier(), "the good film\n")
        self.assertEqual(label["labels"][0]["label"], "pos")
        self.assertGreater(label["labels"][0]["probability"], 0.5)
        tagged, = self.parts("predict", self.tagger(), "we  méet Anna\n")
        self.assertEqual(tagged["tags"], ["O", "O", "B-PER"])
        self.assertEqual(tagged["offsets"], [[0, 2], [4, 8], [9, 13]])
        self.assertEqual(tagged["entities"], [{"type": "PER", "text": "Anna", "start": 9,
                                               "end": 13, "first_word": 2, "last_word": 2}])
        model = self.language_model()
        self.assertTrue(self.parts("predict", model, "the c\n")[0]["completions"])
        self.assertEqual(self.parts("predict", model, "the cat\n", "--mode", "score")[0]["tokens"],
                         3)

    def test_columns_keep_their_tags(self):
        model = self.tagger()
        text = "we O\nmet X\nAnna B-LOC\n\n"
        self.assertEqual(self.runs("predict", model, "--input", "columns", "--keep-tags",
                                   stdin=text.encode()),
                         "we O O\nmet X O\nAnna B-LOC B-PER\n\n")
        self.assertEqual(self.runs("predict", model, "--input", "columns", stdin=text.encode()),
                         "we O\nmet O\nAnna B-PER\n\n")
        parts = strict_json(self.runs("predict", model, "--input", "columns", "--output", "json",
                                      stdin=text.encode()))
        self.assertEqual(parts["sentences"][0]["gold"], ["O", "X", "B-LOC"])

    def test_evaluation_says_output_json_too(self):
        files = ["--source", WORLD.work / "valid.source", "--target",
                 WORLD.work / "valid.target"]
        drop = lambda text: {k: v for k, v in strict_json(text).items() if k != "seconds"}
        self.assertEqual(drop(self.runs("evaluate", WORLD.model, *files, "--output", "json")),
                         drop(self.runs("evaluate", WORLD.model, *files, "--json")))


class Forms(Models):
    def test_a_classifier_of_documents_is_measured_on_a_table(self):
        docs = self.put("docs.txt", "".join(
            f"#doc {i} {line.split(chr(9))[0]} {i % 10}\n{line.split(chr(9))[1]}"
            for i, line in enumerate(sentiment(200, 1).splitlines(keepends=True))))
        model = self.classifier("--format", "docs", texts=docs)
        table = self.put("test.tsv", sentiment(30, 2))
        result = strict_json(self.runs("evaluate", model, "--texts", table, "--format", "tsv",
                                       "--json"))
        self.assertEqual(result["texts"], 30)
        self.assertGreater(result["accuracy"], 90)
        self.assertEqual(strict_json(self.runs("evaluate", model, "--texts", docs, "--folds",
                                               "9", "--json"))["texts"], 20)
        self.fails(2, "single texts", "evaluate", model, "--texts",
                   self.put("pairs.tsv", "pos\ta\tb\n"), "--format", "tsv", "--second-column", 3)

    def test_a_tagger_of_columns_is_measured_on_others(self):
        model = self.tagger()
        rows = [line.split(" ") for line in names(20, 3).splitlines()]
        other = self.put("test.conll", "".join(
            f"{row[1]}\t{row[0]}\n" if len(row) > 1 else "\n" for row in rows))
        result = strict_json(self.runs("evaluate", model, "--texts", other, "--word-column", 2,
                                       "--tag-column", 1, "--json"))
        self.assertGreater(result["f1"], 90)


class Tables(Models):
    def csv(self, rows, header):
        quoted = lambda field: '"' + field.replace('"', '""') + '"'
        return "".join(",".join(map(quoted, row)) + "\r\n" for row in [header, *rows])

    def test_translators_learn_from_tables(self):
        source = (WORLD.work / "train.source").read_text().splitlines()
        target = (WORLD.work / "train.target").read_text().splitlines()
        with gzip.open(self.folder / "a.csv.gz", "wt", newline="") as file:
            file.write("\ufeff" + self.csv([(t, "x, y", s.replace(" ", "\n", 1))
                                            for s, t in zip(source, target)],
                                           ("target", "note", "source")))
        lines = self.put("b.jsonl", "".join(
            json.dumps({"de": s, "en": t}) + "\n" for s, t in zip(source, target)))
        whole = self.folder / "whole"
        self.runs(*train_args(whole))
        for name, args in (("csv", ["--tsv", self.folder / "a.csv.gz"]),
                           ("jsonl", ["--table", lines, "--columns", "de,en"])):
            out = self.folder / name
            self.runs(*train_args(out, source=None, target=None), *args)
            self.assertEqual((out / "model.safetensors").read_bytes(),
                             (whole / "model.safetensors").read_bytes())
            self.assertEqual(strict_json(self.runs("evaluate", out, *args,
                                                   "--json"))["sentences"], 240)
        self.fails(2, ["a.csv.gz:1: no column 'de'", "target, note"],
                   "evaluate", whole, "--tsv", self.folder / "a.csv.gz", "--columns", "de,en")

    def test_other_tasks_learn_from_tables(self):
        rows = [line.split("\t") for line in sentiment(200, 1).splitlines()]
        train = self.put("train.csv", self.csv(rows, ("label", "text")))
        model = self.classifier(texts=train)
        test = self.put("test.jsonl", "".join(
            json.dumps({"review": text, "stars": label}) + "\n" for label, text in rows))
        result = strict_json(self.runs("evaluate", model, "--texts", test, "--columns",
                                       "stars,review", "--json"))
        self.assertEqual(result["texts"], 200)
        self.assertGreater(result["accuracy"], 90)
        tagged = "".join(json.dumps({"words": ["we", "met", name], "tags": ["O", "O", "B-PER"]})
                         + "\n" for name in ("Anna", "Ben", "Cleo"))
        result = strict_json(self.runs("evaluate", self.tagger(), "--texts",
                                       self.put("test.tags.jsonl", tagged), "--json"))
        self.assertEqual([result["sentences"], result["f1"]], [3, 100])
        text = self.put("more.csv", self.csv([["the cat sat"], ["the dog\nran"]], ["text"]))
        result = strict_json(self.runs("evaluate", self.language_model(), "--texts", text,
                                       "--json"))
        self.assertEqual(result["lines"], 2)

    def test_a_row_is_a_document_to_learn_language_from(self):
        rows = [["The cat sat. It slept!"], ["A dog ran.\nIt was fast."]] * 10
        plain = self.put("plain.txt", "The cat sat.\nIt slept!\n\nA dog ran.\nIt was fast.\n\n"
                         * 10)
        found = []
        for name, texts in (("plain", plain),
                            ("csv", self.put("text.csv", self.csv(rows, ["text"])))):
            out = self.folder / name
            self.runs("train", "--task", "pretrain", "--texts", texts, "--width", 8, "--ff", 8,
                      "--heads", 2, "--layers", 1, "--epochs", 1, "--quiet", "--threads", 1,
                      "--out", out)
            found.append((out / "model.safetensors").read_bytes())
        self.assertEqual(*found)

    def test_standard_input_may_be_a_table(self):
        plain = self.runs("translate", WORLD.model, stdin=b"1 2\n3 4\n")
        table = b'id,source\n1,"1\n2"\n\n2,3 4\n'
        self.assertEqual(self.runs("translate", WORLD.model, "--input-format", "csv",
                                   stdin=table), plain)
        lines = b'{"text": "1 2"}\n{"text": "3 4"}\n'
        self.assertEqual(self.runs("predict", WORLD.model, "--input-format", "jsonl",
                                   "--columns", "text", stdin=lines), plain)
        self.fails(1, "standard input:2:1: a quote is not closed", "translate", WORLD.model,
                   "--input-format", "csv", stdin=b'source\n"1 2\n3\n')
        self.fails(2, "no column 'source'; the first line names a, b", "translate", WORLD.model,
                   "--input-format", "csv", stdin=b"a,b\n1,2\n")
        found = self.answers("translate", WORLD.model, "--input-format", "jsonl", "--on-error",
                             "empty", stdin=b'{"source": "1 2"}\n{\n{"source": "3 4"}\n',
                             warns="standard input:2: is not valid JSON", lines=3)
        self.assertEqual(found[0] + "\n" + found[2] + "\n", plain)
