"""Writes random students as Firefox reads them, in plain Python.

The layout of the files is that of browsermt/marian-dev (binary.cpp, intgemm, shortlist.cpp) and
of SentencePiece's ModelProto. Weights are random. Nothing is taken from Heed.
"""

import dataclasses
import random
import struct

INT8, FLOAT, INTGEMM8 = 0x101, 0x404, 0x4101
WORDS = ("the old house stands near river an man walks to with a dog sees and das alte haus steht "
         "am fluss ein alter mann geht mit dem hund zum der sieht einen und").split()


@dataclasses.dataclass
class Shape:
    width: int = 64
    ff: int = 128
    heads: int = 8
    encoder: int = 2
    decoder: int = 2
    source: int = 160  # pieces
    target: int = 160
    joint: bool = True


# SentencePiece

def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def vocabulary(size, draw, byte_pieces=False, parts=()):
    """A unigram model: </s>, <unk>, bytes, letters and `parts`, by default parts of WORDS."""
    pieces = [("</s>", 0.0, 3), ("<unk>", 0.0, 2)]
    if byte_pieces:
        pieces += [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)]
    letters = sorted({letter for word in WORDS for letter in word}) + ["\u2581"]
    parts = sorted(parts or {("\u2581" + word)[begin:end] for word in WORDS
                             for begin in range(len(word))
                             for end in range(begin + 2, len(word) + 2)})
    draw.shuffle(parts)
    texts = letters + parts[:size - len(pieces) - len(letters)]
    pieces += [(text, -draw.uniform(3, 9) - (3 if len(text) == 1 else 0), 1) for text in texts]
    assert len(pieces) == size, (len(pieces), size)
    proto = b"".join(field(1, field(1, text) + field(2, score) + field(3, kind))
                     for text, score, kind in pieces)
    trainer = (field(3, 1) + field(4, size) + field(35, int(byte_pieces)) + field(40, 1)
               + field(41, -1) + field(42, 0) + field(43, -1))
    normalizer = field(1, "identity") + field(3, 1) + field(4, 1) + field(5, 1)
    return proto + field(2, trainer) + field(3, normalizer)


# Weights

def model_yml(shape):
    options = {
        "dim-emb": shape.width, "enc-depth": shape.encoder, "dec-depth": shape.decoder,
        "transformer-heads": shape.heads, "transformer-dim-ffn": shape.ff,
        "type": "transformer", "dec-cell": "ssru", "enc-cell": "gru",
        "transformer-decoder-autoreg": "rnn", "transformer-ffn-activation": "relu",
        "transformer-ffn-depth": 2, "transformer-preprocess": '""',
        "transformer-postprocess": "dan", "transformer-postprocess-emb": "d",
        "transformer-postprocess-top": '""', "transformer-no-projection": "false",
        "transformer-guided-alignment-layer": "last", "transformer-rnn-projection": "false",
        "transformer-tied-layers": "\n  []", "layer-normalization": "false",
        "tied-embeddings-all": str(shape.joint).lower(),
        "tied-embeddings": str(not shape.joint).lower(), "tied-embeddings-src": "false",
        "output-omit-bias": "false", "dim-vocabs": f"\n  - {shape.source}\n  - {shape.target}",
        "input-types": "\n  []", "special-vocab": "\n  []", "skip": "false",
        "right-left": "false", "factors-combine": "sum", "lemma-dim-emb": 0,
        "transformer-train-positions": "false", "ulr": "false",
        "version": "v1.9.56 9be6fd4 2021-01-01 00:00:00 +0000",
    }
    return "".join(f"{key}: {value}\n" for key, value in options.items()).encode() + b"\0"


class Student:
    """Random weights, quantised as for intgemm: {name: (type, dimensions, bytes)}."""

    def __init__(self, shape, draw):
        self.items = {}
        self.draw = draw
        self.width = shape.width
        e, f = shape.width, shape.ff
        for layer in range(1, shape.encoder + 1):
            at = f"encoder_l{layer}"
            self.attention(f"{at}_self", e)
            self.feed_forward(f"{at}_ffn", e, f)
        for layer in range(1, shape.decoder + 1):
            at = f"decoder_l{layer}"
            self.matrix(f"{at}_rnn_W", e, e)
            self.matrix(f"{at}_rnn_Wf", e, e)
            self.numbers(f"{at}_rnn_bf", e, spread=0.5)
            self.norm(f"{at}_rnn_ffn", e)
            self.attention(f"{at}_context", e)
            self.feed_forward(f"{at}_ffn", e, f)
        tables = [("Wemb", shape.target)] if shape.joint else [
            ("encoder_Wemb", shape.source), ("decoder_Wemb", shape.target)]
        for name, rows in tables:
            self.table(name, rows, e)
        alpha = self.alpha()
        self.items[f"{tables[-1][0]}_QuantMultA"] = (
            INTGEMM8, (1, 1), b"\x7f" + struct.pack("<f", 127 / alpha))
        self.items["none_QuantMultA"] = (FLOAT, (1, 1), struct.pack("<f", alpha))
        biases = [self.draw.gauss(0, 0.5) for _ in range(shape.target)]
        biases[0] += 1.5  # </s>
        biases[1] -= 30  # <unk>, whose row holds the large weight
        if not shape.joint:  # pieces of bytes are rare
            biases[2:258] = [bias - 6 for bias in biases[2:258]]
        self.floats("decoder_ff_logit_out_b", biases)

    def alpha(self):
        return self.draw.uniform(25, 31)

    def floats(self, name, values):
        self.items[name] = (FLOAT, (1, len(values)), struct.pack(f"<{len(values)}f", *values))

    def numbers(self, name, count, around=0.0, spread=0.2):
        self.floats(name, [self.draw.gauss(around, spread) for _ in range(count)])

    def norm(self, name, count):
        self.numbers(f"{name}_ln_scale", count, around=1.0, spread=0.1)
        self.numbers(f"{name}_ln_bias", count, spread=0.1)

    def quantised(self, values, place=0):
        # Pairs of products saturate at 16 bits in engines below AVX512-VNNI. One weight is so
        # large that others are below 64, and its neighbour is 0, so that none does.
        values[place] = 2.02 * max(map(abs, values))
        values[place + 1] = 0.0
        multiplier = struct.unpack("<f", struct.pack("<f", 127 / values[place]))[0]
        return bytes(round(value * multiplier) & 255 for value in values), multiplier

    def matrix(self, name, rows, columns):
        spread = 0.8 / rows ** 0.5
        values = [self.draw.gauss(0, spread) for _ in range(rows * columns)]
        data, multiplier = self.quantised(values)  # columns one after the other
        self.items[name] = (INTGEMM8, (rows, columns), data + struct.pack("<f", multiplier))
        # The inputs of these two are no results of norms.
        alpha = self.alpha() / (3 if name.endswith(("_W2", "_Wo")) else 1)
        self.items[f"{name}_QuantMultA"] = (FLOAT, (1, 1), struct.pack("<f", alpha))

    def table(self, name, rows, columns):
        spread = 1.6 / columns ** 0.5
        values = [self.draw.gauss(0, spread) for _ in range(rows * columns)]
        data, multiplier = self.quantised(values, place=columns)  # of <unk>
        self.items[name] = (INTGEMM8, (rows, columns), data + struct.pack("<f", multiplier))

    def attention(self, name, width):
        for part in "qkvo":
            self.matrix(f"{name}_W{part}", width, width)
            self.numbers(f"{name}_b{part}", width)
        self.norm(f"{name}_Wo", width)

    def feed_forward(self, name, width, inner):
        self.matrix(f"{name}_W1", width, inner)
        self.numbers(f"{name}_b1", inner)
        self.matrix(f"{name}_W2", inner, width)
        self.numbers(f"{name}_b2", width)
        self.norm(f"{name}_ffn", width)


def binary(student, yml):
    items = sorted(student.items.items()) + [("special:model.yml", (INT8, (len(yml),), yml))]
    padded = [data + bytes(-len(data) % 256) if kind != INT8 else data
              for _, (kind, _, data) in items]
    out = struct.pack("<QQ", 1, len(items))
    for (name, (kind, dims, _)), data in zip(items, padded):
        out += struct.pack("<QQQQ", len(name) + 1, kind, len(dims), len(data))
    out += b"".join(name.encode() + b"\0" for name, _ in items)
    out += b"".join(struct.pack(f"<{len(dims)}i", *dims) for _, (_, dims, _) in items)
    at = len(out) + 8
    gap = (at // 256 + 1) * 256 - at
    return out + struct.pack("<Q", gap) + bytes(gap) + b"".join(padded)


def shortlist(shape, draw, first=40, best=12):
    runs = [sorted(draw.sample(range(shape.target), best)) for _ in range(shape.source)]
    offsets = [0]
    for run in runs:
        offsets.append(offsets[-1] + len(run))
    body = struct.pack("<4Q", first, best, len(offsets), offsets[-1])
    body += struct.pack(f"<{len(offsets)}Q", *offsets)
    body += b"".join(struct.pack(f"<{len(run)}I", *run) for run in runs)
    hashed = 0
    for (word,) in struct.iter_unpack("<Q", body[:len(body) // 8 * 8]):
        hashed ^= word + 0x9e3779b9 + (hashed << 6) + (hashed >> 2)
        hashed &= (1 << 64) - 1
    return struct.pack("<QQ", 0xF11A48D5013417F5, hashed) + body


def write(folder, seed, shape, pair="ende", parts=()):
    """Writes the files of a release of Firefox. `parts`: pieces beside letters."""
    draw = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    if shape.joint:
        (folder / f"vocab.{pair}.spm").write_bytes(vocabulary(shape.source, draw, parts=parts))
    else:
        (folder / f"srcvocab.{pair}.spm").write_bytes(vocabulary(shape.source, draw))
        (folder / f"trgvocab.{pair}.spm").write_bytes(
            vocabulary(shape.target, draw, byte_pieces=True))
    student = Student(shape, draw)
    (folder / f"model.{pair}.intgemm.alphas.bin").write_bytes(binary(student, model_yml(shape)))
    (folder / f"lex.50.50.{pair}.s2t.bin").write_bytes(shortlist(shape, draw))


def sentences(count, seed):
    draw = random.Random(seed)
    return [" ".join(draw.choice(WORDS) for _ in range(draw.randint(1, 9))) for _ in range(count)]
