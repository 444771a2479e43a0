"""Explanations of predictions: heed explain."""

import re

from harness import WORLD, EndToEnd, strict_json, train_args


class Explain(EndToEnd):
    def explain(self, *args, **options):
        return self.runs("explain", WORLD.model, *args, **options)

    def test_json_has_weights_and_attributions(self):
        found = strict_json(self.explain("--text", "1 2 3", "--json", "--methods",
                                         "integrated_gradients,occlusion"))
        self.assertEqual(found["version"], 3)
        self.assertEqual(found["axes"]["source"]["items"], ["1", "2", "3", "</s>"])
        shown = found["maps"][found["targets"][0]["map"]]
        self.assertEqual((shown["query"], shown["key"]), ("target", "source"))
        self.assertEqual(len(shown["weights"]), shown["heads"])
        for row in shown["weights"][0]:
            self.assertEqual(len(row), 4)
            self.assertAlmostEqual(sum(row), 1, places=5)
        self.assertEqual([a["method"] for a in found["attributions"]],
                         ["integrated_gradients", "occlusion"])
        for attribution in found["attributions"]:
            self.assertEqual(len(attribution["scores"]), len(found["targets"]))
        self.assertTrue(all(0 < t["probability"] <= 1 for t in found["targets"]))
        gradients = found["attributions"][0]
        for scores, difference in zip(gradients["scores"], gradients["differences"]):
            self.assertAlmostEqual(sum(scores), difference, delta=0.02)
        self.assertEqual(found["answer"],
                         self.runs("translate", WORLD.model, stdin=b"1 2 3\n").strip())

    def test_rows_of_a_head_are_shown(self):
        whole = strict_json(self.explain("--text", "1 2 3", "--json"))
        shown = whole["maps"][whole["targets"][0]["map"]]
        chosen = ("--text", "1 2 3", "--layer", shown["name"], "--head", 0)
        part = strict_json(self.explain(*chosen, "--rows", "1:3", "--json"))["sentences"][0]
        self.assertEqual(len(part["target"]), 2)
        for row, expected in zip(part["weights"], shown["weights"][0][1:3]):
            for weight, other in zip(row, expected):
                self.assertAlmostEqual(weight, other, places=5)
        self.assertIn("rows 1:3", self.explain(*chosen, "--rows", "1:3"))
        self.fails(2, "there are no rows", "explain", WORLD.model, *chosen, "--rows", "1:30")
        self.fails(2, "not A:B", "explain", WORLD.model, *chosen, "--rows", "3")
        self.fails(2, "--rows needs --layer", "explain", WORLD.model, "--text", "1",
                   "--rows", "0:1")

    def test_pictures_of_every_view(self):
        starts = {".svg": b"<svg", ".png": b"\x89PNG"}
        for view in ("heads", "alignment", "frames", "panels", "lines", "saliency"):
            for ending, start in starts.items():
                out = self.folder / (view + ending)
                self.explain("--text", "4 5", "--view", view, "--methods", "saliency",
                             "--out", out)
                self.assertTrue(out.read_bytes().startswith(start), out)
        out = self.folder / "chosen.svg"
        self.explain("--text", "4 5", "--methods", "saliency", "--out", out)
        self.assertIn("saliency", out.read_text())  # the requested method is shown
        self.explain("--text", "4 5", "--view", "alignment", "--scale", "row", "--words",
                     "--out", out)
        self.assertIn("each row by its largest weight", out.read_text())

    def test_the_page_holds_its_explanations(self):
        out = self.folder / "x.html"
        self.explain("--text", "4 5", "--methods", "saliency", "--out", out)
        page = out.read_text()
        self.assertTrue(page.startswith("<!doctype html"))
        self.assertNotIn('src="./', page)
        found = re.search(r'id="heed-explanations">(.*?)</script>', page, re.DOTALL)
        self.assertEqual(strict_json(found[1])[0]["text"], "4 5")

    def test_every_line_is_explained_as_it_was_translated(self):
        text = "1 2 3\n7 8\n"
        found = strict_json(self.explain("--text", text, "--json"))
        said = self.runs("translate", WORLD.model, stdin=text.encode()).splitlines()
        self.assertEqual([s["answer"] for s in found["segments"]], said)
        self.assertEqual(found["answer"], "\n".join(said))
        self.assertEqual(found["axes"]["source.1"]["items"], ["7", "8", "</s>"])

    def test_a_contrast_asks_why_not_the_other(self):
        found = strict_json(self.explain("--text", "1 2 3", "--answer", "3 2 1", "--contrast",
                                         "3 1 1", "--methods", "saliency", "--json"))
        self.assertEqual(found["targets"][1]["contrast"]["label"], "1")
        self.assertEqual(found["attributions"][0]["targets"], [1])

    def test_views_in_the_terminal(self):
        for view in ("heads", "alignment", "frames", "panels", "lines", "saliency"):
            shown = self.explain("--text", "4 5", "--view", view, "--methods", "occlusion")
            # A grid of heads has no room for words.
            self.assertIn("entropy in bits" if view == "heads" else "4", shown, view)

    def test_lines_come_from_standard_input_or_a_file(self):
        lines = "1 2\n3 4 5\n"
        from_input = self.explain("--json", stdin=lines.encode()).splitlines()
        self.assertEqual(from_input, self.explain("--json", "--file",
                                                  self.put("lines", lines)).splitlines())
        self.assertEqual([strict_json(line)["text"] for line in from_input], ["1 2", "3 4 5"])

    def test_summary_measures_heads_agreement_and_faithfulness(self):
        lines = self.put("lines", "1 2 3\n4 5\n6 7 8 9\n")
        out = self.folder / "summary.json"
        shown = self.explain("--file", lines, "--summary", "--faithfulness", "--methods",
                             "saliency,occlusion", "--out", out)
        self.assertIn("3 texts", shown)
        found = strict_json(out.read_text())
        self.assertEqual(found["texts"], 3)
        self.assertEqual([c["method"] for c in found["faithfulness"]],
                         ["attention", "saliency", "occlusion", "random"])
        for curve in found["faithfulness"]:
            self.assertEqual(len(curve["deletion"]), 11)
            self.assertTrue(0 <= curve["deletion_area"] <= 1)
        self.assertEqual([a["method"] for a in found["agreements"]], ["saliency", "occlusion"])
        self.assertTrue(all(e >= 0 for layer in found["layers"] for e in layer["entropy"]))
        for layer in found["layers"]:
            for words, bits in zip(layer["words"], layer["entropy"]):
                self.assertGreaterEqual(words, 2 ** bits - 1e-6)  # the mean of a convex function
            self.assertTrue(all(0 <= step <= 1 for step in layer["step"] if step is not None))
            if len(layer["entropy"]) == 1:
                self.assertIsNone(layer["context_likeness"])
            else:
                self.assertTrue(0 <= layer["likeness"] <= 1 + 1e-6)
                self.assertTrue(-1 - 1e-6 <= layer["context_likeness"] <= 1 + 1e-6)
        for column in ("words", "step"):
            self.assertIn(f" {column}", shown)
        picture = self.folder / "summary.svg"
        self.explain("--file", lines, "--summary", "--faithfulness", "--methods", "saliency",
                     "--out", picture)
        drawn = picture.read_text()
        # Deletion and insertion: each method has one name and one colour in both plots.
        for words in ("share of the input that is taken away",
                      "share of the input that is put back", ">attention<", ">saliency<"):
            self.assertEqual(drawn.count(words), 1, words)

    def test_heads_are_pruned_by_importance(self):
        model = self.folder / "transformer"
        self.runs(*train_args(model, units=None, embedding=None, model="transformer-tiny",
                              width=16, ff=32, layers=1, heads=2, epochs=1))
        out = self.folder / "pruned.json"
        lines = self.put("lines", "1 2 3\n4 5\n")
        shown = self.runs("explain", model, "--file", lines, "--prune", "0.5,1", "--source",
                          WORLD.work / "valid.source", "--target", WORLD.work / "valid.target",
                          "--out", out)
        self.assertIn("BLEU", shown)
        found = strict_json(out.read_text())
        self.assertEqual(found["share"], [0, 0.5, 1])
        self.assertEqual(found["heads"], 6)
        self.assertEqual(len(found["by_importance"]), 3)
        # Without any head, both orders give equal results.
        self.assertEqual(found["by_importance"][2], found["at_random"][2])
        self.assertEqual(found["by_importance"][0], found["at_random"][0])

    def test_bad_input_is_told_and_leaves_no_file(self):
        out = self.folder / "x.html"
        for status, says, *args in (
                (2, ".html", "--text", "1", "--out", self.folder / "x.gif"),
                (2, "heads", "--text", "1", "--view", "head", "--out", out),
                (2, "saliency", "--text", "1", "--methods", "saliancy"),
                (2, "decoder.attention", "--text", "1", "--layer", "decoder.atention",
                 "--out", out),
                (2, "--layer", "--text", "1", "--head", "3", "--out", out),
                (1, "text", "--text", " ", "--out", out),
                (1, "none", "--file", self.folder / "none", "--out", out),
                (2, "--summary", "--text", "1", "--faithfulness"),
                (2, "share", "--prune", "2", "--file", self.put("l", "1\n"), "--tsv",
                 self.put("t", "1\t1\n")),
                (2, ["--file", "--source"], "--prune", "0.5"),
        ):
            with self.subTest(args=args):
                self.fails(status, says, "explain", WORLD.model, *args)
                self.assertFalse(out.exists())
