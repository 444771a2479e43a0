"""Every task on the command line: training, prediction, evaluation, invalid files."""

import random
import shutil

from harness import UsersBuild, strict_json, train_args
from server import Server

SMALL_RNN = ["--units", 12, "--dropout", 0.1, "--epochs", 8, "--quiet", "--threads", 1]
SMALL_TRANSFORMER = {"model": "transformer", "units": None, "embedding": None, "width": 16,
                     "ff": 32, "layers": 1, "heads": 2}


def sentiment(count, seed):
    draw = random.Random(seed)
    lines = []
    for _ in range(count):
        good = draw.random() < 0.5
        words = [draw.choice("the a film plot scene".split()) for _ in range(4)]
        words.insert(draw.randrange(5), "good" if good else "bad")
        lines.append(f"{'pos' if good else 'neg'}\t{' '.join(words)}\n")
    return "".join(lines)


def names(count, seed):
    draw = random.Random(seed)
    text = ""
    for _ in range(count):
        person = draw.choice(("Anna", "Ben", "Cleo"))
        text += f"{person} B-PER\nsleeps O\n\n" if draw.random() < 0.5 else (
            f"we O\nmet O\n{person} B-PER\n\n")
    return text


class Engine(UsersBuild):
    """Optimisations of a trained Transformer do not change its translations."""

    def setUp(self):
        super().setUp()
        self.model = self.folder / "model"
        self.runs(*train_args(self.model, **SMALL_TRANSFORMER, learning_rate=0.01, epochs=8))

    def test_quantized_folder_is_smaller_and_translates_as_int8_does(self):
        small = self.folder / "int8"
        self.runs("quantize", self.model, "--out", small)
        size = lambda folder: (folder / "model.safetensors").stat().st_size
        self.assertLess(size(small), size(self.model))
        lines = b"1 2 3\n4 5\n"
        self.assertEqual(self.runs("translate", small, stdin=lines),
                         self.runs("translate", self.model, "--dtype", "int8", stdin=lines))
        self.fails(2, "already", "quantize", self.model, "--out", small)

    def test_shortlist_of_the_training_text(self):
        source, target = (train_args(self.model)[i] for i in (2, 4))
        self.fails(1, "shortlist", "translate", self.model, "--shortlist", "model",
                   stdin=b"1 2\n")
        self.runs("shortlist", self.model, "--source", source, "--target", target)
        lines = b"1 2 3\n4 5\n"
        self.assertEqual(self.runs("translate", self.model, "--shortlist", "model", stdin=lines),
                         self.runs("translate", self.model, stdin=lines))

    def test_bench_decode(self):
        for model in ("bahdanau", self.model):
            result = strict_json(self.runs(
                "bench", "decode", "--model", model, "--batch", 2, "--beam", 2, "--length", 4,
                "--src-len", 3, "--vocab", 40, "--dtype", "int8", "--threads", 1, "--seconds", 0.1,
                "--json"))
            for key in ("tokens_per_second", "first_token_ms", "peak_bytes", "floor_ms"):
                self.assertGreater(result[key], 0, key)

    def test_attention_can_be_seen_and_aligned(self):
        picture = self.folder / "look.svg"
        self.runs("translate", self.model, "--alignments", picture, stdin=b"1 2 3\n")
        self.assertIn("<svg", picture.read_text())


class Tasks(UsersBuild):
    def test_list_and_help(self):
        tasks = [row["task"] for row in strict_json(self.runs("list", "tasks", "--json"))["tasks"]]
        self.assertIn("translate", tasks)
        for task in tasks:
            with self.subTest(task=task):
                self.assertIn("--out", self.runs("train", "--task", task, "--help"))
                self.assertIn("DIR", self.runs("evaluate", "--task", task, "--help"))
                self.assertIn("DIR", self.runs("predict", "--task", task, "--help"))
        self.fails(2, ("unknown task 'tagg'", "did you mean 'tag'"), "train", "--task", "tagg")

    def test_classify(self):
        train = self.put("train.tsv", sentiment(200, 1))
        test = self.put("test.tsv", sentiment(40, 2))
        out = self.folder / "model"
        self.runs("train", "--task", "classify", "--texts", train, "--valid-texts", test,
                  "--vocabulary", "words", "--learning-rate", 0.02, "--batch-texts", 20,
                  "--out", out, *SMALL_RNN)
        result = strict_json(self.runs("evaluate", out, "--texts", test, "--json"))
        self.assertGreater(result["accuracy"], 95)
        lines = self.runs("predict", out, stdin=b"the good film\na bad plot\n").splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["pos", "neg"])
        self.assertIn("classify", self.runs("info", out))
        self.fails(1, "not a translator", "translate", out, stdin=b"x\n")
        bad = self.put("bad.tsv", "pos\tgood\nneg\n")
        self.fails(1, "bad.tsv:2", "train", "--task", "classify", "--texts", bad,
                   "--out", self.folder / "none")

    def test_tag(self):
        train = self.put("train.conll", names(120, 1))
        test = self.put("test.conll", names(30, 2))
        out = self.folder / "model"
        self.runs("train", "--task", "tag", "--texts", train, "--valid-texts", test,
                  "--word-embedding", 8, "--characters", "none", "--learning-rate", 0.05, "--batch-sentences", 8,
                  "--out", out, *SMALL_RNN)
        self.assertGreater(
            strict_json(self.runs("evaluate", out, "--texts", test, "--json"))["f1"], 95)
        bad = self.put("bad.conll", "Anna B-PER\nsleeps\n")
        self.fails(1, "bad.conll:2", "train", "--task", "tag", "--texts", bad,
                   "--out", self.folder / "none")

    def test_lm(self):
        text = self.put("text.txt", "the cat sat\nthe dog ran\n" * 60)
        out = self.folder / "model"
        self.runs("train", "--task", "lm", "--texts", text, "--valid-texts", text,
                  "--vocabulary", "words", "--learning-rate", 0.02, "--batch-texts", 20,
                  "--out", out, *SMALL_RNN)
        result = strict_json(self.runs("evaluate", out, "--texts", text, "--json"))
        self.assertLess(result["perplexity"], 2.5)
        self.assertTrue(self.runs("predict", out, stdin=b"the c\n"))

    def test_autocomplete(self):
        text = self.put("text.txt", "the cat sat.\nThe dog ran!\n" * 60)
        out = self.folder / "model"
        self.runs("train", "--task", "autocomplete", "--texts", text, "--valid-texts", text,
                  "--cell", "nested_lstm", "--learning-rate", 0.02, "--batch-texts", 20,
                  "--out", out, *SMALL_RNN)
        plot = self.folder / "plot.svg"
        result = strict_json(self.runs("evaluate", out, "--texts", text, "--json",
                                       "--by-length", plot))
        # Predicted: the second word after its space, and the third word. Not predicted:
        # half of the second word.
        self.assertGreater(result["accuracy"], 80)
        self.assertEqual(result["typed"][1]["characters"], 360)
        self.assertIn("characters typed", plot.read_text())
        lines = self.runs("predict", out, stdin=b"the c\nThe dog \n\n").splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["cat", "ran", "the"])
        self.fails(1, ":2: not valid UTF-8", "predict", out, stdin=b"the\n\xff\n")
        self.fails(2, "missing: --texts", "train", "--task", "autocomplete", "--out",
                   self.folder / "none")

    def test_forecast(self):
        rows = "".join(f"{i},{(i % 6) - 2.5},{(i % 4) * 3}\n" for i in range(300))
        series = self.put("series.csv", "time,a,b\n" + rows)
        out = self.folder / "model"
        self.runs("train", "--task", "forecast", "--series", series, "--lookback", 24,
                  "--horizon", 4, "--patch", 4, "--patch-stride", 2, "--epochs", 3,
                  "--quiet", "--threads", 1, "--out", out)
        result = strict_json(self.runs("evaluate", out, "--series", series, "--json"))
        self.assertGreater(result["mse"], 0)
        # Texts have a character limit, time series have none.
        with Server("--char-limit", 100, "--explain-limit", 50, models=[out]) as server:
            text = series.read_text()
            answer = server.post("/predict", {"text": text}).json()
            self.assertEqual(len(answer["details"]["rows"]), 4)
            self.assertEqual(server.post("/explain", {"text": text}).status, 200)
        bad = self.put("bad.csv", "time,a\n1,2\n2,x\n")
        self.fails(1, "bad.csv:3", "train", "--task", "forecast", "--series", bad,
                   "--out", self.folder / "none")

    def test_retrieve(self):
        words = "sun moon star rain snow wind".split()
        corpus = self.put("corpus.tsv", "".join(f"d{i}\t{w} falls\n" for i, w in enumerate(words)))
        queries = self.put("queries.tsv", "".join(f"q{i}\twhere is the {w}\n"
                                                  for i, w in enumerate(words)))
        relevant = self.put("relevant.tsv", "".join(f"q{i}\td{i}\n" for i in range(len(words))))
        out = self.folder / "model"
        self.runs("train", "--task", "retrieve", "--corpus", corpus, "--queries", queries,
                  "--relevant", relevant, "--valid-relevant", relevant, "--learning-rate", 0.02,
                  "--out", out, *SMALL_RNN)
        result = strict_json(self.runs("evaluate", out, "--corpus", corpus, "--queries", queries,
                                       "--relevant", relevant, "--json"))
        self.assertGreater(result["mrr"], 30)
        # A query alone is explained with the best text; both texts are explained.
        found = strict_json(self.runs("explain", out, "--text", "where is the sun", "--corpus",
                                      corpus, "--methods", "occlusion", "--json"))
        said = self.runs("predict", out, "--corpus", corpus, "--best", 1,
                         stdin=b"where is the sun\n").rstrip("\n").split("\t")
        self.assertEqual(found["axes"]["document"]["items"][1:-1], said[-1].split())
        text, _, score = found["answer"].rpartition(" ")
        self.assertEqual(text, said[-1])
        self.assertAlmostEqual(float(score.strip("()")), float(said[2]), delta=0.001)
        self.assertEqual([a["axis"] for a in found["attributions"]], ["source", "document"])

    def test_answer_selection(self):
        words = "sun moon star rain snow wind".split()
        lines = [f"where is the {w} ?\t{int(v == w)}\tthe {v} falls\n"
                 for w in words for v in words]
        answers = self.put("answers.tsv", "".join(lines))
        out = self.folder / "model"
        translator = self.folder / "translator"
        pairs = self.put("pairs.tsv", "".join(f"{w} falls\tfalls {w}\n" for w in words))
        self.runs("train", "--tsv", pairs, "--vocabulary", "words", "--epochs", 1,
                  "--embedding", 8, "--units", 8, "--quiet", "--out", translator)
        for more in (["--match", "attention", "--shared-words", "bm25", *SMALL_RNN],
                     ["--match", "attentive_pooling", *SMALL_RNN],
                     ["--pretrained", translator, "--epochs", 2]):
            self.runs("train", "--task", "retrieve", "--answers", answers, "--valid-answers",
                      answers, "--learning-rate", 0.02, "--out", out, "--overwrite", *more)
            result = strict_json(self.runs("evaluate", out, "--answers", answers, "--json"))
            self.assertEqual(result["queries"], len(words))
            # Candidates follow the query.
            said = self.runs("predict", out, stdin=b"where is the sun ?\tthe sun falls\tno\n")
            self.assertEqual(len(said.splitlines()), 2)
            self.assertEqual({line.split("\t")[3] for line in said.splitlines()}, {"1", "2"})
            self.fails(1, "standard input:1: no text after the tab", "predict", out,
                       stdin=b"where is the sun ?\t\n")
        with Server(models=[out]) as server:
            answer = server.post("/predict", {"text": "where is the sun ?\tthe sun falls\tno"})
            self.assertEqual(len(answer.json()["details"]["hits"]), 2)
            self.assertEqual(server.post("/explain", {
                "text": "where is the sun ?\tthe sun falls"}).status, 200)
        bad = self.put("bad.tsv", "a\t1\tb\na\t2\tb\n")
        self.fails(1, "bad.tsv:2", "train", "--task", "retrieve", "--answers", bad,
                   "--out", self.folder / "none")

    def pretrained(self, text):
        bert = self.folder / "bert"
        self.runs("train", "--task", "pretrain", "--texts", self.put("text.txt", text),
                  "--width", 16, "--ff", 32, "--heads", 2, "--layers", 1, "--vocabulary-size", 60,
                  "--max-length", 16, "--max-positions", 16, "--duplicates", 1, "--epochs", 1,
                  "--quiet", "--threads", 1, "--out", bert)
        return bert

    def test_pretrain_then_classify(self):
        bert = self.pretrained("the good film\na bad plot\n\nthe bad scene\na good film\n\n" * 20)
        train = self.put("train.tsv", sentiment(60, 1))
        out = self.folder / "model"
        self.runs("train", "--task", "classify", "--pretrained", bert, "--texts", train,
                  "--epochs", 1, "--quiet", "--threads", 1, "--out", out)
        self.assertEqual(len(self.runs("predict", out, stdin=b"a good film\n").splitlines()), 1)

    def test_pretrain_then_tag(self):
        bert = self.pretrained("Anna sleeps\nwe met Ben\n\nCleo sleeps\nwe met Anna\n\n" * 20)
        train = self.put("train.conll", names(120, 1))
        test = self.put("test.conll", names(30, 2))
        out = self.folder / "model"
        tune = ["train", "--task", "tag", "--texts", train, "--valid-texts", test, "--epochs", 8,
                "--learning-rate", 0.02, "--batch-sentences", 8, "--quiet", "--threads", 1]
        self.fails(1, "nowhere", *tune, "--pretrained", self.folder / "nowhere", "--out", out)
        self.runs(*tune, "--pretrained", bert, "--out", out)
        self.fails(2, "holds a model for task 'tag'", "train", "--task", "slots", "--texts", train,
                   "--pretrained", out, "--out", self.folder / "none")
        shutil.rmtree(bert)
        self.assertGreater(
            strict_json(self.runs("evaluate", out, "--texts", test, "--json"))["f1"], 95)
        self.assertIn("bert-tiny", self.runs("info", out))
        tags = self.runs("predict", out, stdin=b"we met Anna " * 20).split()
        self.assertEqual(len(tags), 60)
        self.runs("train", "--resume", out)

    def test_pretrain_then_slots(self):
        bert = self.pretrained("play jazz\nstop it\n\nplay rock\nstop it\n\n" * 20)
        data = self.folder / "data"
        for name, lines in (("seq.in", "play jazz\nstop it\n"), ("seq.out", "O B-style\nO O\n"),
                            ("label", "play\nstop\n")):
            self.put(f"data.{name}", lines * 40)
        out = self.folder / "model"
        self.runs("train", "--task", "slots", "--model", "bert-tiny", "--pretrained", bert,
                  "--texts", data, "--epochs", 8, "--learning-rate", 0.02, "--batch-sentences", 8,
                  "--quiet", "--threads", 1, "--out", out)
        self.assertEqual(self.runs("predict", out, stdin=b"stop it\nplay jazz\n"),
                         "stop\tO O\nplay\tO B-style\n")
