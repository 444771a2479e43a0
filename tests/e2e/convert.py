"""Models of other programs: import, use, export, rejection."""

import io
import json
import pathlib
import shutil
import struct
import zipfile

from harness import EndToEnd

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"
MARIAN_VOCABULARIES = ["--vocab", GOLDEN / "marian.source.yml",
                       "--vocab", GOLDEN / "marian.target.yml"]
JOINT_VOCABULARY = ["--vocab", GOLDEN / "marian.spm"]


def read_npz(path):
    """Returns the members of an archive: header and elements."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def elements(member):
    return member[10 + struct.unpack("<H", member[8:10])[0]:]


def int8_member(data):
    header = f"{{'descr': '|i1', 'fortran_order': False, 'shape': ({len(data)},), }}"
    header = header.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def npz_with(path, options="", change=lambda members: None):
    """Returns the archive with other options. The last line of a name counts."""
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


def pieces_of(spm):
    """Returns the pieces of a SentencePiece model (protobuf field 1 of field 1)."""
    def fields(data):
        at = 0
        while at < len(data):
            def number():
                nonlocal at
                value = shift = 0
                while True:
                    byte = data[at]
                    at += 1
                    value |= (byte & 127) << shift
                    shift += 7
                    if byte < 128:
                        return value
            tag = number()
            if tag & 7 == 2:
                size = number()
                yield tag >> 3, data[at:at + size]
                at += size
            elif tag & 7 == 0:
                number()
            else:
                at += {1: 8, 5: 4}[tag & 7]
    return [text.decode() for field, piece in fields(spm) if field == 1
            for inner, text in fields(piece) if inner == 1]


# vocab.yml of a package: the ids of the pieces of marian.spm.
PIECES = "".join(f'"{piece}": {i}\n' for i, piece in
                 enumerate(pieces_of((GOLDEN / "marian.spm").read_bytes())))

# Options that Marian 1.12.43 writes and older versions do not.
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
                ("transformer-pool: true\n", "transformer-pool: Heed does not support 'true'"),
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

    def package(self, decoder="", **changes):
        """Makes an OPUS-MT package of marian_post.npz. None removes a file."""
        folder = self.folder / "package"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        files = {"model.npz": (GOLDEN / "marian_post.npz").read_bytes(),
                 "vocab.yml": PIECES.encode(), "LICENSE": b"free", "preprocess.sh": b"# Moses",
                 "source.spm": (GOLDEN / "marian.spm").read_bytes(),
                 "target.spm": (GOLDEN / "marian.spm").read_bytes(),
                 "decoder.yml": ("models:\n  - model.npz\nvocabs:\n  - /elsewhere/vocab.yml\n"
                                 "  - /elsewhere/vocab.yml\nbeam-size: 6\nrelative-paths: true\n"
                                 + decoder).encode(), **changes}
        for name, content in files.items():
            if content is not None:
                (folder / name).write_bytes(content)
        return folder

    def translates(self, source, *args):
        out = self.folder / "translates"
        self.runs("import", source, "--out", out, "--overwrite", *args)
        return self.runs("translate", out, "--threads", 1, stdin=b"the old dog sees the fluss\n")

    def test_packages_of_opus_mt_translate_from_folder_and_file(self):
        folder = self.package()
        text = self.translates(folder)
        self.assertNotIn("\u2581", text)
        self.assertEqual(self.translates(folder / "model.npz"), text)
        for vocabularies in (("vocab.yml",), ("vocab.yml", "vocab.yml")):
            given = [word for name in vocabularies for word in ("--vocab", folder / name)]
            self.assertEqual(self.translates(folder, *given), text)

    def test_packages_that_lack_something_say_what(self):
        for status, changes, message in (
                (1, {"source.spm": None}, "--spm SOURCE --spm TARGET"),
                (1, {"vocab.yml": None}, "--vocab SOURCE --vocab TARGET"),
                (2, {"model.npz": None}, "holds no model of Marian"),
                (2, {"second.npz": b"x", "decoder.yml": None}, "holds 2 models of Marian")):
            with self.subTest(changes=changes):
                self.fails(status, message, "import", self.package(**changes), "--out", self.folder / "none")

    def test_marian_decides_unknown_words_and_lengths(self):
        model = self.folder / "translates"
        for allow in ("true", "false"):
            text = self.translates(self.package(f"allow-unk: {allow}\nmax-length-factor: 1\n"))
            if allow == "false":
                self.assertNotIn("<unk>", text)
            found = json.loads(self.runs("translate", model, "--output", "json",
                                         stdin=b"the old dog sees the fluss\n"))
            # The source length includes </s>; the target length does not.
            self.assertLessEqual(len(found["target_tokens"]) - 1, len(found["source_tokens"]))
        short = self.runs("translate", model, "--max-length-factor", "0.1", "--output", "json",
                          stdin=b"the old dog\n")
        self.assertLessEqual(len(json.loads(short)["target_tokens"]), 3)  # with </s>

    def test_keys_of_hugging_face_without_effect_change_nothing(self):
        folder = self.folder / "opus"
        shutil.copytree(GOLDEN / "huggingface_marian", folder)
        config = json.loads((folder / "config.json").read_text())
        plain, more = (self.folder / name for name in ("plain", "more"))
        self.runs("import", folder, "--out", plain)
        config.update({"extra_pos_embeddings": config["vocab_size"], "add_bias_logits": True,
                       "force_bos_token_to_be_generated": False, "renormalize_logits": True,
                       "typical_p": 1.0, "output_scores": False, "sep_token_id": None})
        (folder / "config.json").write_text(json.dumps(config))
        self.runs("import", folder, "--out", more)
        self.assertEqual((plain / "model.safetensors").read_bytes(),
                         (more / "model.safetensors").read_bytes())

    def test_imported_and_quantised_models_are_not_resumed(self):
        model, small = self.folder / "imported", self.folder / "small"
        self.runs("import", GOLDEN / "huggingface_marian", "--out", model)
        self.runs("quantize", model, "--out", small)
        for folder, what in ((model, "a model imported from Hugging Face"), (small, "a quantised model (int8)")):
            self.fails(2, f"is {what}", "train", "--resume", folder)
            self.fails(2, f"heed train --pretrained {folder} --out", "train", "--resume", folder)

    def test_taggers_of_hugging_face_serve_every_command(self):
        out = self.folder / "tagger"
        self.runs("import", GOLDEN / "huggingface_tags", "--out", out)
        tags = self.runs("predict", out, stdin=b"Der Mann sah Annalena\nin Berlin\n")
        self.assertEqual([len(line.split()) for line in tags.splitlines()], [4, 2])
        gold = self.put("gold.conll", b"Der\tO\nMann\tO\nsah\tO\nAnnalena\tB-PER\n")
        self.assertIn("accuracy", self.runs("evaluate", out, "--texts", gold))
        look = self.folder / "look.json"
        self.runs("explain", out, "--text", "in Berlin", "--out", look)
        self.assertTrue(json.loads(look.read_text()))

    def test_classifiers_of_hugging_face_serve_every_command(self):
        out = self.folder / "classifier"
        self.runs("import", GOLDEN / "huggingface_classes", "--out", out)
        text = "Ein SCH\u00d6NER Film !"
        label = self.runs("predict", out, stdin=text.encode() + b"\n").strip()
        self.assertEqual(label, "pos")  # the highest of expected.json
        gold = self.put("gold.tsv", f"pos\t{text}\nneg\tschon\n".encode())
        self.assertIn("accuracy", self.runs("evaluate", out, "--texts", gold))

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
