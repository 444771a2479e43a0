#!/usr/bin/env python3
"""Writes models as Marian saves them, and what they compute, with NumPy alone.

The layout (names, shapes, special:model.yml) and the formulas are those of
marian-nmt/marian-dev: src/models/transformer.h, src/layers/generic.h,
src/layers/output.cpp, src/tensors/*/ sinusoids. Weights are random. Nothing is
taken from Heed.

marian_post.npz   norm behind ("dan"), swish, all embeddings tied, one
                  SentencePiece vocabulary (marian.spm, trained here with the
                  special pieces that Marian asks for)
marian_pre.npz    norm before ("n", "da", top "n"), normed embeddings, gelu as
                  Marian 1.11 has it, trained positions, own output matrix, two
                  vocabularies of words (marian.source.yml, marian.target.yml)

X_expected.npz holds source ids [B, S] with lengths, target ids [B, T] that the
decoder has written so far (it starts from zeros), logits [B, T, V]; of the first
model also lines of text and their ids, one after the other with lengths.

Run it in this folder: python3 marian_transformer.py
"""

import os
import subprocess

import numpy as np

D, HEADS, FF, LAYERS, DECODER_LAYERS = 8, 2, 12, 2, 1
EPSILON = 1e-6

TEXT = """the old house stands near the river
an old man walks to the river with a dog
the dog sees a house and a man
das alte haus steht am fluss
ein alter mann geht mit dem hund zum fluss
der hund sieht ein haus und einen mann
"""
LINES = ["the old dog sees the fluss", "ein haus", "xylophone  der mann"]


def model_yml(**options):
    values = {
        "bert-train-type-embeddings": "true", "bert-type-vocab-size": 2,
        "dec-cell": "gru", "dec-cell-base-depth": 2, "dec-cell-high-depth": 1,
        "dec-depth": DECODER_LAYERS, "dim-emb": D, "dim-rnn": 1024,
        "dim-vocabs": "\n  - 20\n  - 20", "enc-cell": "gru", "enc-cell-depth": 1,
        "enc-depth": LAYERS, "enc-type": "bidirectional", "factors-combine": "sum",
        "factors-dim-emb": 0, "input-types": "\n  []", "layer-normalization": "false",
        "lemma-dependency": '""', "lemma-dim-emb": 0, "output-omit-bias": "false",
        "right-left": "false", "skip": "false", "special-vocab": "\n  []",
        "tied-embeddings": "false", "tied-embeddings-all": "false",
        "tied-embeddings-src": "false", "transformer-aan-activation": "swish",
        "transformer-aan-depth": 2, "transformer-aan-nogate": "false",
        "transformer-decoder-autoreg": "self-attention",
        "transformer-decoder-dim-ffn": 0, "transformer-decoder-ffn-depth": 0,
        "transformer-depth-scaling": "false", "transformer-dim-aan": 2048,
        "transformer-dim-ffn": FF, "transformer-ffn-activation": "swish",
        "transformer-ffn-depth": 2, "transformer-guided-alignment-layer": "last",
        "transformer-heads": HEADS, "transformer-no-projection": "false",
        "transformer-pool": "false", "transformer-postprocess": "dan",
        "transformer-postprocess-emb": "d", "transformer-postprocess-top": '""',
        "transformer-preprocess": '""', "transformer-tied-layers": "\n  []",
        "transformer-train-positions": "false", "type": "transformer",
        "ulr": "false", "ulr-dim-emb": 0, "ulr-trainable-transformation": "false",
        "version": "v1.11.0 f00d062 2022-02-08 08:39:24 -0800",
    }
    values.update({key.replace("_", "-"): value for key, value in options.items()})
    text = "".join(f"{key}: {value}\n" for key, value in values.items())
    return np.frombuffer(text.encode() + b"\0", dtype="i1")


def random_weights(seed, pre, source, target, tied, positions):
    rng = np.random.default_rng(seed)
    weights = {}

    def add(name, *shape, around=0.0):
        weights[name] = (around + 0.4 * rng.standard_normal(shape)).astype("<f4")

    def norm(prefix, suffix):
        add(prefix + "_ln_scale" + suffix, 1, D, around=1.0)
        add(prefix + "_ln_bias" + suffix, 1, D)

    def attention(prefix):
        for part in "qkvo":
            add(f"{prefix}_W{part}", D, D)
            add(f"{prefix}_b{part}", 1, D)
        norm(prefix + "_Wo", "_pre" if pre else "")

    for side, layers in (("encoder", LAYERS), ("decoder", DECODER_LAYERS)):
        for i in range(1, layers + 1):
            attention(f"{side}_l{i}_self")
            if side == "decoder":
                attention(f"{side}_l{i}_context")
            at = f"{side}_l{i}_ffn"
            add(at + "_W1", D, FF)
            add(at + "_b1", 1, FF)
            add(at + "_W2", FF, D)
            add(at + "_b2", 1, D)
            norm(at + "_ffn", "_pre" if pre else "")
        if pre:
            norm(side + "_top", "")
            norm(side + "_emb", "_pre")
    if tied:
        add("Wemb", target, D)
    else:
        add("encoder_Wemb", source, D)
        add("decoder_Wemb", target, D)
        add("decoder_ff_logit_out_Wt", target, D)
    add("decoder_ff_logit_out_b", 1, target)
    if positions:
        add("Wpos", positions, D)
    return weights


class Marian:
    def __init__(self, weights, pre, tied, gelu):
        self.w = {name: value.astype("f8") for name, value in weights.items()}
        self.pre, self.tied, self.gelu = pre, tied, gelu

    def affine(self, x, prefix, part):
        return x @ self.w[f"{prefix}_W{part}"] + self.w[f"{prefix}_b{part}"]

    def norm(self, x, prefix, suffix=""):
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        scale, bias = self.w[prefix + "_ln_scale" + suffix], self.w[prefix + "_ln_bias" + suffix]
        return scale * (x - mean) / np.sqrt(variance + EPSILON) + bias

    def attention(self, prefix, x, memory, mask):
        """x [T, D]; memory [S, D], or None for self-attention; mask [T, S], true at visible
        keys."""
        query = self.norm(x, prefix + "_Wo", "_pre") if self.pre else x
        keys = query if memory is None else memory
        q, k, v = (self.affine(y, prefix, part).reshape(len(y), HEADS, D // HEADS)
                   for y, part in ((query, "q"), (keys, "k"), (keys, "v")))
        scores = np.einsum("thd,shd->hts", q, k) / np.sqrt(D // HEADS)
        scores = scores + (1 - mask) * -99999999.0
        a = np.exp(scores - scores.max(-1, keepdims=True))
        a /= a.sum(-1, keepdims=True)
        context = np.einsum("hts,shd->thd", a, v).reshape(len(x), D)
        y = x + self.affine(context, prefix, "o")
        return y if self.pre else self.norm(y, prefix + "_Wo")

    def feed_forward(self, prefix, x):
        y = self.norm(x, prefix + "_ffn", "_pre") if self.pre else x
        y = self.affine(y, prefix, "1")
        y = y / (1 + np.exp(-(1.702 if self.gelu else 1.0) * y))
        y = x + self.affine(y, prefix, "2")
        return y if self.pre else self.norm(y, prefix + "_ffn")

    def embed(self, side, rows):
        """rows [T, D]: token embeddings."""
        if "Wpos" in self.w:
            x = rows + self.w["Wpos"][:len(rows)]
        else:
            half = D // 2
            angles = np.arange(len(rows))[:, None] * 1e-4 ** (np.arange(half) / (half - 1))
            x = np.sqrt(D) * rows + np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
        return self.norm(x, side + "_emb", "_pre") if self.pre else x

    def top(self, side, x):
        return self.norm(x, side + "_top") if self.pre else x

    def logits(self, source, target):
        """Returns the scores before each token of `target`, a list of ids."""
        x = self.embed("encoder", self.w["Wemb" if self.tied else "encoder_Wemb"][source])
        for i in range(1, LAYERS + 1):
            x = self.attention(f"encoder_l{i}_self", x, None, np.ones((len(x), len(x))))
            x = self.feed_forward(f"encoder_l{i}_ffn", x)
        memory = self.top("encoder", x)
        table = self.w["Wemb" if self.tied else "decoder_Wemb"]
        y = self.embed("decoder", np.concatenate([np.zeros((1, D)), table[target[:-1]]]))
        for i in range(1, DECODER_LAYERS + 1):
            y = self.attention(f"decoder_l{i}_self", y, None, np.tri(len(y)))
            y = self.attention(f"decoder_l{i}_context", y, memory, np.ones((len(y), len(memory))))
            y = self.feed_forward(f"decoder_l{i}_ffn", y)
        output = table if self.tied else self.w["decoder_ff_logit_out_Wt"]
        return self.top("decoder", y) @ output.T + self.w["decoder_ff_logit_out_b"]


def expected(model, sources, targets):
    padded = np.zeros((len(sources), max(map(len, sources))), "<i4")
    for row, source in zip(padded, sources):
        row[:len(source)] = source
    return {"source": padded, "lengths": np.array([len(s) for s in sources], "<i4"),
            "target": np.array(targets, "<i4"),
            "logits": np.stack([model.logits(s, t) for s, t in zip(sources, targets)])}


def train_subwords(path):
    with open("marian.txt", "w", encoding="utf-8") as file:
        file.write(TEXT)
    subprocess.run(["spm_train", "--bos_id=-1", "--eos_id=0", "--unk_id=1", "--input=marian.txt",
                    "--model_prefix=marian", "--vocab_size=48", "--hard_vocab_limit=false",
                    "--minloglevel=2", "--normalization_rule_name=identity"], check=True)
    os.rename("marian.model", path)
    with open("marian.vocab", encoding="utf-8") as file:
        size = len(file.readlines())
    encoded = subprocess.run(["spm_encode", "--model=" + path, "--output_format=id"],
                             input="\n".join(LINES) + "\n", capture_output=True, check=True, text=True)
    for name in ("marian.txt", "marian.vocab"):
        os.remove(name)
    return size, [[int(i) for i in line.split()] for line in encoded.stdout.splitlines()]


def write_words(path, words):
    with open(path, "w", encoding="utf-8") as file:
        file.write("</s>: 0\n<unk>: 1\n")
        for i, word in enumerate(words):
            file.write(f'"{word}": {i + 2}\n')
    return len(words) + 2


def main():
    size, ids = train_subwords("marian.spm")
    weights = random_weights(1, pre=False, source=size, target=size, tied=True, positions=0)
    np.savez_compressed("marian_post.npz", **weights,
                        **{"special:model.yml": model_yml(tied_embeddings_all="true")})
    model = Marian(weights, pre=False, tied=True, gelu=False)
    result = expected(model, [line + [0] for line in ids], [[7, 20, 2, 0], [size - 1, 1, 9, 0], [3, 3, 4, 5]])
    result["lines"] = np.frombuffer("\n".join(LINES).encode(), "u1")
    np.savez_compressed("marian_post_expected.npz", **result)

    source = write_words("marian.source.yml", ["a", "b@@", "c", "#", "1", "~", "\\\\"])
    target = write_words("marian.target.yml", ["x", "y@@", "z", ":", "null", "w", "v", "u", "t"])
    weights = random_weights(2, pre=True, source=source, target=target, tied=False, positions=6)
    options = model_yml(transformer_preprocess="n", transformer_postprocess="da",
                        transformer_postprocess_top="n", transformer_postprocess_emb="nd",
                        transformer_ffn_activation="gelu", transformer_train_positions="true")
    np.savez_compressed("marian_pre.npz", **weights, **{"special:model.yml": options})
    model = Marian(weights, pre=True, tied=False, gelu=True)
    result = expected(model, [[2, 3, 4, 8, 0], [5, 1, 0], [6, 7, 2, 0]],
                      [[2, 10, 3, 0], [4, 5, 1, 6], [7, 8, 9, 0]])
    np.savez_compressed("marian_pre_expected.npz", **result)


if __name__ == "__main__":
    main()
