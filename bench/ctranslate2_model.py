#!/usr/bin/python3
"""Writes a Transformer as a model of CTranslate2: ctranslate2_model.py DIR OUT [MODEL]

DIR is CTranslate2's sources; their Python modules describe and write the model. MODEL is
a folder of `heed train --model transformer --norm post --vocabulary words`; without it
the model is a transformer-base with random weights, and its words are numbers. The
weights are f32: those of int8 are made when they are loaded. Packages: python3-numpy
python3-yaml.

    ctranslate2_model.py DIR OUT [MODEL] [--vocab 32000]
"""
import argparse
import json
import os
import struct
import sys

import numpy as np

SPECIAL = ["<pad>", "<unk>", "<s>", "</s>"]
POSITIONS = 1024


def sinusoids(length, width):
    """Returns [length, width] sinusoidal positions, sines and cosines alternating."""
    angle = np.arange(length)[:, None] * 10000.0 ** (-np.arange(0, width, 2) / width)
    return np.stack((np.sin(angle), np.cos(angle)), axis=2).reshape(length, width)


class TrainedWeights:
    """Weights of a folder of Heed, by the names in its file."""

    def __init__(self, folder):
        with open(f"{folder}/config.json", encoding="utf-8") as file:
            self.config = json.load(file)
        needed = {"norm": "post", "activation": "relu", "position": "sinusoidal",
                  "tie": "output", "embedding_scale": "yes", "norm_epsilon": 1e-5}
        for key, value in needed.items():
            if self.config[key] != value:
                sys.exit(f"{folder}: {key} is {self.config[key]}, but must be {value}")
        with open(f"{folder}/model.safetensors", "rb") as file:
            size, = struct.unpack("<Q", file.read(8))
            self.entries = json.loads(file.read(size))
            self.data = file.read()
        self.words = {}
        for side in ("source", "target"):
            with open(f"{folder}/{side}.vocabulary.txt", encoding="utf-8") as file:
                text = file.read().removesuffix("normalization nfc\n")
                self.words[side] = text.split("\n")[:-1]

    def __call__(self, name, *shape):
        entry = self.entries[name]
        begin, end = entry["data_offsets"]
        tensor = np.frombuffer(self.data[begin:end], np.float32).reshape(entry["shape"])
        if tensor.shape != shape:
            sys.exit(f"{name} is {list(tensor.shape)}, but must be {list(shape)}")
        return tensor


class RandomWeights:
    """Random weights of a transformer-base."""

    def __init__(self, vocab):
        self.config = {"layers": 6, "decoder_layers": 6, "width": 512, "ff": 2048, "heads": 8}
        words = SPECIAL + [str(i) for i in range(len(SPECIAL), vocab)]
        self.words = {"source": words, "target": words}
        self.random = np.random.default_rng(1)

    def __call__(self, name, *shape):
        if len(shape) == 1:
            return np.full(shape, name.endswith("gain"), np.float32)
        numbers = self.random.standard_normal(shape, np.float32)
        return numbers * np.float32(self.config["width"] ** -0.5)


class Filler:
    """Fills CTranslate2's description of the model with weights. Its matrices are [outputs,
    inputs]; Heed's are transposed."""

    def __init__(self, weights):
        self.weights = weights
        self.width = weights.config["width"]

    def linear(self, spec, name, inputs, outputs):
        spec.weight = np.ascontiguousarray(self.weights(f"{name}.weight", inputs, outputs).T)
        spec.bias = self.weights(f"{name}.bias", outputs)

    def norm(self, spec, name):
        spec.gamma = self.weights(f"{name}.norm.gain", self.width)
        spec.beta = self.weights(f"{name}.norm.bias", self.width)

    def attention(self, spec, name, *parts):
        for linear, (part, outputs) in zip(spec.linear, (*parts, ("output", 1))):
            self.linear(linear, f"{name}.{part}", self.width, outputs * self.width)
        self.norm(spec.layer_norm, name)

    def layer(self, spec, name):
        self.attention(spec.self_attention, f"{name}.self_attention", ("qkv", 3))
        if hasattr(spec, "attention"):
            self.attention(spec.attention, f"{name}.cross_attention", ("q", 1), ("kv", 2))
        ff = self.weights.config["ff"]
        self.linear(spec.ffn.linear_0, f"{name}.feed_forward.in", self.width, ff)
        self.linear(spec.ffn.linear_1, f"{name}.feed_forward.out", ff, self.width)
        self.norm(spec.ffn.layer_norm, f"{name}.feed_forward")

    def side(self, spec, embeddings, name, vocab):
        embeddings.weight = self.weights(f"{name}.embedding.weight", vocab, self.width)
        spec.position_encodings.encodings = sinusoids(POSITIONS, self.width)
        for i, layer in enumerate(spec.layer):
            self.layer(layer, f"{name}.layers.{i}")


def describe(specs, weights):
    """Returns CTranslate2's description of the model with these weights."""
    config = weights.config
    spec = specs.TransformerSpec.from_config(
        (config["layers"], config["decoder_layers"]), config["heads"], pre_norm=False)
    filler = Filler(weights)
    sizes = {side: len(words) for side, words in weights.words.items()}
    filler.side(spec.encoder, spec.encoder.embeddings[0], "encoder", sizes["source"])
    filler.side(spec.decoder, spec.decoder.embeddings, "decoder", sizes["target"])
    spec.decoder.projection.weight = spec.decoder.embeddings.weight
    spec.decoder.projection.bias = weights("decoder.output.bias", sizes["target"])
    spec.register_source_vocabulary(weights.words["source"])
    spec.register_target_vocabulary(weights.words["target"])
    return spec


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", metavar="DIR", help="CTranslate2's")
    parser.add_argument("out", metavar="OUT", help="folder to write")
    parser.add_argument("model", metavar="MODEL", nargs="?", help="folder of Heed")
    parser.add_argument("--vocab", type=int, default=32000, help="of random weights")
    options = parser.parse_args()
    sys.path.insert(0, f"{options.sources}/python")
    from ctranslate2 import specs  # pylint: disable=import-outside-toplevel
    weights = TrainedWeights(options.model) if options.model else RandomWeights(options.vocab)
    spec = describe(specs, weights)
    spec.validate()
    spec.optimize()
    os.makedirs(options.out, exist_ok=True)
    spec.save(options.out)


if __name__ == "__main__":
    main()
