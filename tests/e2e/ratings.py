"""Ratings from reviews: files, splits, unknown users, and reviews in the request."""

import json

from harness import UsersBuild, strict_json, weights
from server import Server

REVIEWS = [
    ("ann", "lamp", 5, "bright warm light"), ("ann", "desk", 4, "plain but solid"),
    ("ann", "chair", 2, "it hurts"), ("bob", "lamp", 1, "went dark"),
    ("bob", "desk", 3, ""), ("bob", "sofa", 4, "soft and warm"),
    ("cat", "lamp", 4, "solid light"), ("dan", "sofa", 5, "soft light"),
]
SMALL = ["--embedding", 8, "--dropout", 0]


class Ratings(UsersBuild):
    def setUp(self):
        super().setUp()
        self.tsv = self.put("reviews.tsv", "".join("\t".join(map(str, row)) + "\n"
                                                   for row in REVIEWS))
        self.begin = ["train", "--task", "ratings", "--quiet", "--threads", 1, "--min-count", 1]
        self.model = self.folder / "model"

    def trained(self, name, *options, out=None, reviews=None):
        small = SMALL if name in ("dattn", "mpcn") else []
        self.runs(*self.begin, "--reviews", reviews or self.tsv, "--model", name, "--epochs", 2,
                  "--out", out or self.model, *small, *options)

    def rating(self, line, *options):
        return float(self.runs("predict", self.model, *options, stdin=(line + "\n").encode()))

    def test_files_of_all_forms_give_the_same_model(self):
        header = "time\treview\tuser\titem\trating\n" + "".join(
            f"0\t{text}\t{user}\t{item}\t{rating}\n" for user, item, rating, text in REVIEWS)
        lines = "".join(json.dumps(dict(zip(("user", "item", "rating", "review"), row))) + "\n"
                        for row in REVIEWS)
        csv = "user,item,rating,review\n" + "".join(
            ",".join(map(str, row)) + "\n" for row in REVIEWS)
        self.trained("mpcn")
        for name, content in ("header.tsv", header), ("lines.jsonl", lines), ("table.csv", csv):
            with self.subTest(name):
                out = self.folder / name.partition(".")[0]
                self.trained("mpcn", out=out, reviews=self.put(name, content))
                self.assertEqual(weights(out), weights(self.model))

    def test_who_is_not_known_gets_the_mean_of_what_is(self):
        for name in ("dattn", "mpcn"):
            out = self.folder / name
            self.trained(name, out=out)
            self.model = out
            self.assertAlmostEqual(self.rating("eve\tlamp"), 3.33, 2)
            self.assertAlmostEqual(self.rating("ann\tstool"), 3.67, 2)
            self.assertEqual(self.rating("eve\tstool"), 3.5)
            for line in ("dan\tsofa", "cat\tdesk", "bob\tdesk"):  # one review, or no words
                self.assertTrue(1 <= self.rating(line) <= 5)
            e = strict_json(self.runs("explain", self.model, "--json", stdin=b"eve\tlamp\n"))
            self.assertEqual(e["axes"]["answer"]["payload"]["from"], "item_mean")

    def test_the_review_of_a_pair_is_never_read_for_it(self):
        self.trained("mpcn")
        e = strict_json(self.runs("explain", self.model, "--json", stdin=b"ann\tlamp\n"))
        self.assertEqual(e["axes"]["user_reviews"]["items"], ["desk (4)", "chair (2)"])
        self.assertEqual(e["axes"]["item_reviews"]["items"], ["bob (1)", "cat (4)"])
        self.assertNotIn("bright", e["axes"]["user_words"]["items"])
        # Given reviews, without that of the pair, lead to the same rating.
        given = json.dumps({"user": "ann", "item": "lamp",
                            "user_reviews": ["plain but solid", "it hurts"],
                            "item_reviews": ["went dark", "solid light"]})
        self.assertEqual(self.rating("ann\tlamp"), self.rating(given))

    def test_the_last_reviews_of_users_are_kept_back(self):
        self.trained("bias", "--split", "last")
        figures = strict_json(self.runs("evaluate", self.model, "--reviews", self.tsv,
                                        "--part", "test", "--json"))
        self.assertEqual(figures["pairs"], 2)  # of ann and bob
        self.assertIn("above_biases", figures)
        self.fails(1, ["no user has three"], "evaluate", self.model, "--reviews",
                   self.put("few.tsv", "a\tb\t3\tx\n"), "--part", "test")

    def test_stopped_training_of_pointers_goes_on_to_the_same_bits(self):
        options = [*self.begin, "--reviews", self.tsv, *SMALL, "--model", "mpcn", "--schedule", "constant", "--batch-pairs", 2]
        self.runs(*options, "--epochs", 4, "--out", self.folder / "whole")
        self.runs(*options, "--epochs", 2, "--out", self.folder / "parts")
        self.runs("train", "--resume", self.folder / "parts", "--epochs", 4, "--threads", 2)
        self.assertEqual(weights(self.folder / "whole"), weights(self.folder / "parts"))

    def test_reviews_that_do_not_fit_are_refused_by_their_line(self):
        out = ["--out", self.folder / "x", "--reviews"]
        for name, content, named in (
                ("a.tsv", "a\tb\t3\tx\na\tc\t6\tx\n", ["a.tsv:2", "from 1 to 5"]),
                ("a.tsv", "a\tb\tmany\tx\n", ["a.tsv:1", "not a number"]),
                ("a.tsv", "a\tb\t3\tx\ty\tz\n", ["a.tsv:1", "user, item, rating, review"]),
                ("a.tsv", "\n", ["no reviews"]),
                ("a.tsv", "", ["empty"]),
                ("a.jsonl", '{"user": "a", "item": "b"}\n', ["rating"]),
                ("a.jsonl", "[" * 100_000 + "\n", ["a.jsonl"])):
            with self.subTest(content[:40]):
                self.fails(1, named, *self.begin, *out, self.put(name, content))
        self.fails(2, ["least_rating"], *self.begin, "--reviews", self.tsv, "--least-rating", 5, "--most-rating", 1,
                   "--out", self.folder / "x")
        self.fails(2, ["columns"], *self.begin, "--reviews", self.tsv, "--columns", "user,item", "--out", self.folder / "x")
        self.assertFalse((self.folder / "x").exists())

    def test_a_server_rates_and_explains(self):
        self.trained("mpcn")
        given = json.dumps({"user_reviews": ["Solid and warm."], "item_reviews": ["It hurts!"]})
        with Server(models=[self.model]) as server:
            row = server.get("/models").json()["models"][0]
            self.assertEqual(row["input"]["kind"], "reviews")
            for text in ("ann\tlamp", given):
                answer = server.post("/predict", {"text": text}).json()
                self.assertEqual(answer["details"]["from"], "model")
                e = server.post("/explain", {"text": text}).json()
                self.assertEqual(e["answer"], answer["answer"])
                self.assertEqual(e["axes"]["user_reviews"]["kind"], "reviews")
            answer = server.post("/predict", {"text": "ann lamp"})
            self.assertEqual(answer.status, 400)
            self.assertIn("a tab", answer.json()["error"])
            answer = server.post("/explain", {"text": "eve\tstool"})
            self.assertEqual(answer.json()["answer"], "3.5")

    def test_ratings_without_reviews_are_drawn_as_a_sum(self):
        for name in ("factors", "bias", "mean"):
            with self.subTest(name):
                out = self.folder / name
                self.trained(name, out=out)
                text = self.runs("explain", out, "--methods", "saliency", stdin=b"ann\tlamp\n")
                self.assertIn("Rating ", text)
                self.assertRegex(text, r"\d\.\d\d mean")
                picture = self.folder / f"{name}.svg"
                self.runs("explain", out, "--text", "ann\tlamp", "--out", picture)
                self.assertIn("mean of all ratings", picture.read_text())
        said = self.runs("explain", self.folder / "bias", stdin=b"eve\tstool\n")
        self.assertIn("the mean of all ratings", said)
        self.fails(2, "no attention to show", "explain", self.folder / "bias", "--view", "heads",
                   "--methods", "saliency", stdin=b"ann\tlamp\n")
