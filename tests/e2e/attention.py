"""The attention algebra on the command line: lists, benchmarks, settings, demonstrations and
generated documentation."""

import pathlib
import re

from harness import WORLD, EndToEnd, UsersBuild, strict_json, train_args, users_build, weights
from images import png

BENCH_KEYS = {"score", "dtype", "fused", "threads", "ms", "gflops", "limit_gflops",
              "fraction", "gbytes_per_second", "limit_gbytes_per_second",
              "peak_extra_bytes"}
QUICK = ["bench", "attention", "--seconds", 0.01, "--length", 9, "--dim", 4, "--heads", 2]


class Attention(EndToEnd):
    def test_list_says_what_is_fused(self):
        text = self.runs("list", "attentions")
        self.assertRegex(text, r"kind +name +formula +runs +source\n")
        self.assertRegex(text, r"score +scaled_dot .* fused ")
        self.assertRegex(text, r"normalizer +sparsemax .* composed ")

    @users_build
    def test_bench(self):
        parts = strict_json(self.runs("list", "attentions", "--json"))["attentions"]
        for part in parts:
            name = part["name"].split("(")[0]
            if part["kind"] == "modifier" and name not in ("alibi", "soft_cap"):
                continue  # many read the query, which is prepared in advance here
            if name in ("location_aware", "coverage", "hard", "gumbel"):
                continue  # they need decoding steps, or training
            with self.subTest(part=name):
                option = part["kind"] + ("s" if part["kind"] == "modifier" else "")
                result = strict_json(self.runs(*QUICK, f"--{option}", name, "--json"))
                self.assertEqual(set(result), BENCH_KEYS)
                self.assertGreater(result["ms"], 0)
                self.assertGreaterEqual(result["peak_extra_bytes"], 0)
        self.assertIn("bf16" if "avx512_bf16" in pathlib.Path("/proc/cpuinfo").read_text()
                      else "f32", self.runs(*QUICK, "--dtype", "bf16", "--backward"))

    def test_train_with_any_parts(self):
        out = self.folder / "model"
        self.runs(*train_args(
            out, model="luong", score="general", modifiers="local_p(4); soft_cap(20)",
            attention_mask="local_m(5)", normalizer="entmax15", heads=2,
            attention_dropout=0.1))
        self.runs("translate", out, "--show-attention", stdin=b"1 2 3\n")
        self.assertIn("local_p(4); soft_cap(20)", self.runs("info", out))

    def test_bad_settings(self):
        for option, value, says in (
                ("--modifiers", "alibi; rotory", ["rotory", "rotary"]),
                ("--modifiers", "local_p(0)", ["local_p", "D must be from 1"]),
                ("--attention-mask", "window(-3)", ["window", "width must be from 0"]),
                ("--attention-mask", "causal &&", ["causal &&"]),
                ("--attention-mask", "padding", ["padding", "needs data"]),
                ("--normalizer", "hardmax", ["hardmax", "softmax"]),
                ("--normalizer", "top_k(1, 2)", ["top_k", "takes 1"]),
                ("--heads", 5, ["5 heads"])):
            with self.subTest(option=option, value=value):
                source = WORLD.work / "train.source"
                target = WORLD.work / "train.target"
                self.fails(2, says, "train", "--source", source, "--target", target,
                           "--out", self.folder / "x", option, value)
        self.fails(2, "heads cannot share", *QUICK, "--key-heads", 3)
        self.fails(2, ["rotary", "additive"], *QUICK, "--score", "additive",
                   "--modifiers", "rotary")


class Demos(UsersBuild):
    """Tests the output of `heed demo NAME`, and its generated documentation."""

    def picture(self, name):
        text = (self.folder / "out" / f"{name}.svg").read_text()
        self.assertTrue(text.startswith("<svg"))
        self.assertNotIn("nan", text)
        return text

    def test_gallery(self):
        text = self.runs("demo", "gallery", "--only", "dot", "--out", self.folder / "out")
        self.assertRegex(text, r"score +dot +100.0 %  dot\n")
        self.assertIn("dot, untrained", self.picture("score-dot"))
        self.fails(2, "did you mean 'dot'?", "demo", "gallery", "--only", "dott")
        self.fails(1, "cannot make the folder", "demo", "gallery", "--only", "dot",
                   "--out", self.put("file", ""))

    def test_claims(self):
        out = ["--out", self.folder / "out"]
        self.assertRegex(self.runs("demo", "saturation", *out), r"\n 1024 +0\.9")
        self.assertIn("largest weight", self.picture("saturation"))
        self.assertRegex(self.runs("demo", "equivariance", *out), r"\nnone +\d\.?\d*e-16\n")
        self.picture("equivariance")
        text = self.runs("demo", "cost", *out, "--longest", 32, "--width", 8, "--batch", 1)
        self.assertIn("Counted in operations: equal at 8.", text)
        self.picture("cost")

    def test_claims_on_small_models(self):
        out = ["--out", self.folder / "out"]
        said = self.runs("demo", "hard", *out, "--runs", 2, "--steps", 60, "--draws", 5)
        self.assertRegex(said, r"\nhard, learned baseline .* of 2 +\d")
        for name in ("hard", "hard-objective", "hard-gumbel"):
            self.picture(name)
        said = self.runs("demo", "smallest", *out, "--sentence", "to go")
        self.assertIn('"to go" becomes "ir <EOS>"', said)
        self.assertIn("context", self.picture("smallest"))
        self.fails(2, "must be one of let's go, to go", "demo", "smallest", "--sentence", "go")
        said = self.runs("demo", "recall", *out, "--steps", 30, "--farthest", 100, "--questions", 20)
        self.assertRegex(said, r"\n100 words back, attention alone answers \d")
        self.picture("recall")
        small = [*out, "--sentences", 200, "--epochs", 1, "--threads", 1]
        said = self.runs("demo", "bottleneck", *small, "--variant", "cho")
        self.assertRegex(said, r"car-thief \(68\) (lost|elsewhere|in place)")
        self.picture("bottleneck")
        self.assertIn("fixed vector", self.picture("sentence"))
        said = self.runs("demo", "probe", *small, "--probed", 100)
        self.assertRegex(said, r"\nattentive, annotation t .*\d")
        self.picture("probe")

    def test_memory(self):
        out = self.folder / "out"
        text = self.put("text", "a bat has a cat and a hat\nthe cat has a bat\n" * 30)
        small = ["--texts", text, "--units", 8, "--epochs", 1, "--threads", 1]
        said = self.runs("demo", "autocomplete", "--out", out, *small)
        for cell in ("GRU", "LSTM", "Nested LSTM", "RNN"):
            self.assertRegex(said, rf"\n{cell} +\d+\.\d / +\d+\.\d")
        self.assertIn("Connectivity of past characters", self.picture("memory"))
        self.assertIn("characters typed", self.picture("accuracy"))
        self.assertEqual((out / "memory.html").read_text().count('"connectivity"'), 4)
        models = strict_json((out / "memory.json").read_text())["models"]
        self.assertEqual(len(models), 4)
        for model in models:
            self.assertEqual([len(row) for row in model["connectivity"]],
                             list(range(1, len(model["characters"]) + 1)))
        # The demo loads the trained models again, with a custom sentence.
        said = self.runs("demo", "autocomplete", "--models", out / "gru", "--models", out / "rnn",
                         "--sentence", "a cat has", "--out", self.folder / "two")
        self.assertNotIn("LSTM", said)
        self.fails(1, "not a folder with a model", "demo", "autocomplete",
                   "--models", self.folder / "none", "--sentence", "a")

    def test_copies(self):
        out = self.folder / "out"
        said = self.runs("demo", "memory", "--out", out, "--sequences", 20, "--threads", 1)
        for model in ("ntm", "lstm"):
            self.assertRegex(said, rf"\n{model} +\d+\.\d\d")
        self.assertIn("Write weights", said)
        self.assertRegex(said, r"Vector 3 went to slot \d+ of its memory")
        self.assertIn("Read weights", self.picture("memory"))
        self.assertIn("bit errors", self.picture("errors"))

    def test_preference(self):
        out = self.folder / "out"
        said = self.runs("demo", "preference", "--out", out, "--clips", 10, "--epochs", 1,
                         "--frames", 12, "--threads", 1)
        for weights in ("Order", "Names", "Random"):
            self.assertRegex(said, rf"\n{weights} .* %")
        picture = self.picture("preference")
        self.assertIn("of patches touch the sprite", picture)
        for heading in ("Trained: ", "Supervised: ", "Random weights", "from the median of"):
            self.assertIn(heading, picture)
        self.assertTrue((out / "preference.png").read_bytes().startswith(b"\x89PNG"))
        self.assertIn("<svg", (out / "preference.html").read_text())
        # The output folder has a model and strips for it.
        strips = "".join(f"{out}/{name}-1.png\n" for name in ("in-order", "out-of-order"))
        lines = self.runs("predict", out / "model", stdin=strips.encode()).splitlines()
        for line in lines:
            self.assertRegex(line, r"^(in|out of) order\t0\.\d+$")
        self.fails(1, ["digit.png", "no strip"], "predict", out / "model",
                   stdin=f"{self.digit()}\n".encode())

    def test_speech(self):
        out = self.folder / "out"
        said = self.runs("demo", "speech", "--out", out, "--speakers", 1, "--strings", 100, "--epochs", 1,
                         "--threads", 1)
        self.assertIn("word errors", said)
        self.assertIn("<image", self.picture("speech-1"))
        # The output folder has a model and sounds to train on.
        self.assertIn(f"predict {out}/model", said)
        self.assertRegex(said, r"\nSaid: (\w+ ){2,7}\w+\n")
        self.runs("predict", out / "model", stdin=f"{out}/strings-1.wav\n".encode())
        self.runs("train", "--task", "speech", "--recordings", out / "strings.tsv", "--units", 8,
                  "--embedding", 8, "--epochs", 1, "--quiet", "--out", self.folder / "model")

    def test_captions(self):
        out = self.folder / "out"
        said = self.runs("demo", "captions", "--out", out, "--scenes", 100, "--epochs", 1,
                         "--filters", 2, "--threads", 1)
        for figure in ("exact", "BLEU", "pointing", "touching"):
            self.assertRegex(said, rf"\n  {figure} +\d")
        self.assertIn("attention", said)
        self.assertIn("<image", self.picture("caption-1"))
        # The output folder has a list to train on.
        lines = (out / "train.tsv").read_text().splitlines()
        self.assertEqual(len(lines), 100)
        self.assertRegex(lines[0], r"^train/scene-00001\.png\ta (small|large) .*\t\[\[3,")
        self.runs("train", "--task", "caption", "--images", out / "train.tsv", "--filters", 2,
                  "--steps", 1, "--quiet", "--out", self.folder / "model")

    def test_ratings(self):
        out = self.folder / "out"
        said = self.runs("demo", "ratings", "--out", out, "--users", 100, "--epochs", 1,
                         "--threads", 1)
        for model in ("mpcn", "mpcn-mean", "dattn", "factors", "bias", "mean"):
            self.assertRegex(said, rf"\n{model} +\d\.\d")
        self.assertIn("pointed at", said)
        self.assertIn("fits each", self.picture("mpcn"))
        self.assertIn("by their gates", self.picture("dattn"))
        # The output folder has a model and its reviews.
        lines = (out / "test.tsv").read_text().splitlines()
        user, item, *_ = lines[1].split("\t")
        rating = self.runs("predict", out / "mpcn", stdin=f"{user}\t{item}\n".encode())
        self.assertTrue(1 <= float(rating) <= 5)

    def test_read(self):
        out = self.folder / "out"
        said = self.runs("demo", "read", "--out", out, "--facts", 2, "--stories", 100, "--epochs",
                         1, "--threads", 1)
        self.assertRegex(said, r"by the question +\d+\.\d %")
        self.assertRegex(said, r"without the question +\d+\.\d %")
        self.assertIn("hop 2 of 2", said)
        self.assertIn("hop 2 of 2", self.picture("passage"))
        # The output has a model, a question for it, and a command to train another
        # model.
        again = re.search(r"Train again: +heed (train .*(?:\n +.*)*)", said)[1].replace("\\\n", " ").split()
        self.assertIn("--hops 2", " ".join(again))
        question = re.search(r"printf '(.*)\\n' \|", said)[1].replace("\\t", "\t")
        self.assertRegex(self.runs("predict", out / "model", stdin=f"{question}\n".encode()),
                         r"^\w+\n$")
        self.assertEqual((out / "test.jsonl").read_text().count("\n"), 1000)
        again[again.index("--out") + 1] = self.folder / "model"
        self.runs(*again, "--quiet", "--threads", 1)
        self.assertEqual(weights(self.folder / "model"), weights(out / "model"))

    def test_summaries(self):
        out = self.folder / "out"
        said = self.runs("demo", "summaries", "--out", out, "--sentences", 200, "--epochs", 1,
                         "--threads", 1)
        self.assertRegex(said, r"\nthe model +\d+\.\d\d")
        self.assertRegex(said, r"\nthe first 8 words +\d+\.\d\d")
        self.picture("attention")
        # The output folder can be evaluated again.
        self.assertIn("ROUGE", self.runs("evaluate", out / "model", "--tsv", out / "test.tsv", "--rouge"))

    def test_retrieve(self):
        out = self.folder / "out"
        said = self.runs("demo", "retrieve", "--out", out, "--questions", 40, "--epochs", 1,
                         "--threads", 1)
        for name in ("last", "mean", "pooled", "attention", "attentive_pooling", "BM25"):
            self.assertRegex(said, rf"\n{name} +\d+\.\d\d +\d+\.\d\d +\d+\.\d\d\n")
        self.picture("answer")
        # An explanation names the answer and its score for each question.
        shown = self.runs("explain", out / "attentive_pooling", "--text",
                          "can i fix a car\tbuy a sofa\trepair a car")
        self.assertRegex(shown, r"can i fix a car → (buy a sofa|repair a car) \(-?\d\.\d{3}\)")
        hits = self.runs("predict", out / "attentive_pooling",
                         stdin=b"can i fix a car\tbuy a sofa\trepair a car\n")
        self.assertEqual(len(hits.splitlines()), 2)

    def test_words(self):
        out = self.folder / "out"
        texts = self.put("texts.tsv", "pos\ta good film. good cast.\n"
                                      "neg\ta bad film. not good.\n" * 4)
        self.runs("train", "--task", "classify", "--model", "han", "--texts", texts, "--steps", 2,
                  "--min-count", 1, "--quiet", "--out", self.folder / "model")
        said = self.runs("demo", "words", "--model", self.folder / "model", "--texts", texts,
                         "--words", "good,film", "--out", out)
        for word in ("good", "film"):
            self.assertIn(word, said)
        self.assertTrue(list(out.glob("*.svg")))

    def digit(self):
        path = self.folder / "digit.png"
        path.write_bytes(png(8, 8, [[9] * 8] * 8))
        return path

    def test_gradients(self):
        said = self.runs("demo", "gradients", "--fresh", "--layers", 2, "--units", 8,
                         "--cells", "rnn", "--cells", "lstm",
                         "--out", self.folder / "out")
        self.assertRegex(said, r"\nlstm +2  fresh +\d")
        self.picture("gradients-rnn-fresh")
        curves = strict_json((self.folder / "out" / "gradients.json").read_text())["curves"]
        self.assertEqual([(c["cell"], c["layers"]) for c in curves],
                         [("rnn", 1), ("rnn", 2), ("lstm", 1), ("lstm", 2),
                          ("rnn + attention", 1), ("attention alone", 0)])
        # Distant characters have less influence, except with attention.
        for curve in curves[4:]:
            self.assertGreater(curve["norms"][40], curve["norms"][2] / 1000)
        for curve in curves[:4]:
            self.assertLess(curve["norms"][40], curve["norms"][2] / 1000)

    def test_names(self):
        for name in ("gallery", "saturation", "equivariance", "cost", "autocomplete",
                     "gradients", "memory", "nodes", "visits", "ratings", "read", "preference"):
            self.assertIn(f"Usage: heed demo {name} ", self.runs("demo", name, "--help"))
            self.assertIn(f"heed demo {name}", " ".join(self.runs("demo", "--help").split()))
        self.fails(2, ["unknown demo 'galery'", "did you mean 'gallery'?"], "demo", "galery")

    def test_every_part_has_a_page_and_a_picture(self):
        docs = pathlib.Path(__file__).resolve().parents[2] / "docs"
        if not docs.is_dir():
            self.skipTest("the documentation is not here")
        others = {"README", "cost", "equivariance", "saturation", "scores"}
        parts = strict_json(self.runs("list", "attentions", "--json"))["attentions"]
        names = {part["name"].split("(")[0]: part for part in parts}
        pages = {path.stem for path in (docs / "reference" / "attention").glob("*.md")}
        self.assertEqual(pages - others, set(names))
        index = (docs / "reference" / "attention" / "README.md").read_text()
        for name, part in names.items():
            page = (docs / "reference" / "attention" / f"{name}.md").read_text()
            self.assertIn(f"`{part['formula']}`", page, name)
            self.assertIn(f"]({name}.md)", index)
            picture = f"images/attention/{part['kind']}-{name}.svg"
            self.assertIn(f"../{picture})", page, name)
            self.assertTrue((docs / picture).is_file(), picture)
