"""Finds the package and its library, and trains the models that several tests use."""

import os
import pathlib
import sys

import pytest

try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None

needs_numpy = pytest.mark.skipif(numpy is None, reason="needs numpy")
needs_torch = pytest.mark.skipif(torch is None, reason="needs torch")
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
os.environ.setdefault("HEED_LIBRARY", str(ROOT / "build" / "release" / "libheed.so"))

import heed  # noqa: E402

GERMAN = ["ein mann liest", "ein hund schläft", "der mann schläft", "der hund liest"]
ENGLISH = ["a man reads", "a dog sleeps", "the man sleeps", "the dog reads"]


@pytest.fixture(scope="session")
def translator():
    return heed.train("translate", GERMAN * 20, ENGLISH * 20, vocabulary="words", units=32,
                      embedding=32, epochs=30, learning_rate=0.01, source_language="de",
                      target_language="en", progress=False)


@pytest.fixture(scope="session")
def classifier():
    return heed.train("classify", ["a good film", "a bad film"] * 20, ["pos", "neg"] * 20,
                      vocabulary="words", units=8, epochs=8, learning_rate=0.01,
                      progress=False)


@pytest.fixture(scope="session")
def writer():
    """A language model that writes long texts slowly enough to be stopped."""
    return heed.train("lm", ["the cat sat on the mat and the dog sat on the cat"] * 4,
                      vocabulary="words", units=8, steps=2, progress=False)
