"""Captions of user images and of synthetic scenes."""

import base64
import io
import json
import struct
import zipfile

from harness import EndToEnd, strict_json, weights
from images import half, png
from server import Server


def npy(rows):
    """A .npy file of f4 elements [cells, features]."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])})}}"
    elements = b"".join(struct.pack("<f", value) for row in rows for value in row)
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header.encode() + elements


class Captions(EndToEnd):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "model"
        for name in ("left", "right"):
            (self.folder / f"{name}.png").write_bytes(half(name == "left"))
        self.list = self.put("list.tsv", "".join(
            f"{name}.png\tlight on the {name}\t[[3, {4 * (name == 'right')}, 0, "
            f"{4 + 4 * (name == 'right')}, 8]]\n" for name in ("left", "right") * 8))
        self.train = ["train", "--task", "caption", "--quiet", "--threads", 1, "--filters", 4,
                      "--units", 16, "--embedding", 16]

    def trained(self, *options):
        self.runs(*self.train, "--images", self.list, "--image-size", 16, "--epochs", 40, "--lr", 0.01,
                  "--dropout", 0, "--batch-images", 4, "--out", self.model, *options)

    def test_a_list_is_learned_measured_and_explained(self):
        self.trained()
        paths = "".join(f"{self.folder}/{name}.png\n" for name in ("right", "left"))
        self.assertEqual(self.runs("predict", self.model, stdin=paths.encode()),
                         "light on the right\nlight on the left\n")
        figures = json.loads(self.runs("evaluate", self.model, "--images", self.list, "--json"))
        self.assertEqual(figures["exact_match"], 100)
        self.assertEqual(figures["nouns"], 16)
        self.assertGreaterEqual(figures["pointing"], figures["pointing_touching"])
        drawn = self.runs("explain", self.model, "--text", f"{self.folder}/left.png")
        self.assertIn("light on the left", drawn)
        self.assertRegex(drawn, r"light \d\.\d\d +on \d\.\d\d +the \d\.\d\d +left \d\.\d\d")

    def test_hard_looks_resume_to_the_same_bits(self):
        scenes = self.folder / "scenes"
        said = self.runs("generate", "scenes", "--count", 40, "--valid", 8, "--test", 4, "--out", scenes)
        self.assertIn("40 scenes for training, 8 for validation, 4 for the test", said)
        self.assertEqual(len((scenes / "test.tsv").read_text().splitlines()), 4)
        options = [*self.train, "--look", "hard", "--images", scenes / "train.tsv", "--valid-images",
                   scenes / "valid.tsv", "--schedule", "constant"]
        self.runs(*options, "--epochs", 2, "--out", self.folder / "whole")
        self.runs(*options, "--epochs", 1, "--out", self.folder / "parts")
        self.runs("train", "--resume", self.folder / "parts", "--epochs", 2, "--threads", 2)
        self.assertEqual(weights(self.folder / "whole"), weights(self.folder / "parts"))

    def test_karpathys_json_is_learned_from_features(self):
        splits = ["train", "restval"] * 8 + ["val", "test"] * 2
        images, archive = [], io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as arrays:
            for number, split in enumerate(splits):
                side = number // 2 % 2
                arrays.writestr(f"{number}.npy", npy([[1 - side, side], [side, 1 - side]]))
                words = ["light", "left" if side == 0 else "right"]
                images.append({"filename": f"{number}.jpg", "split": split,
                               "sentences": [{"tokens": words}, {"tokens": ["one"] + words}]})
        data = self.put("set.json", json.dumps({"images": images, "dataset": "x"}))
        features = self.folder / "features.npz"
        features.write_bytes(archive.getvalue())
        self.runs("train", "--task", "caption", "--quiet", "--threads", 1, "--units", 16, "--embedding", 16,
                  "--images", data, "--features", features, "--epochs", 60, "--lr", 0.01,
                  "--dropout", 0, "--batch-images", 4, "--metric", "cider", "--out", self.model)
        figures = json.loads(self.runs("evaluate", self.model, "--images", data, "--features",
                                       features, "--json"))
        self.assertEqual((figures["images"], figures["references"]), (2, 4))
        self.assertEqual(figures["exact_match"], 100)
        self.assertGreater(figures["cider"], 0)
        (self.folder / "one.npy").write_bytes(npy([[0, 1], [1, 0]]))
        said = self.runs("predict", self.model, stdin=f"{self.folder}/one.npy\n".encode())
        self.assertIn("light right", said)
        self.assertIn("light right", self.runs("explain", self.model, "--text", self.folder / "one.npy"))
        self.fails(1, ["left.png", ".npy"], "predict", self.model,
                   stdin=f"{self.folder}/left.png\n".encode())
        self.fails(2, ["--features"], "evaluate", self.model, "--images", data)
        for option, value in (("--image-size", 64), ("--colours", "grey"), ("--filters", 8)):
            self.fails(2, [option, "--features"], "train", "--task", "caption", "--images", data,
                       "--features", features, option, value, "--out", self.folder / "x")
        with Server(models=[self.model]) as server:
            about = server.get("/models").json()["models"][0]
        # The sample images of the task are none of its inputs.
        self.assertEqual(about["examples"], [])
        self.assertIn("features", about["input"]["prompt"])

    def test_lists_that_do_not_fit_are_refused_by_their_line(self):
        out = ["--out", self.folder / "x"]
        for lines, named in (
                ("left.png\n", "list.tsv:1"),
                ("left.png\tlight\nright.png\tlight\t[[0, 1]]\n", "list.tsv:2"),
                ("left.png\tlight\t[[0, 0, 0, 9, 9]]\n", "list.tsv:1"),
                ("left.png\tlight\t" + "[" * 100_000 + "\n", "list.tsv:1"),
                ("gone.png\tlight\n", "gone.png")):
            with self.subTest(lines[:60]):
                self.fails(1, [named], *self.train, "--images", self.put("list.tsv", lines), *out)
        self.fails(2, ["multiple of 4"], *self.train, "--images", self.list, "--image-size", 18, *out)
        self.fails(2, ["heed generate scenes"], *self.train, "--images", self.list, "--scenes", 4, *out)
        self.assertFalse((self.folder / "x").exists())

    def test_a_server_writes_and_explains(self):
        self.trained()

        def asked(content, target):
            file = {"name": "x.png", "media_type": "image/png",
                    "base64": base64.b64encode(content).decode()}
            return server.post(target, {"file": file})

        with Server(models=[self.model]) as server:
            answer = asked(half(True), "/predict")
            self.assertEqual(answer.status, 200)
            self.assertIn("light on the left", answer.body.decode())
            told = strict_json(asked(half(False), "/explain").body.decode())
            self.assertEqual(told["answer"], "light on the right")
            self.assertEqual(told["axes"]["source"]["kind"], "image")
            self.assertEqual(len(told["maps"][0]["weights"][0][0]), 16)
            self.assertEqual(asked(png(100_000, 100_000), "/predict").status, 413)
