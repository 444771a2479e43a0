"""Valid and invalid images of every kind, as files and over HTTP."""

import base64
import json
import pathlib
import struct
import zlib

from harness import UsersBuild, heed, strict_json, with_memory
from server import Server

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden" / "images"


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(
        ">I", zlib.crc32(kind + data))


def png(width, height, pixels=None):
    """Returns a grey PNG file. Without pixels, it has the given size in its header but only one
    row."""
    rows = pixels if pixels is not None else [bytes(min(width, 1000))]
    data = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    return (b"\x89PNG\r\n\x1a\n" +
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", data) + chunk(b"IEND", b""))


def half(left):
    """Returns an image with a bright left or right half."""
    return png(8, 8, [[220] * 4 + [20] * 4 if left else [20] * 4 + [220] * 4] * 8)


class Images(UsersBuild):
    def setUp(self):
        super().setUp()
        for name, left in (("left", True), ("right", False)):
            (self.folder / "set" / name).mkdir(parents=True)
            for i in range(8):
                (self.folder / "set" / name / f"{i}.png").write_bytes(half(left))
        self.model = self.folder / "model"
        self.train = ["train", "--task", "images", "--quiet", "--threads", 1]

    def trained(self, *options):
        self.runs(*self.train, "--images", self.folder / "set", "--patch", 2, "--layers", 1,
                  "--width", 16, "--ff", 16, "--heads", 2, "--epochs", 40, "--lr", 0.01,
                  "--out", self.model, *options)

    def test_a_folder_of_classes_is_learned_and_its_images_are_named(self):
        self.trained()
        lines = "".join(f"{self.folder}/set/{name}/0.png\n" for name in ("right", "left"))
        self.assertEqual(self.runs("predict", self.model, stdin=lines.encode()),
                         "right\nleft\n")

    def test_what_systems_and_editors_leave_behind_is_skipped(self):
        self.trained()
        leftovers = [".DS_Store", "left/._0.png", "left/Thumbs.db", "right/desktop.ini", "right/0.png~",
                     ".ipynb_checkpoints/0-checkpoint.png", "__MACOSX/left/._0.png", "left/@eaDir/0.png", "README.txt"]
        for name in leftovers:
            path = self.folder / "set" / name
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_bytes(b"no image")
        result = heed(*self.train, "--images", self.folder / "set", "--patch", 2, "--layers", 1, "--width", 16, "--ff", 16,
                      "--heads", 2, "--epochs", 1, "--out", self.folder / "again")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b"set: 9 files or folders are skipped", result.stderr)
        figures = heed("evaluate", self.model, "--images", self.folder / "set", "--json")
        self.assertEqual(json.loads(figures.stdout)["images"], 16)
        self.assertIn(b"9 files or folders are skipped", figures.stderr)

    def test_files_that_are_no_images_are_named_in_one_line(self):
        self.trained()
        bad = {"empty.png": b"", "text.png": b"no image", "half.png": half(True)[:60],
               "wide.png": png(100_000, 100_000), "long.png": png(16384, 16384),
               "bare.png": png(5700, 5700, [])}
        for name, content in bad.items():
            with self.subTest(name):
                path = self.folder / name
                path.write_bytes(content)
                # The image is refused before memory is allocated.
                run = heed("predict", self.model, stdin=f"{path}\n".encode(),
                           **with_memory(2048))
                self.assertGreater(run.returncode, 0, run.stderr)
                self.assertEqual(run.stderr.decode().count("\n"), 1, run.stderr)
                self.assertIn(name, run.stderr.decode())
                self.assertEqual(run.stdout, b"")

    def test_a_path_that_does_not_exist_is_a_bad_line(self):
        self.trained()
        lines = f"{self.folder}/set/left/0.png\n{self.folder}/gone.png\n.\n".encode()
        run = heed("predict", self.model, "--on-error", "empty", stdin=lines)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stdout, b"left\n\n\n")
        self.assertIn(b"gone.png", run.stderr)
        self.fails(1, "gone.png", "predict", self.model, stdin=lines)

    def test_sets_that_do_not_fit_are_refused(self):
        (self.folder / "none").mkdir()
        out = ["--out", self.folder / "x"]
        self.fails(1, ["none", "no images"], *self.train, "--images", self.folder / "none", *out)
        lists = self.put("list.tsv", "set/left/0.png\tleft\nset/gone.png\tright\n")
        self.fails(1, ["list.tsv", "2"], *self.train, "--images", lists, *out)
        lists = self.put("list.tsv", "set/left/0.png\nset/right/0.png\tright\n")
        self.fails(1, ["list.tsv", "1"], *self.train, "--images", lists, *out)
        self.fails(2, ["clutter", "--canvas"], *self.train, "--images", self.folder / "set",
                   "--clutter", 3, "--clutter-size", 2, *out)
        self.fails(2, "shift", *self.train, "--images", self.folder / "set", "--shift", 400, *out)
        self.assertFalse((self.folder / "x").exists())

    def test_every_kind_of_file_is_read(self):
        self.trained()
        for path in sorted(GOLDEN.glob("*.png")) + sorted(GOLDEN.glob("*.jpg")):
            with self.subTest(path.name):
                said = self.runs("predict", self.model, stdin=f"{path}\n".encode())
                self.assertIn(said, ("left\n", "right\n"))

    def test_a_server_refuses_by_kind_and_by_size(self):
        self.trained()

        def asked(content, media_type="image/png", target="/predict"):
            file = {"name": "x.png", "media_type": media_type,
                    "base64": base64.b64encode(content).decode()}
            return server.post(target, {"file": file})

        with Server("--max-body-bytes", 200_000, models=[self.model]) as server:
            self.assertEqual(asked(half(True)).status, 200)
            self.assertEqual(asked(half(True), target="/explain").status, 200)
            self.assertEqual(asked(b"%PDF-1.4", "application/pdf").status, 415)
            for target in ("/predict", "/explain"):
                for content, status in ((b"no image", 415), (half(True)[:60], 400),
                                        (png(5700, 5700), 400), (png(100_000, 100_000), 413)):
                    with self.subTest(target, status=status):
                        self.assertEqual(asked(content, target=target).status, status)
            self.assertIn("missing file parameter",
                          server.post("/predict", {}).body.decode())
            self.assertEqual(asked(bytes(400_000)).status, 413)
            # The server continues to work.
            answer = asked(half(False))
            self.assertEqual(answer.status, 200)
            self.assertIn("right", str(strict_json(answer.body.decode())))
