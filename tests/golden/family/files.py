"""Random weights and the files of a folder: safetensors, JSON and npz."""

import json
import os
import struct

import numpy as np

DTYPES = {"F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "BOOL": "?"}


def upper_bits(values):
    """Returns the bits of the nearest bf16 numbers; ties go to even numbers."""
    bits = values.astype("<f4").view("<u4").astype("<u8")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")


def rounded(values, dtype):
    """Returns f64 numbers rounded to a type of the file."""
    if dtype == "BF16":
        return (upper_bits(values).astype("<u4") << 16).view("<f4").astype("f8")
    return values.astype(DTYPES[dtype]).astype("f8")


def stored(values, dtype):
    return upper_bits(values) if dtype == "BF16" else values.astype(DTYPES[dtype])


class Weights:
    """Random tensors by their names in the file, in f64 and rounded to the type of the file."""

    def __init__(self, seed, dtype="F32"):
        self.source = np.random.RandomState(seed)  # its numbers never change between versions of NumPy
        self.dtype = dtype
        self.values = {}
        self.buffers = {}  # name: (type, array) of tensors without use

    def normal(self, name, *shape, deviation=0.3):
        self.values[name] = rounded(deviation * self.source.standard_normal(shape), self.dtype)

    def linear(self, name, out, inputs):
        self.normal(name + ".weight", out, inputs)
        self.normal(name + ".bias", out)

    def lower(self, name):
        """Lowers a bias by 2, where gelu by erf and by tanh differ most in proportion. Around 0 both
        give logits that are equal to 0.001."""
        self.values[name] = rounded(self.values[name] - 2, self.dtype)

    def feed_forward(self, first, second, width, inner, turned=False):
        """Adds two layers, the second with N(0, 1). turned: matrices are [in, out]."""
        def turn(*shape):
            return shape[::-1] if turned else shape

        self.normal(first + ".weight", *turn(inner, width))
        self.normal(first + ".bias", inner)
        self.lower(first + ".bias")
        self.normal(second + ".weight", *turn(width, inner), deviation=1)
        self.normal(second + ".bias", width)

    def norm(self, name, width):
        self.values[name + ".weight"] = rounded(self.source.uniform(0.5, 1.5, width), self.dtype)
        self.normal(name + ".bias", width)

    def quiet(self, *rows):
        """Changes the last of some rows (name, index) so that the sum of all rows is about 0.003.

        A wrong ε changes the norm of this sum and hardly any other. All rows but the last are
        rounded to 1/256 and the sum to 1/16,384, so sums in f32 are exact in any order.
        """
        total = 0
        for name, row in rows[:-1]:
            self.values[name][row] = np.round(self.values[name][row] * 256) / 256
            total = total + self.values[name][row]
        name, row = rows[-1]
        small = 0.003 * self.source.standard_normal(self.values[name].shape[1])
        self.values[name][row] = rounded(np.round(small * 16384) / 16384 - total, self.dtype)

    def tensors(self):
        """Returns name: (type, array) as the file holds them."""
        return {name: (self.dtype, stored(value, self.dtype)) for name, value in self.values.items()} | self.buffers


def write_json(path, value):
    """Writes a file. tokenizer.json keeps the order of its keys and has no indentation, to be small;
    other files have sorted keys in ASCII, as Transformers writes them."""
    with open(path, "w", encoding="utf-8") as file:
        if path.endswith("/tokenizer.json"):
            json.dump(value, file, ensure_ascii=False, separators=(",", ":"))
        else:
            json.dump(value, file, indent=2, sort_keys=True)
        file.write("\n")


def write_safetensors(path, tensors):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name in sorted(tensors):
        dtype, value = tensors[name]
        bytes_of = np.ascontiguousarray(value).tobytes()
        header[name] = {"dtype": dtype, "shape": list(value.shape),
                        "data_offsets": [len(data), len(data) + len(bytes_of)]}
        data += bytes_of
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def write_weights(folder, tensors, shards=1):
    """Writes model.safetensors, or shards of about one size with an index."""
    if shards == 1:
        write_safetensors(folder + "/model.safetensors", tensors)
        return
    total = sum(value.nbytes for _, value in tensors.values())
    parts, before = [{} for _ in range(shards)], 0
    for name, (dtype, value) in tensors.items():
        parts[before * shards // total][name] = (dtype, value)
        before += value.nbytes
    places = {}
    for i, part in enumerate(parts):
        file = f"model-{i + 1:05}-of-{shards:05}.safetensors"
        write_safetensors(f"{folder}/{file}", part)
        places |= {name: file for name in part}
    write_json(folder + "/model.safetensors.index.json", {"metadata": {"total_size": total}, "weight_map": places})


def write_arrays(path, arrays):
    """Writes whole numbers as i4, others as f4, texts in UTF-8."""
    result = {}
    for name, value in arrays.items():
        if isinstance(value, str):
            result[name] = np.frombuffer(value.encode(), "u1")
        else:
            value = np.asarray(value)
            result[name] = value.astype("<i4" if value.dtype.kind in "iu" else "<f4")
    np.savez_compressed(path, **result)


def size_of(folder):
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)
