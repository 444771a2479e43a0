"""Models of other programs: read, used, written, refused."""

import io
import pathlib
import struct
import zipfile

from harness import EndToEnd

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"
MARIAN_VOCABULARIES = ["--vocab", GOLDEN / "marian.source.yml",
                       "--vocab", GOLDEN / "marian.target.yml"]
JOINT_VOCABULARY = ["--vocab", GOLDEN / "marian.spm"]


def read_npz(path):
    """The members of an archive: header and elements."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def elements(member):
    return member[10 + struct.unpack("<H", member[8:10])[0]:]


def int8_member(data):
    header = f"{{'descr': '|i1', 'fortran_order': False, 'shape': ({len(data)},), }}"
    header = header.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def npz_with(path, options="", change=lambda members: None):
    """The archive with other options (the later of two lines of a name counts)."""
    members = read_npz(path)
    config = "special:model.yml.npy"
    lines = {}
    text = elements(members[config]).rstrip(b"\0").decode()
    name = ""
    for line in (text + options).splitlines():
        if not line.startswith(" "):
            name = line.split(":")[0]
            lines[name] = ""
        lines[name] += line + "\n"
    members[config] = int8_member("".join(lines.values()).encode() + b"\0")
    change(members)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for member, data in members.items():
            archive.writestr(member, data)
    return file.getvalue()


# What Marian 1.12.43 writes beyond what older ones do.
NEWEST = """separator-symbol: "[eos]"
transformer-attention-mask: default
transformer-alibi-shift: false
transformer-alibi-trainable: false
transformer-disable-position-embeddings: false
transformer-no-affine: false
transformer-no-bias: false
version: v1.12.43 c9f287d 2025-06-23 19:47:45 +0000
"""


class Convert(EndToEnd):
    def imports(self, name, archive, vocabularies, *args):
        out = self.folder / f"{name}.model"
        self.runs("import", self.put(f"{name}.npz", archive), *vocabularies, "--out", out, *args)
        return out

    def test_newest_marian_is_read_as_older_ones(self):
        for kind in ("post", "pre", "s2s", "amun"):
            with self.subTest(kind=kind):
                vocabularies = JOINT_VOCABULARY if kind == "post" else MARIAN_VOCABULARIES
                path = GOLDEN / f"marian_{kind}.npz"
                # gelu is another function in newer versions.
                options = NEWEST.partition("version")[0] if kind == "pre" else NEWEST
                old = self.imports(f"{kind}_old", path.read_bytes(), vocabularies)
                new = self.imports(f"{kind}_new", npz_with(path, options), vocabularies)
                self.assertEqual((old / "model.safetensors").read_bytes(),
                                 (new / "model.safetensors").read_bytes())

    def test_marian_options_beyond_the_usual(self):
        post = GOLDEN / "marian_post.npz"
        out = self.folder / "refused"
        for options, message in (
                ("transformer-attention-mask: alibi\n", "'alibi'"),
                ("transformer-pool: true\n", "transformer-pool: Heed cannot do 'true'"),
                ("brand-new: 3\n", "--ignore-option brand-new")):
            with self.subTest(options=options):
                archive = self.put("other.npz", npz_with(post, options))
                self.fails(1, message, "import", archive, *JOINT_VOCABULARY, "--out", out)
                self.assertFalse(out.exists())
        self.imports("vouched", npz_with(post, "brand-new: 3\n"), JOINT_VOCABULARY,
                     "--ignore-option", "brand-new")

    def test_marian_layers_that_share_weights(self):
        def copy(members):
            for name in list(members):
                if name.startswith("decoder_l1_"):
                    members[name.replace("_l1_", "_l2_", 1)] = members[name]

        post = GOLDEN / "marian_post.npz"
        whole = self.imports("whole", npz_with(post, "dec-depth: 2\n", copy), JOINT_VOCABULARY)
        tied = self.imports("tied", npz_with(
            post, "dec-depth: 2\ntransformer-tied-layers:\n  - 1\n  - 1\n"), JOINT_VOCABULARY)
        self.assertEqual((whole / "model.safetensors").read_bytes(),
                         (tied / "model.safetensors").read_bytes())

    def test_marian_attention_without_output_projections(self):
        def drop(members):
            for name in list(members):
                if name.endswith(("_Wo.npy", "_bo.npy")):
                    del members[name]

        def identity(members):
            for name, member in list(members.items()):
                if name.endswith("_Wo.npy"):
                    size = int((len(elements(member)) // 4) ** 0.5)
                    ones = [float(i % (size + 1) == 0) for i in range(size * size)]
                    head = member[:len(member) - len(elements(member))]
                    members[name] = head + struct.pack(f"<{size * size}f", *ones)
                elif name.endswith("_bo.npy"):
                    zeros = bytes(len(elements(member)))
                    members[name] = member[:len(member) - len(zeros)] + zeros

        post = GOLDEN / "marian_post.npz"
        plain = self.imports("plain", npz_with(post, "", identity), JOINT_VOCABULARY)
        none = self.imports("none", npz_with(
            post, "transformer-no-projection: true\n", drop), JOINT_VOCABULARY)
        self.assertEqual((plain / "model.safetensors").read_bytes(),
                         (none / "model.safetensors").read_bytes())

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
