"""Models of other programs: read, used, written, refused."""

import pathlib

from harness import EndToEnd

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"
MARIAN_VOCABULARIES = ["--vocab", GOLDEN / "marian.source.yml",
                       "--vocab", GOLDEN / "marian.target.yml"]
JOINT_VOCABULARY = ["--vocab", GOLDEN / "marian.spm"]


class Convert(EndToEnd):
    def test_marian_models_translate(self):
        for kind in ("post", "pre", "s2s", "amun"):
            with self.subTest(kind=kind):
                out = self.folder / kind
                vocabularies = JOINT_VOCABULARY if kind == "post" else MARIAN_VOCABULARIES
                self.runs("import", GOLDEN / f"marian_{kind}.npz", *vocabularies, "--out", out)
                text = self.runs("translate", out, "--max-length", 5, stdin=b"a b\n\nc\n")
                self.assertEqual(text.count("\n"), 3)

    def test_hugging_face_goes_round(self):
        first, away, back = (self.folder / name for name in ("first", "away", "back"))
        self.runs("import", GOLDEN / "huggingface_marian", "--out", first)
        self.runs("export", first, "--out", away, "--format", "huggingface")
        self.runs("import", away, "--out", back)
        lines = b"a b\nc\n"
        self.assertEqual(self.runs("translate", back, "--max-length", 5, stdin=lines),
                         self.runs("translate", first, "--max-length", 5, stdin=lines))

    def test_bert_fills_masks(self):
        out = self.folder / "bert"
        self.runs("import", GOLDEN / "huggingface_bert", "--out", out)
        self.assertTrue(self.runs("predict", out, stdin=b"[MASK]\n"))

    def test_wrong_files_leave_nothing(self):
        whole = (GOLDEN / "marian_post.npz").read_bytes()
        out = self.folder / "none"
        for name, content in (("cut.npz", whole[:len(whole) // 2]), ("empty.npz", b""),
                              ("text.npz", b"not a zip")):
            with self.subTest(name=name):
                self.fails(1, name, "import", self.put(name, content), *MARIAN_VOCABULARIES,
                           "--out", out)
        pickled = self.folder / "pickled"
        pickled.mkdir()
        (pickled / "config.json").write_text('{"model_type": "marian"}')
        (pickled / "pytorch_model.bin").write_bytes(b"x")
        self.fails(1, "safetensors", "import", pickled, "--out", out)
        self.assertFalse(out.exists())
