"""Public data formats: skipped, recognised and refused parts."""

import json
import pathlib

from harness import EndToEnd, UsersBuild, heed, strict_json
from tasks import SMALL_RNN, names, sentiment

CASES = pathlib.Path(__file__).resolve().parents[3] / "shared" / "cases"


def conll(pairs):
    """Returns a formatter of one text as sentences of (word, tag) pairs; a template gives the
    text before each sentence."""
    return lambda comment, separator, tag_of: "".join(
        comment.format(i) + "".join(f"{word}{separator}{tag_of(tag)}\n" for word, tag in sentence) + "\n"
        for i, sentence in enumerate(pairs))


SENTENCES = [[("Ben", "B-PER"), ("Lee", "I-PER"), ("met", "O"), ("Ann", "B-PER")],
             [("Ann", "B-PER"), ("Lee", "I-PER"), ("is", "O"), ("in", "O"), ("Rome", "B-LOC")],
             [("we", "O"), ("met", "O"), ("Ben", "B-PER"), ("in", "O"), ("Lima", "B-LOC")]] * 8
TEXT = conll(SENTENCES)
SCHEMES = {"suffix": lambda tag: tag if tag == "O" else f"{tag[2:]}-{tag[0]}",
           "underscore": lambda tag: tag.replace("-", "_"),
           "IO": lambda tag: tag.replace("B-", "I-"),
           "types": lambda tag: tag.split("-")[-1],
           "lower": str.lower}


class Readers(UsersBuild):
    def tagger(self, text, *options, name="model"):
        out = self.folder / name
        result = heed("train", "--task", "tag", "--texts", self.put(f"{name}.conll", text), "--word-embedding", 8,
                      "--characters", "none", "--learning-rate", 0.05, "--batch-sentences", 8, "--out", out,
                      *SMALL_RNN, *options)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return out, result.stderr.decode()

    def measured(self, model, text):
        result = heed("evaluate", model, "--texts", self.put("test.conll", text), "--json")
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return strict_json(result.stdout), result.stderr.decode()

    def test_comments_between_sentences_teach_nothing(self):
        plain = TEXT("", " _ _ ", str)
        model, _ = self.tagger(plain)
        expected, _ = self.measured(model, plain)
        self.assertGreater(expected["f1"], 95)
        for comment in ("# id {}-c2ce\tdomain=en\n", "# sent_id = {}\n", "# x _ _{}\n",
                        "-DOCSTART- -X- O O\n\n", "# id {} en\tx\n\n"):
            with self.subTest(comment):
                text = TEXT(comment, " _ _ ", str)
                other, _ = self.tagger(text, "--overwrite", name="other")
                self.assertEqual((other / "tags.txt").read_text(), (model / "tags.txt").read_text())
                self.assertEqual(self.measured(other, text)[0], self.measured(model, plain)[0])
                self.assertEqual(self.measured(model, text), (expected, ""))

    def test_white_space_makes_no_tag(self):
        model, _ = self.tagger(TEXT("", "\t", str))
        for separator, tag_of in (("\t", lambda tag: tag + " "), ("\t\t", str), (" ", str), ("\t", lambda tag: tag + "\r"),
                                  ("\t", lambda tag: tag + "\u00a0"), ("  ", lambda tag: tag + "\t")):
            other, _ = self.tagger(TEXT("", separator, tag_of), "--overwrite", name="other")
            self.assertEqual((other / "tags.txt").read_text(), (model / "tags.txt").read_text())

    def test_span_schemes_are_recognised_and_compared(self):
        model, _ = self.tagger(TEXT("", "\t", str))
        for name, tag_of in SCHEMES.items():
            with self.subTest(name):
                text = TEXT("", " ", tag_of)
                own, _ = self.tagger(text, "--overwrite", name="own")
                self.assertGreater(self.measured(own, text)[0]["f1"], 90)
                figures, warned = self.measured(model, text)
                if name != "lower":  # which has other entity types
                    self.assertGreater(figures["f1"], 90)
                self.assertIn("gold tags are not known to the model", warned)
                self.assertGreater(figures["unknown_tags"], 0)

    def test_mixed_schemes_and_missing_figures_are_reported(self):
        mixed = TEXT("", " ", str) + "Ann I-PER\nLee I-PER\n"
        model, warned = self.tagger(mixed)
        self.assertIn("the training text mixes span schemes: 48 entities are written in IOB2 and 1 in IOB1", warned)
        self.assertIn("model.conll:137: ", warned)
        model, _ = self.tagger(TEXT("", " ", str), name="plain")
        figures, warned = self.measured(model, "Ann NOUN\nLee B-PER\n")
        self.assertNotIn("f1", figures)
        self.assertIn("'NOUN' is in no span scheme beside 'B-PER', so F1 cannot be computed; accuracy is reported "
                      "instead", warned)
        figures, warned = self.measured(model, "Ann X-1\nLee Y-1\n")
        self.assertIsNone(figures["loss"])
        self.assertIn("2 of 2 gold tags are not known to the model", warned)
        self.assertNotIn("0.0000", self.runs("evaluate", model, "--texts", self.folder / "test.conll"))
        valid = self.put("valid.conll", "we O\nmet O\n")
        _, warned = self.tagger(TEXT("", " ", str), "--valid-texts", valid, name="none")
        self.assertIn("the validation text has no entities, so F1 cannot be computed; accuracy is reported instead",
                      warned)

    def test_columns_are_explained_as_they_are_predicted(self):
        model, _ = self.tagger(TEXT("", "\t", str))
        columns = self.put("q.conll", "# id 1\nBen\t?\nLee\t?\n\nAnn\t?\n")
        for options in (["--file", columns], []):
            e = strict_json(self.runs("explain", model, "--input", "columns", "--json", *options,
                                      stdin=columns.read_bytes()))
            self.assertEqual([e["axes"][axis]["items"] for axis in ("target", "target.1")],
                             [["B-PER", "I-PER"], ["B-PER"]])

    def classifier(self):
        out = self.folder / "classifier"
        self.runs("train", "--task", "classify", "--texts", self.put("train.tsv", sentiment(80, 1)), "--vocabulary",
                  "words", "--learning-rate", 0.02, "--batch-texts", 20, "--out", out, *SMALL_RNN)
        return out

    def test_tables_are_explained_as_they_are_predicted(self):
        model = self.classifier()
        table = self.put("q.csv", "id,said\n1,the good film\n2,a bad plot\n")
        lines = self.put("q.jsonl", '{"said": "the good film"}\n{"said": "a bad plot"}\n')
        texts = ["the good film", "a bad plot"]
        for form, path in (("csv", table), ("jsonl", lines)):
            options = ["--input-format", form, "--columns", "said"]
            said = self.runs("predict", model, *options, stdin=path.read_bytes()).splitlines()
            for given in (["--file", path, "--columns", "said"], options):
                e = self.runs("explain", model, "--json", *given, stdin=path.read_bytes()).splitlines()
                found = [strict_json(one) for one in e]
                self.assertEqual([one["text"] for one in found], texts)
                self.assertEqual([one["answer"].split()[0] for one in found], [s.split()[0] for s in said])

    def test_candidates_are_not_cut_off(self):
        answers = "".join(f"who {i}\t{int(i % 2 == j)}\tit is {word} {i}\n" for i in range(8)
                          for j, word in enumerate(("red", "blue")))
        out = self.folder / "selector"
        self.runs("train", "--task", "retrieve", "--answers", self.put("a.tsv", answers), "--out", out, "--units", 4,
                  "--token-features", 4, "--epochs", 1, "--quiet", "--threads", 1)
        many = "who 1\t" + "\t".join(f"it is red {i} " + "word " * 40 for i in range(200)) + "\n"
        self.assertGreater(len(many), 40_000)
        found = self.runs("predict", out, "--best", 1000, stdin=many.encode()).splitlines()
        self.assertEqual(len(found), 200)
        e = strict_json(self.runs("explain", out, "--json", "--answer", "it is red 1", stdin=many.encode()))
        self.assertIn("it is red 1", e["answer"])


class Ratings(UsersBuild):
    """Rating tables of public data sets."""

    def setUp(self):
        super().setUp()
        self.model = self.folder / "m"
        self.begin = ["train", "--task", "ratings", "--epochs", 1, "--threads", 1, "--quiet", "--overwrite"]

    def trains(self, name, content, *options, model="bias"):
        result = heed(*self.begin, "--model", model, "--reviews", self.put(name, content), "--out", self.model, *options)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result.stderr.decode()

    def refuses(self, status, says, *args):
        """Checks a failure whose error follows the line that reports the columns."""
        result = heed(*args)
        read, *errors = result.stderr.decode().splitlines()
        self.assertEqual((result.returncode, len(errors)), (status, 1), result.stderr.decode())
        self.assertIn(": reads user ", read)
        for text in says:
            self.assertIn(text, errors[0])

    def test_models_that_read_no_text_train_on_them(self):
        rows = [(user, item, 1 + (user + item) % 5, 964982703 + user) for user in range(1, 6) for item in range(10, 14)]
        table = lambda separator, head="": head + "".join(separator.join(map(str, row)) + "\n" for row in rows)
        for name, content in (
                ("ratings.csv", table(",", "userId,movieId,rating,timestamp\n")), ("ratings.dat", table("::")),
                ("u.data", table("\t")), ("ratings_only.csv", table(",")),
                ("bx.csv", table(";", '"User-ID";"ISBN";"Book-Rating";"Timestamp"\n')),
                ("r.inter", table("\t", "user_id:token\titem_id:token\trating:float\ttimestamp:float\n")),
                ("plain.txt", table(" "))):
            for model in ("bias", "factors", "mean"):
                with self.subTest(name, model=model):
                    said = self.trains(name, content, model=model)
                    self.assertIn(f"{name}: reads user", said)
                    self.assertIn("no text", said)
                    rating = float(self.runs("predict", self.model, stdin=b"1\t10\n"))
                    self.assertTrue(1 <= rating <= 5)
        self.trains("ratings.csv", table(",", "userId,movieId,rating,timestamp\n"), "--columns", "userId,movieId,rating")
        self.fails(1, ["'timestamp' cannot be the text of reviews", "--columns userId,movieId,rating"], *self.begin,
                   "--reviews", self.folder / "ratings.csv", "--columns", "userId,movieId,rating,timestamp",
                   "--model", "bias", "--out", self.model)
        self.refuses(2, ["no review has a text", "--model"], *self.begin, "--reviews", self.folder / "u.data", "--model",
                     "mpcn", "--out", self.model)

    def test_half_stars_and_scales_to_ten_are_taken(self):
        half = "".join(f"{u},{i},{(u + i) % 10 / 2 + 0.5}\n" for u in range(5) for i in range(6))
        self.trains("half.csv", "userId,movieId,rating\n" + half)
        ten = "".join(f"{u};{i};{(u * i) % 11}\n" for u in range(6) for i in range(7))
        self.trains("ten.csv", "User-ID;ISBN;Book-Rating\n" + ten)
        self.refuses(1, ["slip.tsv:2", "from 1 to 5"], *self.begin, "--reviews", self.put("slip.tsv", "a\tb\t3\na\tc\t6\n"),
                     "--model", "bias", "--out", self.model)

    def test_lines_without_text_count_for_the_biases(self):
        row = lambda i, **more: json.dumps({"reviewerID": f"A{i % 4}", "asin": f"B{i % 5}", "overall": 1 + i % 5} | more)
        texts = [{"reviewText": "good and cheap"}, {}, {"reviewText": None}, {"reviewText": ""}]
        lines = "".join(row(i, **texts[i % 4]) + "\n" for i in range(20))
        options = ["--columns", "reviewerID,asin,overall,reviewText", "--min-count", 1]
        self.assertNotIn("no text", self.trains("a.jsonl", lines, *options))
        self.assertEqual(strict_json(self.runs("info", self.model, "--json")).get("reviews", 20), 20)
        said = self.trains("a.jsonl", lines, *options, "--embedding", 8, model="mpcn")
        self.assertIn("15 of 20 reviews have no text: they count for the biases", said)
        self.trains("a.json", lines)  # by the default column names

    def test_cases(self):
        folder = CASES / "19-review-without-text"
        if not folder.exists():
            self.skipTest(f"{folder} is not there")
        for name in ("absent.jsonl", "null.jsonl"):
            self.runs(*self.begin, "--model", "bias", "--columns", "reviewerID,asin,overall,reviewText", "--reviews",
                      folder / name, "--out", self.model)


class Stories(EndToEnd):
    """bAbI files are predicted and explained."""

    def test_numbered_lines_are_read_as_questions(self):
        train = "".join(f"1 Ann went to the {a}.\n2 Ben went to the {b}.\n3 Where is Ann?\t{a}\t1\n4 Where is Ben?\t{b}\t2\n"
                        for a, b in (("barn", "yard"), ("hall", "barn"), ("yard", "hall")) * 4)
        model = self.folder / "m"
        self.runs("train", "--task", "read", "--passages", self.put("qa1.txt", train), "--embedding", 6, "--units", 6,
                  "--epochs", 2, "--quiet", "--threads", 1, "--out", model)
        asked = train.split("1 ")[1]
        story = self.put("q.txt", "1 " + asked)
        said = self.runs("predict", model, stdin=story.read_bytes()).splitlines()
        self.assertEqual(len(said), 2)
        unanswered = "1 Ann went to the barn.\n2 Where is Ann?\n"
        self.assertEqual(self.runs("predict", model, "--format", "babi", stdin=unanswered.encode()).count("\n"), 1)
        for given in (["--file", story], []):
            e = strict_json(self.runs("explain", model, "--json", *given, stdin=story.read_bytes()))
            self.assertEqual([s["answer"] for s in e["segments"]], said)
        # JSON lines may have any length.
        long = json.dumps({"passage": "Ann went to the barn. " * 400, "question": "Where is Ann?"})
        self.assertIn("barn", self.runs("explain", model, "--json", stdin=long.encode()))
        lines = self.put("q.jsonl", long + "\n")
        self.assertIn("barn", self.runs("explain", model, "--json", "--file", lines))
