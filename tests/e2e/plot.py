"""Learning curves of trainings."""

import json
import shutil

from harness import WORLD, UsersBuild, heed, train_args


class Plot(UsersBuild):
    def run_of(self, name, **changes):
        out = self.folder / name
        self.runs(*train_args(out, **({"metric": "bleu"} | changes)))
        return out

    def test_curves_in_the_terminal_and_as_pictures(self):
        out = self.run_of("run")
        text = self.runs("plot", out)
        for title in ("training loss", "validation loss", "validation BLEU", "learning rate"):
            self.assertIn(title, text)
        picture = self.folder / "curves.svg"
        for axis, label in (("updates", ">updates<"), ("epochs", ">epochs<"),
                            ("time", ">minutes of training<")):
            self.runs("plot", out, "--x", axis, "--out", picture)
            self.assertIn(label, picture.read_text())
        self.runs("plot", out, "--out", self.folder / "curves.png")
        self.assertTrue((self.folder / "curves.png").read_bytes().startswith(b"\x89PNG"))

    def test_runs_are_named_by_what_differs(self):
        one, two = self.run_of("one"), self.run_of("two", units=8)
        picture = self.folder / "curves.svg"
        self.runs("plot", one, two, "--out", picture)
        for name in ("one: units 16", "two: units 8"):
            self.assertIn(f">{name}</text>", picture.read_text())

    def test_epochs_are_recorded(self):
        lines = [json.loads(line) for line in
                 (self.run_of("run", epochs=2) / "metrics.jsonl").read_text().splitlines()]
        self.assertEqual([line["epoch"] for line in lines if "valid_loss" in line], [1, 2])
        self.assertTrue(all(0 < line["epoch"] <= 2 for line in lines))

    def test_damaged_and_empty_records(self):
        out = self.run_of("run")
        log = out / "metrics.jsonl"
        log.write_text("no json\n" + log.read_text() + '{"step": 99, "nl')
        result = heed("plot", out)
        self.assertEqual(result.returncode, 0)
        self.assertIn(f"{log}:1: no record of a step (damaged?), left out", result.stderr.decode())
        shutil.copytree(out, self.folder / "other")
        log.write_text("")
        self.fails(2, "nothing to draw yet", "plot", out)
        result = heed("plot", self.folder / "other", out)
        self.assertEqual(result.returncode, 0)
        self.assertIn("run: nothing recorded yet", result.stderr.decode())
        log.unlink()
        self.fails(1, "metrics.jsonl: missing", "plot", out)
        self.fails(2, ".svg or .png", "plot", out, "--out", "curves.gif")
        copy = self.folder / "copy"
        shutil.copytree(WORLD.model, copy)
        (copy / "config.json").unlink()
        self.assertIn("training loss", self.runs("plot", copy))
        self.fails(2, ["no run recorded 'blue'", "gradient_norm"], "plot", copy, "--measures",
                   "blue")
