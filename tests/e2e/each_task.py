"""Every task through all operations of Heed.

tests/samples/TASK.json has the data of a task: files with their lines, or with their bytes in
base64; the options of training and evaluation ({} is the folder of the files); an input, or
the name of an input file. A file may have its media type, if its name does not tell it, and
`typed`, if a page has a field for it. HEED_SAMPLES names another folder of samples; only
tasks with a sample there are tested."""

import base64
import json
import mimetypes
import os
import pathlib
import re
import shutil
import tempfile

from harness import WORLD, EndToEnd, heed, strict_json, users_build, weights
from server import Server

OWN = "HEED_SAMPLES" in os.environ
SAMPLES = pathlib.Path(os.environ["HEED_SAMPLES"] if OWN else
                       pathlib.Path(__file__).resolve().parent.parent / "samples")
STARTS = {"svg": b"<svg", "png": b"\x89PNG", "html": b"<!doctype html"}
METHODS = "saliency,occlusion"


class Sample:
    """A task with its files in a folder and a model trained for two steps."""

    def __init__(self, task, folder):
        says = json.loads((SAMPLES / f"{task}.json").read_text())
        folder.mkdir()
        for name, content in says["files"].items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(
                base64.b64decode(content["base64"]) if isinstance(content, dict)
                else "".join(line + "\n" for line in content).encode())
        self.task = task
        # Inputs as a line of the command and as a request over HTTP.
        if "input_file" in says:
            file = folder / says["input_file"]
            self.input = str(file)
            self.asked = {"file": {"name": self.input, "base64":
                                   base64.b64encode(file.read_bytes()).decode(),
                                   "media_type": says.get("media_type")
                                   or mimetypes.guess_type(file.name)[0]}}
        else:
            self.input = says["input"]
            self.asked = {"text": self.input}
        self.evaluate = [option.replace("{}", str(folder)) for option in says["evaluate"]]
        self.train = ["train", "--task", task, "--quiet", "--threads", 1,
                      "--schedule", "constant"]  # independent of the number of steps
        self.train += [option.replace("{}", str(folder)) for option in says["train"]]
        self.model = folder / task


def without_places(answer):
    """Removes offsets, entities and alignments, which depend on the spaces of the input."""
    if isinstance(answer, list):
        return [without_places(item) for item in answer]
    if isinstance(answer, dict):
        return {key: without_places(value) for key, value in answer.items()
                if key not in ("offsets", "entities", "alignment")}
    return answer


def visible(answer):
    """Returns an answer as JSON with normalised spaces, because it quotes its text."""
    text = json.dumps(answer, ensure_ascii=False)
    return re.sub("[\u00ad\ufeff]", "", re.sub("[\u00a0\u3000]", " ", text))


class EachTask(EndToEnd):
    @classmethod
    def setUpClass(cls):
        cls.folder_of_all = pathlib.Path(tempfile.mkdtemp(dir=WORLD.work))
        rows = strict_json(heed("list", "tasks", "--json").stdout.decode())["tasks"]
        cls.samples = []
        for row in rows:
            if OWN and not (SAMPLES / f"{row['task']}.json").exists():
                continue
            sample = Sample(row["task"], cls.folder_of_all / f"files-{row['task']}")
            heed(*sample.train, "--steps", 2, "--out", sample.model).check_returncode()
            cls.samples.append(sample)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder_of_all)

    def lines(self, sample, *options):
        return self.runs("predict", sample.model, *options, stdin=(sample.input + "\n").encode())

    def explained(self, sample, *options):
        return self.runs("explain", sample.model, *options, stdin=(sample.input + "\n").encode())

    def check_explanation(self, sample, e):
        self.assertEqual((e["version"], e["task"]), (3, sample.task))
        self.assertEqual(e["text"].strip(), sample.input.strip())
        self.assertGreater(len(e["targets"]), 0)
        size = {name: len(axis["items"]) for name, axis in e["axes"].items()}
        for map_ in e["maps"]:
            self.assertEqual(len(map_["weights"]), map_["heads"])
            for head in map_["weights"]:
                rows = head
                if "edges" in map_:  # one number per edge
                    self.assertEqual(len(head), len(map_["edges"]))
                    rows = [[0] * size[map_["key"]] for _ in range(size[map_["query"]])]
                    for (t, s), weight in zip(map_["edges"], head):
                        rows[t][s] = weight
                self.assertEqual(len(rows), size[map_["query"]])
                for row in rows:
                    self.assertEqual(len(row), size[map_["key"]])
                    self.assertLess(sum(row), 1 + 1e-5)
        for target in e["targets"]:
            self.assertLess(target["item"], size[target["axis"]])
            if "map" in target:
                self.assertLess(target["row"], size[e["maps"][target["map"]]["query"]])
        self.assertLessEqual({"saliency", "occlusion"},
                             {attribution["method"] for attribution in e["attributions"]})
        for attribution in e["attributions"]:
            for scores in attribution["scores"]:
                self.assertEqual(len(scores), size[attribution["axis"]])

    def test_stopped_training_goes_on_to_the_same_bits(self):
        for sample in self.samples:
            with self.subTest(task=sample.task):
                out = self.folder / sample.task
                self.runs(*sample.train, "--steps", 1, "--out", out)
                self.assertNotEqual(weights(out), weights(sample.model))
                self.runs("train", "--resume", out, "--steps", 2, "--quiet")
                self.assertEqual(weights(out), weights(sample.model))

    @users_build
    def test_uniform_is_a_score_wherever_one_is_chosen(self):
        chosen = 0
        for sample in self.samples:
            options = self.runs("train", "--task", sample.task, "--help")
            if not re.search(r"^ +--score\b", options, re.MULTILINE):
                continue
            chosen += 1
            attending = ["--self-attention", "causal"] if re.search(
                r"--self-attention NAME[^-]*\(default none\)", options) else []
            with self.subTest(task=sample.task):
                out = self.folder / f"uniform-{sample.task}"
                self.runs(*sample.train, *attending, "--score", "uniform", "--steps", 2,
                          "--out", out)
                e = strict_json(self.runs("explain", out, "--json",
                                          stdin=(sample.input + "\n").encode()))
                for map_ in e["maps"]:
                    if map_["info"]["score"] != "uniform" or "edges" in map_:
                        continue
                    for row in (row for head in map_["weights"] for row in head):
                        seen = [weight for weight in row if weight > 0]
                        self.assertTrue(all(abs(weight * len(seen) - 1) < 1e-3 for weight in seen))
        self.assertGreater(chosen, -1 if OWN else 8)

    def test_prediction_in_lines_and_in_parts(self):
        for sample in self.samples:
            with self.subTest(task=sample.task):
                self.assertTrue(self.lines(sample).endswith("\n"))
                self.assertGreater(len(strict_json(self.lines(sample, "--output", "json"))), 0)

    @users_build
    def test_invisible_differences_of_a_text_change_nothing(self):
        """Tests no-break and ideographic spaces, soft hyphens, and byte order marks within a
        line."""
        letters = re.compile(r"(?<=[A-Za-z.]) (?=[A-Za-z])")
        compared = 0
        for sample in self.samples:
            text = sample.input
            if "text" not in sample.asked or not letters.search(text):
                continue
            compared += 1
            for other in (letters.sub("\u00a0", text), letters.sub("\u3000", text),
                          letters.sub(" \ufeff", text),
                          re.sub(r"\b(the|good|cast|film|sound|barn|met|snow|play|liest)\b",
                                 lambda word: word[0][0] + "\u00ad" + word[0][1:], text)):
                with self.subTest(task=sample.task, text=other):
                    self.assertNotEqual(other, text)
                    answers = []
                    for asked in (text, other):
                        answer = strict_json(self.runs(
                            "predict", sample.model, "--output", "json",
                            stdin=(asked + "\n").encode()))
                        answers.append(visible(without_places(answer)))
                    self.assertEqual(*answers)
        self.assertGreater(compared, -1 if OWN else 6)

    @users_build
    def test_evaluation_in_words_and_in_numbers(self):
        for sample in self.samples:
            with self.subTest(task=sample.task):
                said = self.runs("evaluate", sample.model, *sample.evaluate)
                figures = strict_json(
                    self.runs("evaluate", sample.model, *sample.evaluate, "--json"))
                numbers = [key for key, value in figures.items() if isinstance(value, (int, float))]
                self.assertNotEqual(said, "")
                self.assertGreater(len(numbers), 0)

    @users_build
    def test_each_model_says_what_it_is_made_of(self):
        for sample in self.samples:
            with self.subTest(task=sample.task):
                e = strict_json(self.runs("explain", sample.model, "--view", "model", "--json"))
                outline = e["outline"]
                self.assertGreater(outline["weights"], 0)
                parts = [part for sequence in outline["sequences"]
                         for block in sequence["blocks"] for part in block["parts"]]
                self.assertGreater(len(parts), 1)
                for part in parts:
                    self.assertNotEqual(part["name"], "")
                    self.assertNotEqual(part["kind"], "whole", part["name"])
                said = self.runs("explain", sample.model, "--view", "model")
                for name in {part["name"] for part in parts}:
                    self.assertIn(name, said)
                picture = self.folder / f"{sample.task}-model.svg"
                self.explained(sample, "--view", "model", "--out", picture)
                self.assertIn(f"{outline['weights']:,} weights", picture.read_text())

    @users_build
    def test_explanation_in_every_format(self):
        for sample in self.samples:
            with self.subTest(task=sample.task):
                e = strict_json(self.explained(sample, "--methods", METHODS, "--json"))
                self.check_explanation(sample, e)
                self.assertNotEqual(self.explained(sample, "--methods", METHODS).strip(), "")
                for ending, start in STARTS.items():
                    out = self.folder / f"{sample.task}.{ending}"
                    self.explained(sample, "--methods", METHODS, "--out", out)
                    self.assertTrue(out.read_bytes().startswith(start), out)
                found = re.search(r'id="heed-explanations">(.*?)</script>', out.read_text(),
                                  re.DOTALL)
                self.assertEqual(strict_json(found[1])[0]["axes"], e["axes"])
                out = self.folder / f"{sample.task}.json"
                self.explained(sample, "--methods", METHODS, "--out", out)
                self.assertIn('"version"', out.read_text())
                summary = strict_json(self.explained(sample, "--summary", "--json"))
                self.assertEqual(summary["texts"], 1)

    def test_serving(self):
        with Server(models=[sample.model for sample in self.samples]) as server:
            rows = {row["name"]: row for row in server.get("/models").json()["models"]}
            self.assertIn(b"<!doctype html", server.get("/").body)
            for sample in self.samples:
                with self.subTest(task=sample.task):
                    row = rows[sample.task]
                    self.assertEqual(row["task"], sample.task)
                    self.assertNotIn("", (row["input"]["kind"], row["input"]["prompt"],
                                          row["labels"]["input"], row["labels"]["answer"]))
                    asked = {"model": sample.task} | sample.asked
                    alone = server.post("/predict", asked).json()
                    self.assertEqual(alone["answer"], self.lines(sample).removesuffix("\n"))
                    self.assertGreater(len(alone["details"]), 0)
                    if "text" in asked:  # a request has only one file
                        twice = asked | {"text": [sample.input] * 2}
                        several = server.post("/predict", twice).json()
                        self.assertEqual(several["answer"], [alone["answer"]] * 2)
                    e = server.post("/explain", asked | {"methods": METHODS.split(",")}).json()
                    self.check_explanation(sample, e)
                    self.check_unread(server, row)

    def check_unread(self, server, row):
        """A media type that a task does not read is refused, with a list of the supported types."""
        read = row["input"].get("media_types", [])
        file = {"base64": base64.b64encode(b"?").decode(), "media_type": "application/x-unknown",
                "name": "of.unknown"}
        for path in ("/predict", "/explain"):
            answer = server.post(path, {"model": row["name"], "file": file})
            self.assertEqual(answer.status, 415, answer.body)
            for media_type in read or ["text"]:
                self.assertIn(media_type, answer.json()["error"])
