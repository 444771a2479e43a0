"""Releases of Firefox: search, quality model and text shortlist that come with a student."""

import json
import shutil

from convert import GOLDEN
from harness import EndToEnd, strict_json

SAMPLES = GOLDEN / "bergamot"
LINES = json.loads((SAMPLES / "joint.json").read_text())["lines"][:8]
STDIN = "".join(line + "\n" for line in LINES).encode()

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
