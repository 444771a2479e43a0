"""Documents: classified sentence by sentence, with attention at both levels."""

import json
import re

from harness import UsersBuild, weights
from server import Server


class Documents(UsersBuild):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "model"
        self.made = self.folder / "made"
        self.runs("generate", "documents", "--count", 600, "--sentences", 6, "--words", 7,
                  "--out", self.made)
        self.train = ["train", "--task", "classify", "--model", "han", "--format", "docs",
                      "--quiet", "--threads", 1, "--embedding", 16, "--units", 12,
                      "--texts", self.made / "train.txt", "--schedule", "constant"]

    def trained(self, *options):
        self.runs(*self.train, "--valid-texts", self.made / "valid.txt", "--dropout", 0, "--lr",
                  0.01, "--warmup", 0, "--epochs", 5, "--out", self.model, *options)

    def test_documents_are_learned_measured_and_explained(self):
        self.trained()
        text = "It was a long night. The plot was witty. People talk."
        self.assertEqual(self.runs("predict", self.model, stdin=(text + "\n").encode()), "pos\n")
        figures = json.loads(self.runs("evaluate", self.model, "--texts", self.made / "test.txt",
                                       "--json"))
        self.assertGreaterEqual(figures["accuracy"], 95)
        drawn = self.runs("explain", self.model, "--text", text)
        self.assertEqual(len(re.findall(r"^\d\.\d\d(?: █+)?$", drawn, re.M)), 3, drawn)
        self.assertRegex(drawn, r"witty\(1\.00\)")
        e = json.loads(self.runs("explain", self.model, "--text", text, "--json"))
        self.assertEqual([axis["kind"] for axis in e["axes"].values()],
                         ["document", "document", "text"])
        self.assertEqual(e["axes"]["sentences"]["spans"], [[0, 6], [6, 11], [11, 14]])
        for ending in ("svg", "png", "html"):
            out = self.folder / f"picture.{ending}"
            self.runs("explain", self.model, "--text", text, "--view", "document", "--out", out)
            self.assertGreater(out.stat().st_size, 1000)

    def test_a_served_document_has_lines_of_its_own(self):
        self.trained()
        with Server(models=[self.model]) as server:
            [row] = server.get("/models").json()["models"]
            self.assertEqual(row["input"]["kind"], "document")
            text = "it was a long night\nthe plot was witty. people talk"
            answer = server.post("/predict", {"text": text}).json()["answer"]
            self.assertEqual(answer, "pos")
            e = server.post("/explain", {"text": text}).json()
            self.assertEqual(e["axes"]["sentences"]["items"], text.split("\n"))

    def test_stopped_trainings_go_on_to_the_same_bits(self):
        self.runs(*self.train, "--epochs", 2, "--out", self.folder / "whole")
        self.runs(*self.train, "--epochs", 1, "--out", self.folder / "parts")
        self.runs("train", "--resume", self.folder / "parts", "--epochs", 2, "--threads", 2)
        self.assertEqual(weights(self.folder / "whole"), weights(self.folder / "parts"))

    def test_any_document_has_an_answer(self):
        self.trained()
        longest = b"Not now. " * 100_000
        answers = self.runs("predict", self.model, stdin=b"word\n\n" + longest + b"\n")
        self.assertEqual(len(answers.splitlines()), 3)
        self.assertTrue(set(answers.split()) <= {"pos", "neg", "none"})

    def test_the_demonstration_counts_what_is_found(self):
        out = self.folder / "demo"
        said = self.runs("demo", "documents", "--documents", 600, "--epochs", 4, "--sentences", 4,
                         "--words", 6, "--threads", 1, "--out", out)
        self.assertRegex(said, r"\nattention +\d+\.\d % +\d+\.\d % +\d+\.\d %\n")
        self.assertRegex(said, r"\nmean +\d+\.\d % +- +-\n")
        self.assertTrue((out / "document.svg").read_text().startswith("<svg"))

    def test_words_count_apart_for_each_label(self):
        self.trained()
        out = self.folder / "words"
        ask = ["demo", "words", "--model", self.model, "--threads", 1, "--out", out, "--texts"]
        texts = self.put("w.txt", "#doc a pos\nit was a witty night\n\n#doc b none\nthe night\n")
        said = self.runs(*ask, texts, "--words", "Night,witty")
        self.assertRegex(said, r"\nnight +none +1 +\d\.\d+\n")
        self.assertRegex(said, r"\nnight +pos +1 +\d\.\d+\n")
        self.assertRegex(said, r"\nwitty +none +0 +-\n")
        self.assertIn(">witty<", (out / "words.svg").read_text())
        self.fails(2, "'day' is no word of the 2 texts", *ask, texts, "--words", "day")
        self.fails(2, "missing: --words", *ask, texts)

    def test_what_does_not_fit_is_refused(self):
        out = ["--out", self.folder / "x"]
        self.fails(2, ["--vocabulary words"], *self.train, "--vocabulary", "bpe",
                   "--word-vectors", self.put("v.txt", "a 1 2\n"), *out)
        self.fails(1, ["v.txt:2"], *self.train, "--word-vectors", self.put("v.txt", "a 1 2\nb 1\n"),
                   *out)
        self.fails(1, ["d.txt:1", "without a sentence"], "train", "--task", "classify", "--model",
                   "han", "--format", "docs", "--texts",
                   self.put("d.txt", "#doc a pos\n\n#doc b neg\nx\n"), *out)
        self.assertFalse((self.folder / "x").exists())
