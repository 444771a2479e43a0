"""Translates with a student of Firefox in plain numpy, in f64.

An independent model of the files and of the arithmetic: SentencePiece's unigram pieces, the
encoder, the SSRU decoder, products of int8 with fixed activations, the shortlist and greedy search.
Nothing is taken from Heed.
Usage: reference.py FOLDER... compares with the engine's translations in FOLDER.json.
"""

import itertools
import json
import math
import pathlib
import struct
import sys

import numpy as np

SPACE = "\u2581"


def fields(data):
    """Fields of a message of protocol buffers: (number, value)."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte, at = data[at], at + 1
            value, shift = value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
            continue
        size = {1: 8, 5: 4}.get(tag & 7) or varint()
        yield tag >> 3, data[at:at + size]
        at += size


class Vocabulary:
    def __init__(self, path):
        pieces = [dict(fields(value)) for number, value in fields(path.read_bytes()) if number == 1]
        self.texts = [piece[1].decode() for piece in pieces]
        self.scores = {piece[1].decode(): (struct.unpack("<f", piece[2])[0], row)
                       for row, piece in enumerate(pieces) if piece.get(3, 1) == 1}

    def encode(self, line):
        """The most probable pieces, then </s>."""
        text = SPACE + line.replace(" ", SPACE)
        best = [(0.0, [])] + [None] * len(text)
        for begin, end in itertools.combinations(range(len(text) + 1), 2):
            if best[begin] is not None and text[begin:end] in self.scores:
                score, row = self.scores[text[begin:end]]
                whole = best[begin][0] + score
                if best[end] is None or whole > best[end][0]:
                    best[end] = (whole, best[begin][1] + [row])
        return best[-1][1] + [0]

    def decode(self, rows):
        text = b"".join(bytes([int(piece[1:-1], 16)]) if piece.startswith("<0x") else piece.encode()
                        for piece in (self.texts[row] for row in rows if row != 0))
        return text.decode(errors="replace").replace(SPACE, " ").strip()


def read_model(path):
    """{name: numbers, or (bytes, multiplier) of a matrix [K, N]}"""
    data = path.read_bytes()
    version, count = struct.unpack_from("<QQ", data)
    assert version == 1
    headers = list(struct.iter_unpack("<QQQQ", data[16:16 + 32 * count]))
    at = 16 + 32 * count
    names, shapes, weights = [], [], {}
    for length, *_ in headers:
        names.append(data[at:at + length - 1].decode())
        at += length
    for _, _, rank, _ in headers:
        shapes.append(struct.unpack_from(f"<{rank}i", data, at))
        at += 4 * rank
    at += 8 + struct.unpack_from("<Q", data, at)[0]
    for (_, kind, _, size), name, shape in zip(headers, names, shapes):
        if kind == 0x4101:
            elements = np.frombuffer(data, np.int8, math.prod(shape), at).astype(np.int64)
            multiplier, = struct.unpack_from("<f", data, at + elements.size)
            table = name.endswith("Wemb")
            weights[name] = (elements.reshape(shape) if table else
                             elements.reshape(shape[::-1]).T, multiplier)
        elif kind == 0x404:
            weights[name] = np.frombuffer(data, "<f4", math.prod(shape), at).astype(np.float64)
        at += size
    return weights


class Student:
    def __init__(self, folder, heads, saturates=False):
        self.weights = read_model(next(folder.glob("model.*.bin")))
        vocabularies = sorted(folder.glob("*vocab.*.spm"))  # src before trg
        self.source, self.target = Vocabulary(vocabularies[0]), Vocabulary(vocabularies[-1])
        self.joint = len(vocabularies) == 1
        self.heads, self.saturates = heads, saturates
        self.lists = [path.read_bytes() for path in folder.glob("lex.*.bin")]
        self.margin = 0.5  # least distance of an activation from the middle of two integers

    def product(self, x, name, matrix=None, multiplier=None):
        """x W + b. x [T, K] becomes round(127 x / fixed maximum)."""
        w, m = matrix or self.weights[name]
        a = multiplier or self.weights[name + "_QuantMultA"][0]
        near = x * a
        self.margin = min(self.margin, np.abs(near - np.floor(near) - 0.5)[abs(near) < 127.5].min())
        q = np.clip(np.rint(near), -127, 127).astype(np.int64)
        if self.saturates:  # pairs of products of q + 127 in 16 bits
            pairs = (q + 127)[:, :, None] * w
            sums = np.clip(pairs[:, ::2] + pairs[:, 1::2], -32768, 32767).sum(1)
            sums -= 127 * w.sum(0)
        else:
            sums = q @ w
        bias = self.weights.get(name[::-1].replace("W", "b", 1)[::-1], 0)
        return sums / (a * m) + bias

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6)
        return x * self.weights[name + "_ln_scale"] + self.weights[name + "_ln_bias"]

    def attention(self, x, memory, name):
        def split(y):
            return y.reshape(len(y), self.heads, -1).transpose(1, 0, 2)
        q, k, v = (split(self.product(y, f"{name}_W{part}"))
                   for part, y in (("q", x), ("k", memory), ("v", memory)))
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        context = scores / scores.sum(-1, keepdims=True) @ v
        context = context.transpose(1, 0, 2).reshape(len(x), -1)
        return self.norm(self.product(context, name + "_Wo") + x, name + "_Wo")

    def feed_forward(self, x, name):
        inner = np.maximum(0, self.product(x, name + "_W1"))
        return self.norm(self.product(inner, name + "_W2") + x, name + "_ffn")

    def embed(self, table, rows, first=0):
        elements, m = self.weights[table]
        half = elements.shape[1] // 2
        angles = (first + np.arange(len(rows)))[:, None] * np.exp(
            -np.arange(half) * math.log(10000) / (half - 1))
        known = np.array([row is not None for row in rows])[:, None]
        x = math.sqrt(2 * half) / m * elements[[row or 0 for row in rows]] * known
        return x + np.concatenate([np.sin(angles), np.cos(angles)], 1)

    def layers(self, side):
        layer = 1
        while f"{side}_l{layer}_ffn_W1" in self.weights:
            yield f"{side}_l{layer}"
            layer += 1

    def allowed(self, source):
        """Target rows of the shortlist."""
        data = self.lists[0]
        first, _, offsets, _ = struct.unpack_from("<4Q", data, 16)
        rows = set(range(first)) | (set(source) if self.joint else set())
        for row in source:
            begin, end = struct.unpack_from("<2Q", data, 48 + 8 * row)
            rows |= set(struct.unpack_from(f"<{end - begin}I", data, 48 + 8 * offsets + 4 * begin))
        more = (row for row in range(first, len(self.target.texts)) if row not in rows)
        return sorted(rows | set(itertools.islice(more, -len(rows) % 8)))

    def translate(self, line, shortlist=False):
        """The text, its pieces with their log p, and the margin up to each."""
        self.margin = 0.5
        source = self.source.encode(line)
        table = "Wemb" if self.joint else "encoder_Wemb"
        target = "Wemb" if self.joint else "decoder_Wemb"
        memory = self.embed(table, source)
        for layer in self.layers("encoder"):
            memory = self.feed_forward(self.attention(memory, memory, layer + "_self"),
                                       layer + "_ffn")
        rows = self.allowed(source) if shortlist else list(range(len(self.target.texts)))
        elements, m = self.weights[target]
        output = elements[rows].T, m
        biases = self.weights["decoder_ff_logit_out_b"][rows]
        scale = self.weights[target + "_QuantMultA"]
        cells, written, results = {}, [], []
        while written[-1:] != [0] and len(written) < 2 * len(source):
            x = self.embed(target, written[-1:] or [None], len(written))
            for layer in self.layers("decoder"):
                gate = 1 / (1 + np.exp(-self.product(x, layer + "_rnn_Wf")))
                new = self.product(x, layer + "_rnn_W")
                cells[layer] = gate * cells.get(layer, 0) + (1 - gate) * new
                x = self.norm(np.maximum(0, cells[layer]) + x, layer + "_rnn_ffn")
                x = self.feed_forward(self.attention(x, memory, layer + "_context"), layer + "_ffn")
            scores = self.product(x, "", output, 127 / scale[1])[0] + biases
            best = max((i for i, row in enumerate(rows) if row != 1), key=lambda i: scores[i])
            largest = scores.max()
            log_p = scores[best] - largest - math.log(np.exp(scores - largest).sum())
            written.append(rows[best])
            results.append((self.target.texts[rows[best]], log_p, self.margin))
        return self.target.decode(written), results
