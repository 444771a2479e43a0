"""Releases of Firefox: search, quality model and text shortlist that come with a student."""

import gzip
import json
import math
import shutil
import struct

from convert import GOLDEN
from harness import EndToEnd, heed, strict_json
from server import Server

SAMPLES = GOLDEN / "bergamot"
LINES = json.loads((SAMPLES / "joint.json").read_text())["lines"][:8]
STDIN = "".join(line + "\n" for line in LINES).encode()
# "probabilities" are those of forced decoding, which may round an activation the other way.
TOLERANCE = 5e-3
MAGIC = 0x78cc336f1d54b180
# Standard deviations, means, coefficients, intercept.
QUALITY = (0.2677, 0.3385, 0.9847, 0.0596, -0.1683, -0.2219, 1.5857, -0.0951,
           -0.0916, -0.9651, 0.48, -0.4956, 0.167)


def quality_file(numbers=QUALITY, magic=MAGIC, dimensions=4):
    return struct.pack(f"<QQ{len(numbers)}f", magic, dimensions, *numbers)


def word_confidence(log_p, of_sentence, numbers=QUALITY):
    """1 - P(bad) of a word by its definition."""
    stds, means, coefficients = numbers[:4], numbers[4:8], numbers[8:12]
    features = (sum(log_p) / len(log_p), min(log_p), len(log_p),
                sum(of_sentence) / len(of_sentence))
    z = numbers[12] + sum(c * (x - m) / s
                          for c, x, m, s in zip(coefficients, features, means, stds))
    return 1 / (1 + math.exp(z))


class Firefox(EndToEnd):
    def release(self, name="release"):
        folder = self.folder / name
        shutil.copytree(SAMPLES / "joint", folder)
        return folder

    def imported(self, source, *options):
        out = self.folder / f"out{len(list(self.folder.iterdir()))}"
        self.runs("import", source, "--out", out, *options)
        return out

    def rows(self, model, *options):
        text = self.runs("translate", model, "--output", "json", *options, stdin=STDIN)
        return [strict_json(row) for row in text.splitlines()]

    @staticmethod
    def beam(model):
        return json.loads((model / "config.json").read_text())["beam"]

    def test_students_search_greedily_unless_their_files_give_a_beam(self):
        release = self.release()
        model = self.imported(release)
        self.assertEqual(self.beam(model), 1)
        self.assertEqual(self.rows(model), self.rows(model, "--beam", 1))
        self.assertNotEqual(self.rows(model), self.rows(model, "--beam", 4))
        (release / "metadata.json").write_text(json.dumps(
            {"sourceLanguage": "en", "targetLanguage": "de", "modelConfig": {"beam-size": 3}}))
        self.assertEqual(self.beam(self.imported(release)), 3)
        config = release / "config.intgemm8bitalpha.yml"
        config.write_text("beam-size: 2\nnormalize: 1.0\n")
        wide = self.imported(release)
        self.assertEqual(self.beam(wide), 2)
        self.assertEqual(self.rows(wide), self.rows(model, "--beam", 2))
        config.write_text("beam-size: 100000000000\n")
        self.fails(1, [config.name, "beam-size"], "import", release, "--out", self.folder / "x")

    def test_confidences_are_those_of_the_quality_model(self):
        release = self.release()
        (release / "qualityModel.ende.bin.gz").write_bytes(gzip.compress(quality_file()))
        model = self.imported(release)
        rows = self.rows(model, "--confidence")
        for row in rows:
            self.assertTrue(row["calibrated"])
            log_p = [math.log(p) for p in row["probabilities"][:-1]]
            words = []
            for piece, one in zip(row["target_tokens"], log_p):
                if piece.startswith("\u2581") or not words:
                    words.append([])
                words[-1].append(one)
            expected = [word_confidence(word, log_p) for word in words]
            self.assertEqual(len(row["words"]), len(expected))
            for word, confidence in zip(row["words"], expected):
                self.assertAlmostEqual(word["confidence"], confidence, delta=TOLERANCE)
                self.assertEqual(row["text"][word["start"]:word["end"]], word["text"])
            mean = sum(map(math.log, expected)) / len(expected)
            self.assertAlmostEqual(row["confidence"], math.exp(mean), delta=TOLERANCE)
        columns = [line.split("\t") for line in
                   self.runs("translate", model, "--confidence", stdin=STDIN).splitlines()]
        self.assertEqual([column[0] for column in columns], [row["text"] for row in rows])
        for column, row in zip(columns, rows):
            self.assertAlmostEqual(float(column[1]), row["confidence"], delta=1e-4)
        predicted = self.runs("predict", model, "--confidence", stdin=STDIN).splitlines()
        self.assertEqual(predicted, ["\t".join(column) for column in columns])

    def test_without_a_quality_model_confidences_are_uncalibrated(self):
        model = self.imported(SAMPLES / "joint")
        result = heed("translate", model, "--confidence", "--output", "json", stdin=STDIN)
        self.assertIn(b"uncalibrated", result.stderr)
        for line in result.stdout.splitlines():
            row = strict_json(line)
            self.assertFalse(row["calibrated"])
            first = row["probabilities"][0]
            if row["target_tokens"][1].startswith("\u2581"):
                self.assertAlmostEqual(row["words"][0]["confidence"], first, delta=TOLERANCE)

    def test_the_server_gives_confidences(self):
        release = self.release()
        (release / "qualityModel.ende.bin").write_bytes(quality_file())
        model = self.imported(release)
        rows = self.rows(model, "--confidence")
        with Server(models=[model]) as server:
            ask = {"q": LINES, "source": "en", "target": "de", "format": "text"}
            plain = server.post("/translate", ask).json()
            answer = server.post("/translate", {**ask, "confidence": True}).json()
            self.assertEqual(answer["translatedText"], plain["translatedText"])
            self.assertEqual(sorted(plain), ["translatedText"])
            self.assertTrue(answer["calibrated"])
            for i, row in enumerate(rows):
                self.assertAlmostEqual(answer["confidence"][i], row["confidence"], delta=1e-3)
                for word in answer["words"][i]:
                    self.assertEqual(answer["translatedText"][i][word["start"]:word["end"]],
                                     word["text"])
            two = server.post("/translate", {**ask, "q": f"{LINES[0]}\n\n{LINES[1]}",
                                             "confidence": True}).json()
            counts = [len(row["words"]) for row in rows[:2]]
            mean = sum(row["confidence"] * count
                       for row, count in zip(rows, counts)) / sum(counts)
            self.assertAlmostEqual(two["confidence"], mean, delta=1e-3)
            for word in two["words"]:
                self.assertEqual(two["translatedText"][word["start"]:word["end"]], word["text"])
            unchanged = server.post("/translate", {**ask, "q": ["", "x"], "target": "en",
                                                   "confidence": True}).json()
            self.assertEqual(unchanged["confidence"], [None, None])
            self.assertEqual(unchanged["words"], [[], []])

    def test_bad_quality_models_are_refused(self):
        release = self.release()
        name = "qualityModel.ende.bin"
        for content, says in (
                (b"", "magic"), (quality_file()[:-1], "67 bytes"),
                (quality_file() + b"\0", "69 bytes"), (quality_file(magic=1), "magic"),
                (quality_file(dimensions=5), "number of features is 5"),
                (quality_file(dimensions=1 << 63), "number of features"),
                (quality_file((0.0,) + QUALITY[1:]), "standard deviation 1 is 0"),
                (quality_file(QUALITY[:5] + (math.nan,) + QUALITY[6:]), "mean 2 is nan"),
                (quality_file(QUALITY[:12] + (math.inf,)), "intercept is inf")):
            (release / name).write_bytes(content)
            self.fails(1, [name, says], "import", release, "--out", self.folder / "x")

    def test_text_shortlists_are_imported(self):
        release = self.release()
        (release / "lex.50.50.ende.s2t.bin").unlink()
        model = self.imported(SAMPLES / "joint")
        row = self.rows(model)[0]
        source = row["source_tokens"][0]
        target = row["target_tokens"][0]
        (release / "lex.s2t.gz").write_bytes(gzip.compress(
            f"{target} {source} 0.5\nNULL {source} 0.5\n{target} NULL 1\n".encode()))
        config = release / "config.intgemm8bitalpha.yml"
        for shortlist in ("", "shortlist: [lex.s2t.gz, 2, 50]\n"):
            config.write_text("beam-size: 1\n" + shortlist)
            listed = self.imported(release)
            first = self.rows(listed, "--shortlist", "model")[0]["target_tokens"]
            if shortlist:  # <unk>, </s>, the pair, the source and up to 7 more tokens
                self.assertIn(target, first)
                self.assertLessEqual(len(set(first)), len(set(row["source_tokens"])) + 10)
        config.write_text("shortlist: [lex.s2t.gz, x, 50]\n")
        self.fails(1, [config.name, "shortlist"], "import", release, "--out", self.folder / "x")
        (release / "lex.s2t.gz").write_bytes(gzip.compress(b"a b\n"))
        config.write_text("shortlist: [lex.s2t.gz, 2, 50]\n")
        self.fails(1, ["lex.s2t.gz:1", "probability"],
                   "import", release, "--out", self.folder / "x")

    def test_an_import_of_several_models_goes_on_after_one_that_fails(self):
        models = self.folder / "models"
        for name in ("a", "b", "c"):
            shutil.copytree(SAMPLES / "joint", models / name)
        (models / "b" / "model.ende.intgemm.alphas.bin").write_bytes(b"damaged")
        out = self.folder / "all"
        result = heed("import", models, "--out", out)
        self.assertEqual(result.returncode, 1)
        self.assertIn("2 of 3 models imported", result.stdout.decode())
        errors = [line for line in result.stderr.decode().splitlines()
                  if line.startswith("error: ")]
        self.assertEqual(len(errors), 1, errors)
        self.assertIn(str(models / "b"), errors[0])
        self.assertEqual(sorted(path.name for path in out.iterdir()), ["a", "c"])

    def test_activations_are_fixed_wherever_a_model_runs(self):
        model = self.imported(SAMPLES / "joint")
        fixed = self.runs("translate", model, "--activations", "fixed", stdin=STDIN)
        self.assertEqual(
            self.runs("predict", model, "--activations", "fixed", stdin=STDIN), fixed)
        self.assertNotEqual(self.runs("predict", model, stdin=STDIN), fixed)
        source = self.put("a.en", STDIN)
        target = self.put("a.de", fixed)
        pair = ("--source", source, "--target", target)
        found = [strict_json(self.runs("evaluate", model, "--json", *pair, *options))
                 for options in ((), ("--activations", "fixed"))]
        self.assertAlmostEqual(found[1]["bleu"], 100)
        self.assertNotEqual(found[0], found[1])
        explained = [self.runs("explain", model, "--text", LINES[0], "--json", *options)
                     for options in ((), ("--activations", "fixed"))]
        self.assertNotEqual(*explained)
        links = [self.runs("align", model, *pair, "--format", "json", *options)
                 for options in ((), ("--activations", "fixed"))]
        self.assertNotEqual(*links)
