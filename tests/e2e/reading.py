"""Reading comprehension: three file formats, missing answers, typed input, pictures."""

import gzip
import json

from harness import UsersBuild, heed, strict_json, weights
from server import Server

STORIES = [
    ("Ann went to the barn.\nBen went to the yard.", "Where is Ann?", "barn"),
    ("Ben went to the hall.\nAnn went to the hall.", "Where is Ben?", "hall"),
    ("Ann went to the yard.\nAnn went to the barn.", "Where is Ann?", "barn"),
    ("Ben went to the barn.\nAnn went to the hall.", "Where is Ann?", "hall"),
]
PASSAGE = "Ann went to the barn.\nBen went to the yard."


def json_lines(rows=STORIES):
    return "".join(json.dumps({"passage": p, "question": q, "answer": a}) + "\n"
                   for p, q, a in rows)


def numbered(rows=STORIES):
    text = ""
    for passage, question, answer in rows:
        lines = passage.split("\n") + [f"{question}\t{answer}\t1"]
        text += "".join(f"{i + 1} {line}\n" for i, line in enumerate(lines))
    return text


class Reading(UsersBuild):
    def setUp(self):
        super().setUp()
        self.jsonl = self.put("train.jsonl", json_lines())
        self.model = self.folder / "model"
        self.begin = ["train", "--task", "read", "--quiet", "--threads", 1, "--embedding", 6,
                      "--units", 6]

    def trained(self, *options, out=None, passages=None):
        self.runs(*self.begin, "--passages", passages or self.jsonl, "--epochs", 2, "--out",
                  out or self.model, *options)

    def test_files_of_all_forms_give_the_same_model(self):
        self.trained()
        packed = self.folder / "packed.jsonl.gz"
        packed.write_bytes(gzip.compress(json_lines().encode()))
        for name, path in (("gzip", packed), ("babi", self.put("qa1.txt", numbered()))):
            self.trained(out=self.folder / name, passages=path)
            self.assertEqual(weights(self.model), weights(self.folder / name), name)

    def test_answers_are_words_of_the_passage(self):
        self.trained()
        asked = json.dumps({"passage": PASSAGE, "question": "Where is Ann?",
                            "candidates": ["barn", "yard", "cellar"]})
        lines = f"{asked}\nAnn ran home .\tWhere is Ann ?\n".encode()
        answers = self.runs("predict", self.model, stdin=lines).splitlines()
        self.assertIn(answers[0], ("barn", "yard"))
        self.assertIn(answers[1], ("Ann", "ran", "home", "."))
        both = self.runs("predict", self.model, "--answers", 2, stdin=asked.encode())
        first, p, second, q = both.rstrip("\n").split("\t")
        self.assertEqual({first, second}, {"barn", "yard"})
        self.assertAlmostEqual(float(p) + float(q), 1, places=4)
        self.fails(1, ["standard input:1", "a tab"], "predict", self.model, stdin=b"Ann ran.\n")
        self.fails(1, ["no candidate"], "predict", self.model,
                   stdin=b'{"passage": "a", "question": "b", "candidates": ["c"]}\n')

    def test_answers_that_are_missing_are_left_out_and_wrong(self):
        rows = STORIES + [("Ann ran.", "Where is Ann?", "sea side")]
        path = self.put("more.jsonl", json_lines(rows))
        self.trained()
        said = heed(*[one for one in self.begin if one != "--quiet"], "--passages", path,
                    "--epochs", 1, "--out", self.folder / "x")
        self.assertIn("4 questions (1 left out", (said.stdout + said.stderr).decode())
        figures = strict_json(self.runs("evaluate", self.model, "--passages", path, "--json"))
        self.assertEqual((figures["questions"], figures["missing"]), (5, 1))
        self.fails(2, ["no answer of the questions"], *self.begin, "--passages",
                   self.put("none.jsonl", json_lines(rows[4:])), "--out", self.folder / "y")

    def test_stopped_training_goes_on_to_the_same_bits(self):
        options = [*self.begin, "--passages", self.jsonl, "--hops", 2, "--dropout", 0.2,
                   "--batch-texts", 2]
        self.runs(*options, "--epochs", 4, "--out", self.folder / "whole")
        self.runs(*options, "--epochs", 2, "--out", self.folder / "parts")
        self.runs("train", "--resume", self.folder / "parts", "--epochs", 4, "--threads", 2)
        self.assertEqual(weights(self.folder / "whole"), weights(self.folder / "parts"))

    def test_files_that_do_not_fit_are_refused_by_their_line(self):
        for name, content, named in (
                ("a.jsonl", '{"question": "q", "answer": "a"}\n', ["a.jsonl:1", "passage"]),
                ("a.jsonl", json_lines() + "{\n", ["a.jsonl:5"]),
                ("a.jsonl", "[" * 100_000 + "\n", ["a.jsonl:1"]),
                ("a.jsonl", "", ["a.jsonl", "empty"]),
                ("a.txt", "1 Ann ran.\n", ["a.txt", "no question"]),
                ("a.txt", "1 Ann ran.\n4 Where?\tx\n", ["a.txt:2", "number the lines"])):
            with self.subTest(content[:40]):
                self.fails(1, named, *self.begin, "--passages", self.put(name, content), "--out",
                           self.folder / "x")
        self.assertFalse((self.folder / "x").exists())

    def test_pictures_show_the_passage_hop_by_hop(self):
        self.trained("--hops", 2)
        asked = f"{PASSAGE}\tWhere is Ann?"
        for ending in ("svg", "html", "png"):
            out = self.folder / f"picture.{ending}"
            self.runs("explain", self.model, "--text", asked, "--out", out)
            self.assertGreater(out.stat().st_size, 1000)
        svg = (self.folder / "picture.svg").read_text()
        self.assertIn("hop 1 of 2", svg)
        self.assertIn("Where is Ann ? →", svg)
        text = self.runs("explain", self.model, "--text", asked, "--view", "passage")
        self.assertIn("hop 2 of 2", text)

    def test_a_server_answers_and_explains(self):
        self.trained("--hops", 2)
        with Server(models=[self.model]) as server:
            row = server.get("/models").json()["models"][0]
            self.assertEqual(row["input"]["kind"], "passage")
            asked = json.dumps({"passage": PASSAGE, "question": "Where is Ann?"})
            for text in (f"{PASSAGE}\tWhere is Ann?", asked):
                answer = server.post("/predict", {"text": text}).json()
                self.assertEqual(answer["details"]["answers"][0]["answer"], answer["answer"])
                e = server.post("/explain", {"text": text}).json()
                self.assertEqual(e["answer"], answer["answer"])
                self.assertEqual(e["axes"]["source"]["kind"], "passage")
            answer = server.post("/predict", {"text": "Where is Ann?"})
            self.assertEqual(answer.status, 400)
            self.assertIn("a tab", answer.json()["error"])
