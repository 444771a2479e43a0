#!/usr/bin/env python3
"""Whether the documents and bench/figures hold the same figures, by commands that there
are: figures.py HEED, which also runs what takes no time, and plants mistakes."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEED = ""
FAST = "claims/smallest"  # a fraction of a second

DOCUMENT = """# Words

`heed train --task order --epochs 12` has 96.6 ± 0.3 % in

| epochs | right |
| --- | --- |
| 12 | 96.6 ± 0.3 |
"""
ENTRY = """document = "docs/a.md"
[[figure]]
name = "a/b"
what = "words"
seeds = [1, 2]
minutes = 0.1
[figure.commands]
train = "echo {seed}; true {heed} train --task order --epochs 12 --seed {seed} --out {out}/model"
[figure.values]
right = { text = '(\\d)' }
[[figure.rows]]
name = "12 epochs"
documented = { right = "96.6 ± 0.3" }
"""


def figures(*arguments):
    return subprocess.run([sys.executable, ROOT / "bench/figures.py", HEED, *map(str, arguments)],
                          capture_output=True, text=True, check=False)


class Listed(unittest.TestCase):
    def test_documents_have_what_is_listed(self):
        done = figures("--check")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_a_list_names_figures_documents_and_minutes(self):
        done = figures("--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        documents = {line.split()[1] for line in done.stdout.splitlines()[1:]}
        self.assertGreater(len(documents), 15)
        for document in documents:
            self.assertTrue((ROOT / document).is_file(), document)
        some = figures("--list", "--document", "docs/explanation/claims.md", "--under", "1")
        self.assertIn(FAST, some.stdout)
        self.assertLess(some.stdout.count("\n"), done.stdout.count("\n"))

    def test_help_teaches(self):
        done = figures("--help")
        self.assertEqual(done.returncode, 0)
        for word in ("bench/figures/README.md", "OUTSIDE", "--under", "[[figure]]"):
            self.assertIn(word, done.stdout)

    def test_what_is_fast_has_the_same_figures(self):
        with tempfile.TemporaryDirectory() as folder:
            done = figures("--only", FAST, "--out", folder)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("same", done.stdout)
            again = figures("--only", FAST, "--out", folder, "--markdown")
            self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
            self.assertIn("| --- |", again.stdout)


class Planted(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        for name in ("docs", "figures"):
            (self.root / name).mkdir()
        (self.root / "docs/a.md").write_text(DOCUMENT, encoding="utf-8")

    def with_entry(self, old, new, *arguments):
        self.assertIn(old, ENTRY)
        (self.root / "figures/a.toml").write_text(ENTRY.replace(old, new), encoding="utf-8")
        return figures("--figures", self.root / "figures", "--root", self.root, *arguments)

    def test_checks_find_what_was_planted(self):
        done = self.with_entry("", "", "--check")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        for old, new, said in [
                ("docs/a.md", "docs/b.md", "docs/b.md is not there"),
                ("96.6 ± 0.3", "96.7 ± 0.3", "no line of docs/a.md has 96.7 ± 0.3"),
                ("96.6 ± 0.3\" }", "96.6 ± 0.3\" }\nbeside = \"gone\"", "beside 'gone'"),
                ("--epochs 12", "--epochs 13", "does not have '--epochs 13'"),
                ("--epochs 12", "--epoch 12", "has no option --epoch"),
                ("--task order", "--task disorder", "fails")]:
            with self.subTest(new=new):
                done = self.with_entry(old, new, "--check")
                self.assertEqual(done.returncode, 1)
                self.assertIn("figure 'a/b'", done.stdout)
                self.assertIn(said, done.stdout)

    def test_a_document_has_the_table_of_its_figure(self):
        page = self.root / "docs/a.md"
        page.write_text(DOCUMENT.replace("| epochs | right |\n| --- | --- |\n| 12 | 96.6 ± 0.3 |\n",
                                         "<!-- figure a/b -->\n| stale |\n<!-- end -->\n"))
        headings = "[figure.headings]\nrow = \"training\"\nright = \"right, %\"\n[figure.commands]"
        entry = ("[figure.commands]", headings)
        done = self.with_entry(*entry, "--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the table of docs/a.md differs", done.stdout)
        done = self.with_entry(*entry, "--write")
        self.assertEqual((done.returncode, done.stdout), (0, "wrote docs/a.md\n"))
        self.assertIn("| training | right, % |\n| --- | --- |\n| 12 epochs | 96.6 ± 0.3 |\n<!-- end -->",
                      page.read_text())
        self.assertEqual(self.with_entry(*entry, "--check").stdout, "")
        self.assertEqual(self.with_entry(*entry, "--write").stdout, "")
        page.write_text(page.read_text() + "<!-- figure a/c -->\n<!-- end -->\n")
        self.assertIn("docs/a.md: there is no figure 'a/c'", self.with_entry(*entry, "--check").stdout)

    def test_mistakes_name_file_entry_and_key(self):
        for old, new, said in [
                ("document =", "documents =", "key 'documents' is not known; 'document'?"),
                ("seeds =", "seed =", "figure 'a/b': key 'seed' is not known; 'seeds'?"),
                ("seeds = [1, 2]", "seeds = \"1-x\"", "key 'seeds'"),
                ("minutes = 0.1", "minutes = \"long\"", "key 'minutes' has to be a number"),
                ("minutes = 0.1", "", "key 'minutes' is missing"),
                ("what =", "#", "key 'what' is missing"),
                ("{seed} --out", "{sed} --out", "{sed} is no field"),
                ("(\\d)", "\\d", "needs one group"),
                ("text =", "text = '(x)', json =", "needs either key 'json' or key 'text'"),
                ("96.6 ± 0.3", "96.6 + 0.3", "'96.6 + 0.3' is no number"),
                ("96.6 ± 0.3", "1, 2, 3", "has 3 figures for 2 seeds"),
                ("{ right = \"96.6", "{ wrong = \"96.6", "there is no value 'wrong'"),
                ("seeds =", "columns = [\"wrong\"]\nseeds =", "there is no column 'wrong'"),
                ("document", "[[", "a.toml: ")]:
            with self.subTest(new=new):
                done = self.with_entry(old, new)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertIn("a.toml", done.stderr)
                self.assertIn(said, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_verdicts(self):
        for documented, seeds, verdict, status in [
                ("1.5 ± 0.7", "1,2", "same", 0), ("1.6 ± 0.7", "1,2", "within", 0),
                ("9.5 ± 0.7", "1,2", "OUTSIDE", 1), ("1, 2", "1,2", "same", 0), ("1, 3", "1,2", "OUTSIDE", 1),
                ("1, 3", "1", "same", 0), ("1.5", "1,2", "same", 0), ("1.5", "1", "part", 0)]:
            with self.subTest(documented=documented, seeds=seeds):
                done = self.with_entry("96.6 ± 0.3", documented, "--seeds", seeds)
                self.assertEqual(done.returncode, status, done.stdout + done.stderr)
                self.assertEqual(done.stdout.split()[-1], verdict)

    def test_what_has_run_is_not_run_again(self):
        out = ("--out", self.root / "out")
        results = lambda: {path: json.loads(path.read_text())["seconds"]
                           for path in self.root.glob("out/**/result.json")}
        self.with_entry("true", "false", *out)  # both seeds fail
        self.assertEqual(results(), {})
        self.assertEqual(self.with_entry("96.6 ± 0.3", "1.5 ± 0.7", *out, "--seeds", "1").returncode, 0)
        first = results()
        self.assertEqual(len(first), 1)
        self.assertEqual(self.with_entry("96.6 ± 0.3", "1.5 ± 0.7", *out).returncode, 0)
        self.assertEqual(len(results()), 2)
        self.assertLessEqual(first.items(), results().items())

    def test_failures_and_absent_data_are_named(self):
        done = self.with_entry("true", "echo because >&2; false")
        self.assertEqual(done.returncode, 1)
        self.assertIn("seed 2: status 1", done.stderr)
        self.assertIn("because", done.stderr)
        done = self.with_entry("minutes", "data = [\"gone.tsv\"]\nminutes")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "skipped: a/b needs .*/gone.tsv")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    HEED = sys.argv.pop(1)
    unittest.main()
