"""Texts with invisible differences, and the normalisation rule stored in a vocabulary."""

import json
import random
import unicodedata

from harness import UsersBuild, train_args

WORDS = ("the", "man", "woman", "café", "naïve", "sleeps", "runs", "in", "Zoë")
PLAIN = "the woman sleeps in the café"
# Variants that must read as PLAIN.
OTHERS = (
    PLAIN.replace(" ", "\u00a0"), PLAIN.replace(" ", "\u3000"), PLAIN.replace(" ", "\u2009"),
    PLAIN.replace(" ", "\u202f"), PLAIN.replace(" ", "\t"), PLAIN.replace(" ", "\u200b"),
    "\ufeff" + PLAIN, PLAIN.replace("woman", "wo\u00adman"), PLAIN.replace("woman", "wo\u2060man"),
    PLAIN.replace(" in", " \u200ein\u200f"), unicodedata.normalize("NFD", PLAIN),
)


class Normalization(UsersBuild):
    def setUp(self):
        super().setUp()
        draw = random.Random(5)
        lines = [" ".join(draw.choice(WORDS) for _ in range(draw.randint(2, 6)))
                 for _ in range(120)]
        self.source = self.put("source", "".join(line + "\n" for line in lines))
        self.target = self.put("target", "".join(line.upper() + "\n" for line in lines))

    def trained(self, name, *flags, **changes):
        out = self.folder / name
        self.runs(*train_args(out, **({
            "source": self.source, "target": self.target, "valid_source": self.source,
            "valid_target": self.target, "epochs": 2} | changes)), *flags)
        return out

    def check_all_equal(self, model):
        lines = "".join(line + "\n" for line in (PLAIN, *OTHERS))
        answers = self.runs("translate", model, "--max-length", 12,
                            stdin=lines.encode()).splitlines()
        self.assertEqual(len(answers), 1 + len(OTHERS))
        for line, answer in zip(OTHERS, answers[1:]):
            self.assertEqual(answer, answers[0], repr(line))

    def test_texts_that_look_equal_are_translated_alike(self):
        for kind in ("words", "characters", "unigram", "bpe"):
            for rule in ("nmt_nfkc", "nfkc"):
                with self.subTest(kind=kind, rule=rule):
                    self.check_all_equal(self.trained(
                        f"{kind}-{rule}", vocabulary=kind, source_vocabulary_size=90,
                        target_vocabulary_size=90, normalization=rule))

    def test_the_rule_is_part_of_the_vocabulary(self):
        for kind, file in (("words", "txt"), ("bpe", "model")):
            for rule in ("nmt_nfkc", "nfkc", "identity"):
                out = self.trained(f"{kind}-{rule}", vocabulary=kind, source_vocabulary_size=90,
                                   target_vocabulary_size=90, normalization=rule)
                config = json.loads((out / "config.json").read_text())
                self.assertEqual(config["normalization"], rule)
                content = (out / f"source.vocabulary.{file}").read_bytes()
                if kind == "bpe":
                    self.assertIn(rule.encode(), content)
                else:
                    self.assertEqual(content.endswith(b"\nnormalization nfc\n"),
                                     rule != "identity")
        default = self.trained("default", vocabulary="bpe", source_vocabulary_size=90,
                               target_vocabulary_size=90)
        self.assertIn(b"nmt_nfkc", (default / "source.vocabulary.model").read_bytes())
        self.fails(2, ["nfd", "nmt_nfkc, nfkc, identity"],
                   *train_args(self.folder / "none", normalization="nfd"))

    def test_the_rule_goes_round_through_other_formats(self):
        model = self.trained("first", "--joint-vocabulary", model="transformer-marian", units=None,
                             embedding=None, vocabulary="bpe", source_vocabulary_size=90,
                             tie="all", layers=1, width=16, ff=32, heads=2)
        self.check_all_equal(model)
        away, back = self.folder / "away", self.folder / "back"
        self.runs("export", model, "--out", away, "--format", "huggingface")
        self.runs("import", away, "--out", back)
        self.check_all_equal(back)

    def test_training_pairs_with_other_spaces_train_the_same_model(self):
        plain = self.trained("plain", vocabulary="bpe", source_vocabulary_size=90,
                             target_vocabulary_size=90)
        text = self.source.read_text()
        self.put("source", unicodedata.normalize("NFD", text.replace(" ", "\u00a0")))
        other = self.trained("other", vocabulary="bpe", source_vocabulary_size=90,
                             target_vocabulary_size=90)
        for name in ("source.vocabulary.model", "model.safetensors"):
            self.assertEqual((plain / name).read_bytes(), (other / name).read_bytes(), name)
