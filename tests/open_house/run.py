#!/usr/bin/env python3
"""Tests of an external program: run.py OPEN_HOUSE [UNITTEST ARGS]

Takes a program with its own task and kind of input through all operations of a task:
training, resuming, predicting, evaluating, explaining, serving."""

import base64
import contextlib
import hashlib
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

TIMEOUT = 120  # seconds
COLOURS = {"r": "red", "g": "green", "b": "blue", "y": "yellow"}
TYPE = "application/x-strip"
STRIP = "rrgrbrr"

COMMAND = ""
WORK = pathlib.Path()


def command(*args, stdin=b""):
    return subprocess.run([COMMAND, *map(str, args)], input=stdin, capture_output=True,
                          timeout=TIMEOUT, check=False)


def runs(*args, stdin=b""):
    result = command(*args, stdin=stdin)
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout.decode()


def write_strips(name, count, seed):
    """Writes strips to files and a list of them; returns the path of the list."""
    draw = random.Random(seed)
    lines = []
    for i in range(count):
        most = draw.choice("rgby")
        cells = [most] * draw.randint(4, 8)
        cells += [draw.choice("rgby".replace(most, "")) for _ in range(3)]
        draw.shuffle(cells)
        path = WORK / f"{name}-{i}.strip"
        path.write_text("".join(cells) + "\n")
        lines.append(f"{path.name}\t{COLOURS[most]}\n")
    path = WORK / f"{name}.list"
    path.write_text("".join(lines))
    return path


def train_args(out, **changes):
    settings = {"examples": WORK / "train.list", "valid-examples": WORK / "valid.list",
                "out": out, "epochs": 6, "batch-texts": 16, "learning-rate": 0.01, "model": "rnn", "units": 16,
                "threads": 1} | changes
    args = ["train", "--task", "colours"]
    for key, value in settings.items():
        args += ["--" + key, value]
    return args


def weights(folder):
    return hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()


@contextlib.contextmanager
def serving(*models):
    """Yields the address of a server and checks for a clean exit."""
    with tempfile.TemporaryFile() as errors, subprocess.Popen(
            [COMMAND, "serve", *map(str, models), "--port", "0"], stdout=subprocess.PIPE,
            stderr=errors) as process:
        try:
            line = process.stdout.readline().decode()
            found = re.search(r"http://\S+", line)
            assert found, line
            yield found[0].rstrip("/")
        finally:
            process.terminate()
            status = process.wait(TIMEOUT)
        assert status == 0, status


def ask(url, body=None, content_type="application/json"):
    """Returns (status, JSON)."""
    if isinstance(body, dict):
        body = json.dumps(body).encode()
    request = urllib.request.Request(url, body, {"Content-Type": content_type})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def form_data(content, media_type=TYPE, **fields):
    """Returns (body, Content-Type) of multipart/form-data."""
    parts = [f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
             for name, value in fields.items()]
    parts.append('--b\r\nContent-Disposition: form-data; name="file"; filename="of.strip"\r\n'
                 f"Content-Type: {media_type}\r\n\r\n{content}\r\n--b--\r\n")
    return "".join(parts).encode(), "multipart/form-data; boundary=b"


def as_base64(content, media_type=TYPE):
    return {"base64": base64.b64encode(content.encode()).decode(), "media_type": media_type,
            "name": "of.strip"}


class OpenHouse(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        write_strips("train", 200, 1)
        write_strips("valid", 40, 2)
        cls.model = WORK / "model"
        runs(*train_args(cls.model))
        cls.strip = WORK / "of.strip"
        cls.strip.write_text(STRIP)

    def test_it_is_listed_and_described(self):
        shown = " train --task colours --examples train.tsv --valid-examples valid.tsv --out model\n"
        self.assertIn(shown, runs("train", "--task", "colours", "--help"))
        info = json.loads(runs("info", self.model, "--json"))
        self.assertEqual(info["config"]["task"], "colours")

    def test_a_stopped_run_goes_on_to_the_same_bits(self):
        out = WORK / "stopped"
        runs(*train_args(out, epochs=6, steps=31))
        self.assertNotEqual(weights(out), weights(self.model))
        runs("train", "--resume", out, "--steps", 10**6)
        self.assertEqual(weights(out), weights(self.model))

    def test_it_is_not_resumed_with_other_strips(self):
        out = WORK / "other"
        runs(*train_args(out, steps=5))
        other = WORK / "train-0.strip"
        before = other.read_text()
        other.write_text("y" + before)
        result = command("train", "--resume", out, "--steps", 9)
        other.write_text(before)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"the examples are not what this run began with", result.stderr)

    def test_a_model_of_its_own(self):
        self.assertIn("separate", runs("list", "models"))
        folders = []
        for steps in (10**6, 5):
            folders.append(WORK / f"separate-{steps}")
            runs(*train_args(folders[-1], model="separate", units=0, variant="wide", steps=steps))
        self.assertNotEqual(weights(folders[0]), weights(folders[1]))
        runs("train", "--resume", folders[1], "--steps", 10**6)
        self.assertEqual(weights(folders[0]), weights(folders[1]))
        config = json.loads(runs("info", folders[0], "--json"))["config"]
        self.assertEqual((config["variant"], config["units"]), ("wide", 32))
        result = json.loads(runs("evaluate", folders[0], "--examples", WORK / "valid.list",
                                 "--json"))
        self.assertGreater(result["accuracy"], 90)
        out = WORK / "separate.svg"
        runs("explain", folders[0], "--text", self.strip, "--out", out)
        self.assertIn("strip-cell", out.read_text())
        self.assertIn("tanh(W x + b)", runs("explain", folders[0], "--view", "model"))

    def test_paths_are_predicted(self):
        self.assertEqual(runs("predict", self.model, stdin=f"{self.strip}\n".encode()), "red\n")
        line = runs("predict", self.model, "--output", "json", stdin=f"{self.strip}\n".encode())
        answer = json.loads(line)
        [label] = answer["labels"]
        self.assertEqual(label["label"], "red")
        self.assertGreater(label["probability"], 0.5)

    def test_evaluation(self):
        result = json.loads(runs("evaluate", self.model, "--examples", WORK / "valid.list",
                                 "--json"))
        self.assertEqual(result["inputs"], 40)
        self.assertGreater(result["accuracy"], 90)

    def test_bad_strips_are_named(self):
        bad = WORK / "bad.strip"
        bad.write_text("rrx")
        text = WORK / "strip.txt"
        text.write_text(STRIP)
        for path, says in ((bad, f"{bad}: cell 3"), (text, f"{text}: is no strip (read are: .strip)"),
                           (WORK / "none.strip", "none.strip")):
            for verb in (["predict", self.model], ["explain", self.model]):
                result = command(*verb, stdin=f"{path}\n".encode())
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn(says, result.stderr.decode())

    def test_explanation_is_json_picture_page_and_text(self):
        out = {kind: WORK / f"of.{kind}" for kind in ("json", "svg", "html", "png")}
        for path in out.values():
            runs("explain", self.model, "--text", self.strip, "--methods", "saliency,occlusion",
                 "--out", path)
        explanation = json.loads(out["json"].read_text())
        explanation = explanation["texts"][0] if "texts" in explanation else explanation
        self.check_explanation(explanation)
        svg = out["svg"].read_text()
        drawn = re.findall(r"<rect class='strip-cell'[^>]* fill='(\w+)'", svg)
        self.assertEqual(drawn[:len(STRIP)], [COLOURS[cell] for cell in STRIP])
        self.assertTrue(out["png"].read_bytes().startswith(b"\x89PNG"))
        self.assertIn('"kind":"strip"', out["html"].read_text())
        shown = runs("explain", self.model, "--text", self.strip)
        self.assertIn("red", shown)
        summary = json.loads(runs("explain", self.model, "--summary", "--json",
                                  stdin=f"{self.strip}\n".encode()))
        self.assertEqual(summary["texts"], 1)

    def check_explanation(self, e):
        self.assertEqual((e["version"], e["task"], e["answer"]), (3, "colours", "red"))
        axis = e["axes"]["source"]
        self.assertEqual(axis["kind"], "strip")
        self.assertEqual(axis["payload"]["colours"], [COLOURS[cell] for cell in STRIP])
        [target] = e["targets"]
        weights_of_answer = e["maps"][target["map"]]["weights"][0][0]
        self.assertEqual(len(weights_of_answer), len(STRIP))
        self.assertAlmostEqual(sum(weights_of_answer), 1, places=5)
        self.assertGreater(target["probability"], 0.5)

    def test_a_view_of_its_own(self):
        e = json.loads(runs("explain", self.model, "--text", self.strip, "--json"))
        sums = {}
        for cell, weight in zip(STRIP, e["maps"][e["targets"][0]["map"]]["weights"][0][0]):
            sums[COLOURS[cell]] = sums.get(COLOURS[cell], 0) + weight
        shown = runs("explain", self.model, "--text", self.strip, "--view", "colours")
        said = {name: float(weight) for name, weight in
                re.findall(r"^  (\w+) +([\d.]+)$", shown, re.MULTILINE)}
        self.assertEqual(said, {name: round(weight, 2) for name, weight in sums.items()})
        out = WORK / "colours.svg"
        runs("explain", self.model, "--text", self.strip, "--view", "colours", "--out", out)
        self.assertIn(f">red {sums['red']:.2f}</text>", out.read_text())

    def test_contrast(self):
        out = WORK / "contrast.json"
        runs("explain", self.model, "--text", self.strip, "--contrast", "green", "--methods",
             "occlusion", "--out", out)
        self.assertIn('"contrast":{"label":"green"', re.sub(r"\s", "", out.read_text()))

    def test_served(self):
        with serving(self.model) as url:
            [row] = ask(f"{url}/models")[1]["models"]
            self.assertEqual((row["task"], row["input"]["kind"], row["input"]["media_types"]),
                             ("colours", "strip", [TYPE]))
            self.assertEqual(row["labels"], {"input": "Strip", "answer": "Colour"})

            asked = {"model": "model", "file": as_base64(STRIP)}
            for body in ((asked,), form_data(STRIP, model="model")):
                status, answer = ask(f"{url}/predict", *body)
                self.assertEqual((status, answer["answer"]), (200, "red"), answer)
                self.assertGreater(answer["details"]["labels"][0]["probability"], 0.5)
                status, explanation = ask(f"{url}/explain", *body)
                self.assertEqual(status, 200, explanation)
                self.check_explanation(explanation)
                self.assertEqual(explanation["text"], "of.strip")

            for body in (({"file": as_base64(STRIP, "image/png")},),
                         form_data(STRIP, "image/png"), ({"text": STRIP},)):
                for verb in ("predict", "explain"):
                    status, answer = ask(f"{url}/{verb}", *body)
                    self.assertEqual(status, 415, answer)
                    self.assertIn(TYPE, answer["error"])

            damaged = {"base64": "!", "media_type": TYPE}
            bad = {"file": [as_base64("rrx"), damaged, as_base64(STRIP), damaged]}
            status, answer = ask(f"{url}/predict", bad)
            self.assertEqual((status, answer["answer"]), (200, [None, None, "red", None]))
            for place, says in ((0, "of.strip: cell 3"), (1, "file[1].base64"),
                                (3, "file[3].base64")):
                self.assertIn(says, answer["details"][place]["error"])
            status, answer = ask(f"{url}/predict", {"file": [damaged]})
            self.assertEqual((status, answer["answer"]), (200, [None]))
            path = {"file": str(self.strip)}
            self.assertEqual(ask(f"{url}/predict", path)[0], 400)


def write_bits(name, answer):
    """Writes every line of up to five bits with its answer; returns the path."""
    lines = [f"{answer(bits)}\t{bits}\n" for length in range(1, 6)
             for bits in (format(i, f"0{length}b") for i in range(2**length))]
    path = WORK / name
    path.write_text("".join(lines))
    return path


class LinesOfBits(unittest.TestCase):
    """Tasks made only from a reader and label names."""

    @classmethod
    def setUpClass(cls):
        cls.lists = {"parity": write_bits("parity.tsv", lambda bits: "odd" if bits.count("1") % 2
                                          else "even"),
                     "ones": write_bits("ones.tsv", lambda bits: bits.count("1"))}
        cls.models = {}
        for task, examples in cls.lists.items():
            cls.models[task] = WORK / task
            runs("train", "--task", task, "--examples", examples, "--valid-examples", examples,
                 "--out", cls.models[task], "--model", "rnn", "--units", 32, "--epochs", 80,
                 "--learning-rate", 0.02, "--batch-texts", 16, "--head-dropout", 0, "--patience", 0,
                 "--threads", 1)

    def evaluated(self, task):
        return json.loads(runs("evaluate", self.models[task], "--examples", self.lists[task],
                               "--json"))

    def test_labels_are_learnt(self):
        result = self.evaluated("parity")
        self.assertEqual(result["inputs"], 62)
        self.assertGreater(result["accuracy"], 95)
        [even, odd] = result["labels"]
        self.assertEqual((even["label"], even["inputs"], odd["inputs"]), ("even", 31, 31))
        line = runs("predict", self.models["parity"], "--probabilities", stdin=b"10110\n")
        names = line.split("\t")
        self.assertEqual((names[0], names[2]), ("even", "odd"))
        self.assertAlmostEqual(float(names[1]) + float(names[3]), 1, places=5)

    def test_numbers_are_learnt(self):
        result = self.evaluated("ones")
        self.assertLess(result["rmse"], 0.3)
        self.assertLessEqual(result["mae"], result["rmse"])
        answers = runs("predict", self.models["ones"], stdin=b"00000\n11111\n").split()
        self.assertLess(float(answers[0]), 0.5)
        self.assertGreater(float(answers[1]), 4.5)
        folder = WORK / "damaged"
        shutil.copytree(self.models["ones"], folder)
        (folder / "scale.json").write_text('{"mean": 1, "deviation": 0}')
        result = command("predict", folder, stdin=b"1\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("scale.json", result.stderr.decode())

    def test_each_line_is_explained_as_it_is_predicted(self):
        for task, model in self.models.items():
            lines = ["10110", "111"]
            answers = runs("predict", model, stdin="\n".join(lines).encode()).split()
            out = WORK / f"{task}.json"
            runs("explain", model, "--methods", "saliency,occlusion", "--out", out,
                 stdin="\n".join(lines).encode())
            texts = json.loads(out.read_text())["explanations"]
            self.assertEqual([e["answer"] for e in texts], answers)
            for line, e in zip(lines, texts):
                self.assertEqual(e["axes"]["source"]["items"], list(line))
                [target] = e["targets"]
                row = e["maps"][target["map"]]["weights"][0][0]
                self.assertAlmostEqual(sum(row), 1, places=5)

    def test_a_score_of_its_own(self):
        self.assertIn("unit_keys", runs("list", "attentions"))
        model = WORK / "unit_keys"
        runs("train", "--task", "ones", "--examples", self.lists["ones"], "--out", model, "--model",
             "transformer-tiny", "--score", "unit_keys", "--steps", 2)
        e = json.loads(runs("explain", model, "--text", "10110", "--json"))
        self.assertIn("unit_keys", {map_["info"]["score"] for map_ in e["maps"]})

    def test_contrast_is_of_labels_alone(self):
        runs("explain", self.models["parity"], "--text", "10", "--contrast", "even", "--methods",
             "occlusion", "--out", WORK / "even.svg")
        for model, says in (("parity", "'three' is no label (valid: even, odd)"),
                            ("ones", "a predicted number has no alternatives")):
            result = command("explain", self.models[model], "--text", "10", "--answer", "three")
            self.assertEqual(result.returncode, 1)
            self.assertIn(says, result.stderr.decode())

    def test_bad_lines_are_named(self):
        lines = WORK / "bad.tsv"
        for task, content, says in (
                ("parity", "even\t11\nodd\t1x\n", "bad.tsv:2: character 2 is neither 0 nor 1"),
                ("parity", "even\t11\nodd\t1\neven\t0\nboth\t1\n", "bad.tsv:4: 'both' is no label"),
                ("parity", "odd\t" + "1" * 600 + "\n", "bad.tsv:1: 600 symbols"),
                ("ones", "2\t11\nmany\t1\n", "bad.tsv:2: 'many' is no number")):
            lines.write_text(content)
            result = command("train", "--task", task, "--examples", lines, "--out", WORK / "none")
            self.assertEqual(result.returncode, 1, task)
            self.assertIn(says, result.stderr.decode())
        result = command("predict", self.models["parity"], stdin=b"1\n2\n")
        self.assertIn("standard input:2: character 1", result.stderr.decode())

    def test_served(self):
        with serving(self.models["parity"]) as url:
            text = "10\n1\n"
            answer = ask(f"{url}/predict", {"text": text})[1]["answer"]
            status, explanation = ask(f"{url}/explain", {"text": text})
            self.assertEqual(status, 200, explanation)
            self.assertEqual([e["answer"] for e in explanation["segments"]], answer.split("\n"))


class Documentation(unittest.TestCase):
    """docs/how-to/adding.md: its links, and the names that it gives."""

    FOLDER = pathlib.Path(__file__).resolve().parent
    PAGE = FOLDER.parent.parent / "docs" / "how-to" / "adding.md"

    def linked(self, line):
        """Returns the linked files, by the code in the text of the links."""
        return {code: (self.PAGE.parent / target).resolve() for code, target in
                re.findall(r"\[`([^`]+)`\]\(([^)#\s]+)\)", line)}

    def check_names(self, names, files, line):
        sources = [path.read_text() for path in files]
        for name in names:
            self.assertTrue(any(re.search(rf"\b{name}\b", source) for source in sources),
                            f"{name} is not in {[path.name for path in files]}: {line}")

    def test_each_source_is_linked(self):
        linked = set(self.linked(self.PAGE.read_text()).values())
        compiled = {path for ending in ("cc", "ts") for path in self.FOLDER.rglob(f"*.{ending}")}
        self.assertEqual({path.name for path in compiled - linked}, set())

    def test_each_linked_file_has_the_linked_name(self):
        for line in self.PAGE.read_text().splitlines():
            for code, path in self.linked(line).items():
                self.assertTrue(path.exists(), line)
                if path.is_file() and code != path.name:
                    self.check_names(code.split("::"), [path], line)

    def test_tables_name_members_of_what_they_link(self):
        """In a row of a table that links a name of a file, or whose heading does, each identifier
        is in a linked file."""
        before, heading = "", {}
        checked = 0
        for line in self.PAGE.read_text().splitlines():
            if line.startswith("|") and not before.startswith("|"):
                heading = self.linked(line)
            before = line
            sources = {code: path for code, path in (heading | self.linked(line)).items()
                       if code != path.name}
            if not line.startswith("|") or not sources:
                continue
            names = set(re.findall(r"`([A-Za-z_]\w*)`", line)) - set(sources)
            self.check_names(names, set(sources.values()), line)
            checked += len(names)
        self.assertGreater(checked, 60)


def main():
    global COMMAND, WORK
    COMMAND = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix="heed-open-house-") as folder:
        WORK = pathlib.Path(folder)
        unittest.main(argv=[sys.argv[0], *sys.argv[2:]])


if __name__ == "__main__":
    main()
