"""Metrics have the units of `heed evaluate`."""

import random

import pytest
import reference_ter

import heed
from heed import metrics


def test_equal_texts_are_perfect():
    texts = ["the cat sat on the mat", "a dog sleeps in the sun"]
    assert metrics.bleu(texts, texts) == pytest.approx(100)
    assert metrics.chrf(texts, texts) == pytest.approx(100)
    assert metrics.ter(texts, texts) == 0
    assert metrics.exact_match(texts, texts) == 100
    assert metrics.word_error_rate(texts, texts) == 0
    assert metrics.character_error_rate(texts, texts) == 0
    assert metrics.rouge(texts, texts) == pytest.approx(
        {"rouge1": 100, "rouge2": 100, "rouge_l": 100})


def test_shares_are_per_cent():
    assert metrics.exact_match(["a", "b"], ["a", "c"]) == 50
    assert metrics.word_error_rate(["a b c d"], ["a b c e"]) == 25
    assert metrics.character_error_rate(["abcd"], ["abce"]) == 25
    assert metrics.accuracy([1, 2, 3, 4], [1, 2, 3, 5]) == 75


def test_ter_is_that_of_a_plain_reference():
    generator = random.Random(1)

    def text(kinds):
        return " ".join(generator.choice("abcdefghijkl"[:kinds])
                        for _ in range(generator.randint(1, 9)))

    for kinds in (2, 3, 5, 8, 12) * 40:
        pairs = [text(kinds) for _ in range(2)], [text(kinds) for _ in range(2)]
        assert metrics.ter(*pairs) == pytest.approx(reference_ter.ter(*pairs)), pairs
    for _ in range(100):  # the words of the reference in another order
        right = text(12)
        words = right.split()
        generator.shuffle(words)
        pair = [" ".join(words)], [right]
        assert metrics.ter(*pair) == pytest.approx(reference_ter.ter(*pair)), pair


def test_f1():
    gold, predicted = ["a", "a", "b"], ["a", "b", "b"]
    assert metrics.f1(predicted, gold) == pytest.approx(200 / 3)
    assert metrics.f1(predicted, gold, average="micro") == pytest.approx(
        metrics.accuracy(predicted, gold))
    assert metrics.f1([["a", "b"], []], [["a"], ["b"]], average="micro") == 50
    assert metrics.accuracy([["a", "b"]], [["b", "a"]]) == 100


def test_metrics_are_those_of_score(classifier):
    texts, labels = ["a good film", "a bad film", "good"], ["pos", "neg", "neg"]
    measured = classifier.score(texts, labels)
    predicted = classifier.predict(texts)
    assert metrics.accuracy(predicted, labels) == pytest.approx(measured["accuracy"])
    assert metrics.f1(predicted, labels) == pytest.approx(measured["macro_f1"])


def test_bad_lists():
    with pytest.raises(heed.ShapeError, match="1 answers, but 2"):
        metrics.bleu(["a"], ["a", "b"])
    with pytest.raises(heed.FormatError, match="no answer"):
        metrics.accuracy([], [])
    with pytest.raises(heed.FormatError, match="list"):
        metrics.bleu("a", ["a"])
    with pytest.raises(heed.ConfigError, match="macro and micro"):
        metrics.f1(["a"], ["a"], average="weighted")
    with pytest.raises(heed.Error):
        metrics.bleu([1], ["a"])
