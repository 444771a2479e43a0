"""String to string tasks: two kinds of vocabulary, multiple references, and the scripts that
write such data."""

import gzip
import pathlib
import subprocess
import sys

from harness import EndToEnd, strict_json, train_args

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
SPELLED = "ab\tAH B\nab\tEY B\nba\tB AH\nb\tB\n"


def script(name, *args):
    run = subprocess.run([sys.executable, BENCH / name, *map(str, args)], capture_output=True,
                         check=False)
    return run.returncode, run.stdout.decode(), run.stderr.decode()


class Strings(EndToEnd):
    def train(self, **changes):
        table = self.put("pairs.tsv", SPELLED)
        out = self.folder / "model"
        args = train_args(out, source=None, target=None, valid_source=None, valid_target=None,
                          tsv=table, valid_tsv=table, **({
                              "vocabulary": "characters", "target_vocabulary": "words",
                              "metric": "exact_match"} | changes))
        return table, out, args

    def test_letters_to_words_with_several_right_answers(self):
        table, out, args = self.train()
        self.runs(*args)
        self.assertRegex(self.runs("info", out), r"target_vocabulary +words\n")
        info = strict_json(self.runs("info", out, "--json"))
        self.assertEqual([info["source_vocabulary"], info["target_vocabulary"]], [6, 7])
        self.assertEqual(info["metric"], "exact_match")

        each = strict_json(self.runs("evaluate", out, "--tsv", table, "--json"))
        self.assertEqual([each["sentences"], each["references"]], [4, 4])
        answers = self.put("answers", "EY B\nB AH\nP B\n")
        result = strict_json(self.runs(
            "evaluate", out, "--tsv", table, "--alternatives", "--copy-baseline",
            "--translations", answers, "--json"))
        self.assertEqual([result["sentences"], result["references"]], [3, 4])
        self.assertAlmostEqual(result["exact_match"], 200 / 3)
        self.assertAlmostEqual(result["sentence_error"], 100 / 3)
        self.assertAlmostEqual(result["word_error_rate"], 20)
        self.assertEqual(result["copy_exact_match"], 0)
        self.assertEqual(result["copy_word_error_rate"], 100)
        self.assertNotIn("loss", result)
        self.assertIn("3 sentences with 4 references",
                      self.runs("evaluate", out, "--tsv", table, "--alternatives"))
        self.fails(1, ["answers", "3 translations of 4 sentences"], "evaluate", out, "--tsv",
                   table, "--translations", answers)

    def test_wrong_kinds_and_measures(self):
        self.fails(2, ["joint_vocabulary", "'characters'", "'words'"],
                   *self.train()[2], "--joint-vocabulary")
        self.fails(2, "same, unigram", *self.train(target_vocabulary="phones")[2])
        self.fails(2, ["'exact' is not measured", "exact_match, word_error_rate"],
                   *self.train(metric="exact")[2])


class Scripts(EndToEnd):
    """bench/pronunciations.py and bench/normalization.py."""

    def put_gzip(self, name, text):
        (self.folder / name).parent.mkdir(exist_ok=True)
        self.put(name, gzip.compress(text.encode()))

    def test_pronunciations_lose_stress_and_what_is_then_twice(self):
        self.put_gzip("cmudict/train.tsv.gz", "a\tEY1\na\tAH0\na\tEY2\nab\tAE1 B\n")
        for part in ("dev", "test"):
            self.put(f"cmudict/{part}.tsv", "b\tB IY1\n")
        out = self.folder / "out"
        status, _, error = script("pronunciations.py", self.folder, out)
        self.assertEqual(status, 0, error)
        self.assertEqual((out / "train.tsv").read_text(), "a\tEY\na\tAH\nab\tAE B\n")
        self.assertEqual((out / "test.tsv").read_text(), "b\tB IY\n")
        self.assertIn("train: 2 words, 3 pronunciations, 1 duplicates dropped", error)

    def test_normalization_makes_sentences_of_tokens(self):
        train = "".join(f"in\tin\n{1900 + i}\tnineteen {i}\n.\t\n\n" for i in range(21))
        self.put_gzip("textnorm_en/train.tsv.gz", train)
        self.put_gzip("textnorm_en/test.tsv.gz", "A\ta\n&\tand\nBob\tBob\n.\t\n\n(\t\n")
        out = self.folder / "out"
        status, _, error = script("normalization.py", self.folder, out, "--test",
                                  "--windows", 1)
        self.assertEqual(status, 0, error)
        self.assertEqual((out / "valid.tsv").read_text(), "in 1920 .\tin nineteen 20\n")
        self.assertEqual((out / "test.tsv").read_text(), "A & Bob .\ta and Bob\n(\t\n")
        self.assertEqual((out / "valid.tokens.tsv").read_text(),
                         "<in> 1920\t<same>\nin <1920> .\tnineteen 20\n1920 <.>\t<silent>\n")
        tokens = (out / "train.tokens.tsv").read_text().splitlines()
        self.assertEqual(len(tokens), 20 + 40 // 10)  # all numbers, few of the others

        answers = self.put("answers", "".join(
            line.split("\t")[1] + "\n"
            for line in (out / "test.tokens.tsv").read_text().splitlines()))
        status, sentences, _ = script("normalization.py", self.folder, out, "--test", "--join",
                                      answers)
        self.assertEqual((status, sentences), (0, "a and Bob\n\n"))
        status, _, error = script("normalization.py", self.folder, out, "--join", answers)
        self.assertEqual((status, error), (1, f"{answers}: 5 answers to 3 tokens\n"))
