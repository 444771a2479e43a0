"""Word alignments: heed align, and training with given alignments."""

import shutil

from harness import WORLD, EndToEnd, heed, reversed_digits, strict_json, train_args


def links_of_reversal(source):
    """Returns the correct links of each line."""
    lines = []
    for line in source.splitlines():
        last = len(line.split()) - 1
        lines.append(" ".join(f"{last - t}-{t}" for t in range(last + 1)))
    return "".join(line + "\n" for line in lines)


class Align(EndToEnd):
    def setUp(self):
        super().setUp()
        source, target = reversed_digits(12, 5)
        self.gold = links_of_reversal(source)
        self.files = ("--source", self.put("s", source), "--target", self.put("t", target))
        self.tsv = self.put("pairs.tsv", "".join(
            "\t".join(row) + "\n"
            for row in zip(source.splitlines(), target.splitlines(), self.gold.splitlines())))

    def align(self, *args):
        return self.runs("align", WORLD.model, *args)

    def test_a_line_of_links_for_each_pair(self):
        links = self.align(*self.files)
        self.assertEqual(links, self.align("--tsv", self.tsv))
        rows = [[tuple(map(int, link.split("-"))) for link in line.split()]
                for line in links.splitlines()]
        self.assertEqual([[t for _, t in row] for row in rows],
                         [list(range(len(line.split()))) for line in self.gold.splitlines()])
        out = self.folder / "links.pharaoh"
        self.assertEqual(self.align(*self.files, "--out", out), "")
        self.assertEqual(out.read_text(), links)

    def test_patterns_of_files_are_expanded(self):
        for side in "st":
            self.put(f"{side}2", (self.folder / side).read_text())
        patterns = ("--source", self.folder / "s*", "--target", self.folder / "t*")
        both = tuple(word for i in ("", "2") for word in
                     ("--source", self.folder / f"s{i}", "--target", self.folder / f"t{i}"))
        self.assertEqual(self.align(*patterns), self.align(*both))
        self.assertEqual(self.align(*patterns), 2 * self.align(*self.files))
        for command in ("evaluate", "align"):
            self.fails(2, "*.none", command, WORLD.model, "--source", self.folder / "*.none",
                       "--target", self.folder / "*.none")
        measured = [strict_json(self.runs("evaluate", WORLD.model, *files, "--json"))
                    for files in (patterns, both)]
        self.assertEqual(*[{**one, "seconds": 0} for one in measured])
        model = self.folder / "model"
        shutil.copytree(WORLD.model, model)
        self.assertIn("24 pairs", heed("shortlist", model, *patterns).stderr.decode())

    def test_words_weights_and_links_as_json(self):
        sentences = strict_json(self.align(*self.files, "--format", "json"))["sentences"]
        self.assertEqual(len(sentences), 12)
        for sentence in sentences:
            self.assertEqual(len(sentence["weights"]), len(sentence["target"]))
            for t, row in enumerate(sentence["weights"]):
                self.assertEqual(len(row), len(sentence["source"]))
                self.assertLess(sum(row), 1.001)
                self.assertIn([row.index(max(row)), t], sentence["links"])

    def test_gold_links_give_figures(self):
        figures = self.align("--tsv", self.tsv, "--gold", self.tsv)
        self.assertEqual([line.split()[0] for line in figures.splitlines()[:3]],
                         ["AER", "precision", "recall"])
        own = self.put("own", self.align(*self.files))
        self.assertIn("AER        0.00 %\nprecision  100.00 %\nrecall     100.00 %\n",
                      self.align(*self.files, "--gold", own))

    def test_ibm_models_stand_beside_an_error_rate(self):
        gold = ("--tsv", self.tsv, "--gold", self.tsv)
        rows = self.align(*gold).splitlines()[4:]
        self.assertIn("EM on the 240 training pairs", rows[0])
        self.assertEqual([row[:11] for row in rows[1:]],
                         ["IBM model 1"] * 3 + ["IBM model 2"] * 3)
        self.assertIn("grow-diag-final-and", rows[6])
        # IBM model 1 makes errors on repeated digits.
        self.assertLess(float(rows[1].split()[-3]), 25)
        self.assertEqual(len(self.align(*gold, "--no-ibm-baselines").splitlines()), 3)
        self.assertIn("EM on the 12 pairs", self.align(*gold, "--learn-tsv", self.tsv))
        text = (*self.files, "--alignment-gold", self.gold_file())
        figures = strict_json(self.runs("evaluate", WORLD.model, *text, "--json"))
        for model in ("ibm1", "ibm2"):
            for kind in ("", "_backward", "_both"):
                self.assertTrue(0 <= figures[f"aer_{model}{kind}"] <= 100)
        self.assertNotIn("aer_ibm1", strict_json(self.runs(
            "evaluate", WORLD.model, *text, "--json", "--no-ibm-baselines")))

    def gold_file(self):
        return self.put("gold.links", self.gold)

    def test_ibm_models_align(self):
        # The target has the same word order and another alphabet.
        source, _ = reversed_digits(300, 8)
        target = source.translate(str.maketrans("0123456789", "ABCDEFGHIJ"))
        gold = "".join(" ".join(f"{i}-{i}" for i in range(len(line.split()))) + "\n"
                       for line in source.splitlines())
        files = ("--source", self.put("d", source), "--target", self.put("l", target))
        for model in ("ibm1", "ibm2"):
            links = self.runs("align", model, *files, "--threads", 1)
            self.assertEqual(links, self.runs("align", model, *files, "--threads", 2))
            figures = self.runs("align", model, *files, "--gold", self.put("o", gold))
            self.assertEqual(len(figures.splitlines()), 3)
            self.assertLess(float(figures.split()[1]), 25 if model == "ibm1" else 0.5)
        self.assertEqual(links, gold)
        new = ("--source", self.put("n", "3 x 5\n"), "--target", self.put("m", "D y f\n"))
        learn = ("--learn-source", files[1], "--learn-target", files[3])
        self.assertEqual(self.runs("align", "ibm2", *new, *learn, "--lowercase"), "0-0 1-1 2-2\n")
        sentence, = strict_json(self.runs("align", "ibm2", *new, *learn, "--lowercase",
                                          "--format", "json"))["sentences"]
        self.assertGreater(sentence["weights"][0][0], 0.9)
        fails = lambda status, says, *args: self.fails(status, says, "align", *args)
        fails(2, ["--layer is an option of models with attention", "ibm2"], "ibm2", *files,
              "--layer", 0)
        fails(2, ["--tension is an option of ibm1 and ibm2"], WORLD.model, *files, "--tension", 3)
        fails(1, "ibm3", "ibm3", *files)
        fails(1, "lost.tsv", "ibm1", *files, "--learn-tsv", self.folder / "lost.tsv")
        fails(2, "--learn-target", "ibm1", *files, "--learn-source", files[1])

    def test_two_directions(self):
        # Reversing twice gives the original links.
        for method in ("intersection", "union", "grow-diag-final-and"):
            links = self.align(*self.files, "--reverse", WORLD.model, "--symmetrize", method)
            self.assertEqual(len(links.splitlines()), 12)
        count = lambda method: len(self.align(
            *self.files, "--reverse", WORLD.model, "--symmetrize", method).split())
        self.assertLessEqual(count("intersection"), count("grow-diag-final-and"))
        self.assertLessEqual(count("grow-diag-final-and"), count("union"))

    def test_options_of_links(self):
        self.assertEqual(self.align(*self.files, "--threshold", 1).strip(), "")
        most = self.align(*self.files, "--threshold", 0.0001).split()
        self.assertGreater(len(most), len(self.align(*self.files).split()))
        for kind, start in (("html", "<!doctype html"), ("svg", "<svg")):
            self.assertTrue(self.align(*self.files, "--format", kind).startswith(start))

    def test_bad_input(self):
        fails = lambda status, says, *args: self.fails(status, says, "align", WORLD.model, *args)
        short = self.put("short", "1\n")
        fails(1, ["s has 12 lines", "short has 1"], *self.files[:2], "--target", short)
        lines = (self.folder / "t").read_text().splitlines()
        lines[3] = " "
        empty = self.put("empty", "".join(line + "\n" for line in lines))
        fails(1, "empty:4: the target is empty but its source is not", *self.files[:2],
              "--target", empty)
        table = self.put("bad.tsv", "1 2\t2 1\n \t1\n")
        fails(1, "bad.tsv:2: the source is empty but its target is not", "--tsv", table)
        gold = self.put("gold", self.gold.replace("0-", "17-", 1))
        fails(1, ["gold:1: the link 17-", "leaves its pair"], *self.files, "--gold", gold)
        fails(1, "1 lines of links for 12", *self.files, "--gold", short)
        fails(2, "no layer 7", *self.files, "--layer", 7)
        fails(2, "neither 'auto' nor a layer", *self.files, "--layer", "last")
        fails(2, "no head 3", *self.files, "--head", 3)
        fails(2, "symmetrize", *self.files, "--symmetrize", "gdfa")
        fails(2, "unknown kind", *self.files, "--out", self.folder / "x.txt")
        self.assertFalse((self.folder / "x.txt").exists())

    def test_empty_pairs_give_empty_lines(self):
        self.assertEqual(self.align("--source", self.put("a", "1 2\n\n3\n"), "--target",
                                    self.put("b", "2 1\n\n3\n")).splitlines()[1], "")

    def test_training_with_links(self):
        links = {}
        for name in ("train", "valid"):
            source = (WORLD.work / f"{name}.source").read_text()
            links[name] = self.put(f"{name}.links", links_of_reversal(source))
        aer = {}
        for name, guide in (("alone", None), ("guided", links["train"])):
            out = self.folder / name
            self.runs(*train_args(out, epochs=16, learning_rate=0.01, metric="aer",
                                  valid_alignment=links["valid"], guided_alignment=guide,
                                  guided_alignment_weight=guide and 1))
            figures = self.runs("align", out, *self.files, "--gold", self.put("g", self.gold))
            aer[name] = float(figures.split()[1])
        self.assertLess(aer["guided"], 20)
        self.assertLess(aer["guided"], aer["alone"])
        wrong = self.put("wrong", "0-0\n")
        self.fails(1, "1 lines of links", *train_args(self.folder / "x", guided_alignment=wrong))
        self.assertFalse((self.folder / "x").exists())
