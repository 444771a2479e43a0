#!/usr/bin/env python3
"""How fast PyTorch translates with the model of `heed bench decode`.

A Transformer as Vaswani et al. 2017 print it (post-norm, ReLU, target embedding
tied to the output matrix), with keys and values in caches made beforehand, those
of the source computed once, beams that share their source, and exactly --length
tokens. All sources have one length, so that nothing needs a mask. Written for a
CPU and PyTorch 1.13, where each of these was the fastest way:

- one query for each row is a product and a sum: bmm calls BLAS for every matrix;
- a single row in f32 is a matrix times a vector (addmv);
- the k best of a vocabulary are among the k best of its columns' maxima;
- a quantised layer first sees the number of rows that it mostly gets, because it
  keeps oneDNN's primitives for that number alone; oneDNN itself keeps none, as
  others differ in each call by the scale of what is quantised;
- --workers N are N processes, each with a batch of its own, as Heed's threads
  have.

Prints one JSON line: dtype, threads, workers, tokens_per_second, batch_ms,
first_token_ms, peak_rss_bytes (of the first process).

    pytorch_decoding.py [--batch 64] [--beam 1] [--dtype {f32,int8}] [--length 30]
        [--src-len 30] [--vocab 32000] [--seconds 5] [--threads 1] [--workers 1]

With --model it translates standard input instead, lines with one number of words,
to show that the model is the same: DIR is a folder of `heed train --model
transformer --norm post --vocabulary words`. Greedy output ends at </s>, or after
--length words. A beam's hypotheses have --length words each, and are written as
`heed translate --nbest` does: number ||| text ||| log-probability.

    pytorch_decoding.py --model DIR [--beam 1] [--length 30]
"""
import argparse
import dataclasses
import json
import math
import multiprocessing
import os
import statistics
import struct
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

import peak_memory

PAD, UNK, BOS, EOS = range(4)
NEVER = [PAD, BOS, EOS]
VOCABULARY_ROWS = 16  # number of rows that a row of scores is folded into


@dataclasses.dataclass
class Sizes:
    """Sizes of transformer-base."""
    layers: int = 6
    decoder_layers: int = 6
    width: int = 512
    ff: int = 2048
    heads: int = 8
    source_vocab: int = 32000
    target_vocab: int = 32000


def linear(layer, x):
    """layer(x); x [..., M]."""
    if isinstance(layer, nn.Linear) and x.numel() == layer.in_features:
        return torch.addmv(layer.bias, layer.weight, x.view(-1)).view(*x.shape[:-1], -1)
    return layer(x)


def look(query, keys, values):
    """Attends with one query per row: query [R, H, D], keys and values [T, R, H, D]."""
    weights = (keys * query).sum(-1).softmax(0)
    return (weights.unsqueeze(-1) * values).sum(0)


def look_all(query, keys, values):
    """Attends with several queries per row: query [N, T, D], keys and values [N, S, D]."""
    return torch.bmm(torch.bmm(query, keys.transpose(1, 2)).softmax(-1), values)


class Attention(nn.Module):
    """Attention layer; queries, keys and values of self-attention are one matrix."""

    def __init__(self, sizes, cross=False):
        super().__init__()
        width = sizes.width
        if cross:
            self.q, self.kv = nn.Linear(width, width), nn.Linear(width, 2 * width)
        else:
            self.qkv = nn.Linear(width, 3 * width)
        self.output, self.norm = nn.Linear(width, width), nn.LayerNorm(width, 1e-5)
        self.heads, self.features = sizes.heads, width // sizes.heads
        self.scale = 1 / math.sqrt(self.features)

    def add(self, x, context):
        return self.norm(x + linear(self.output, context.reshape(x.shape)))

    def everywhere(self, x):
        """Encoder self-attention; x [B, S, M]."""
        q, k, v = (y.reshape(-1, x.shape[1], self.features) for y in
                   self.qkv(x).unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4))
        context = look_all(q * self.scale, k, v).unflatten(0, (-1, self.heads))
        return self.add(x, context.transpose(1, 2))

    def step(self, x, t, cache):
        """Decoder self-attention at position t; x [R, M], cache [length, R, 2, H, D]."""
        rows = len(x)
        qkv = linear(self.qkv, x).view(rows, 3, self.heads, self.features)
        cache[t, :rows] = qkv[:, 1:]
        keys, values = cache[:t + 1, :rows].unbind(2)
        return self.add(x, look(qkv[:, 0] * self.scale, keys, values))

    def source(self, memory, beam):
        """Returns the keys and values that `ask` reads, of memory [B, S, M]."""
        pairs = self.kv(memory).unflatten(2, (2, self.heads, -1))
        order = (2, 1, 0, 3, 4) if beam == 1 else (2, 0, 3, 1, 4)
        keys, values = pairs.permute(*order).contiguous().unbind(0)
        return (keys, values) if beam == 1 else (keys.flatten(0, 1), values.flatten(0, 1))

    def ask(self, x, source):
        """Cross-attention; x [R, M], R / B rows per sentence."""
        keys, values = source
        q = linear(self.q, x) * self.scale
        if keys.dim() == 4:
            return self.add(x, look(q.view(-1, self.heads, self.features), keys, values))
        rows = x.shape[0] * self.heads // keys.shape[0]
        q = q.view(-1, rows, self.heads, self.features).transpose(1, 2)
        context = look_all(q.reshape(-1, rows, self.features), keys, values)
        return self.add(x, context.unflatten(0, (-1, self.heads)).transpose(1, 2))


class FeedForward(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.inner = nn.Linear(sizes.width, sizes.ff)
        self.out = nn.Linear(sizes.ff, sizes.width)
        self.norm = nn.LayerNorm(sizes.width, 1e-5)

    def forward(self, x):
        return self.norm(x + linear(self.out, F.relu_(linear(self.inner, x))))


class Layer(nn.Module):
    def __init__(self, sizes, cross):
        super().__init__()
        self.self_attention = Attention(sizes)
        if cross:
            self.cross_attention = Attention(sizes, cross=True)
        self.feed_forward = FeedForward(sizes)


class Side(nn.Module):
    """Embeddings and layers of the encoder or the decoder."""

    def __init__(self, sizes, layers, vocab, cross):
        super().__init__()
        self.embedding = nn.Embedding(vocab, sizes.width)
        nn.init.normal_(self.embedding.weight, std=sizes.width ** -0.5)
        self.layers = nn.ModuleList(Layer(sizes, cross) for _ in range(layers))
        self.scale = math.sqrt(sizes.width)

    def embed(self, ids, positions):
        return torch.add(positions, F.embedding(ids, self.embedding.weight), alpha=self.scale)


def sinusoids(length, width):
    """Returns [length, width] sinusoidal positions, sines and cosines alternating."""
    frequency = 10000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angle = torch.arange(length, dtype=torch.float64)[:, None] * frequency
    return torch.stack((angle.sin(), angle.cos()), dim=2).flatten(1).float()


@dataclasses.dataclass
class State:
    sources: list  # keys and values of each layer
    caches: list   # [length, R, 2, H, D] of each layer
    spares: list   # sizes as in caches

    def reorder(self, rows, filled):
        """Row i becomes row rows[i]; `filled` positions are valid."""
        for cache, spare in zip(self.caches, self.spares):
            torch.index_select(cache[:filled], 1, rows, out=spare[:filled])
        self.caches, self.spares = self.spares, self.caches


class Translator(nn.Module):
    def __init__(self, sizes, positions=512):
        super().__init__()
        self.sizes = sizes
        self.encoder = Side(sizes, sizes.layers, sizes.source_vocab, cross=False)
        self.decoder = Side(sizes, sizes.decoder_layers, sizes.target_vocab, cross=True)
        self.decoder.output = nn.Linear(sizes.width, sizes.target_vocab)
        self.decoder.output.weight = self.decoder.embedding.weight
        self.positions = sinusoids(positions, sizes.width)

    def encode(self, source):
        x = self.encoder.embed(source, self.positions[:source.shape[1]])
        for layer in self.encoder.layers:
            x = layer.feed_forward(layer.self_attention.everywhere(x))
        return x

    def start(self, source, beam, length):
        memory = self.encode(source)
        rows, heads = len(source) * beam, self.sizes.heads

        def caches(layers):
            return [torch.empty(length, rows, 2, heads, self.sizes.width // heads)
                    for _ in layers]

        layers = self.decoder.layers
        return State([layer.cross_attention.source(memory, beam) for layer in layers],
                     caches(layers), caches(layers if beam > 1 else ()))

    def step(self, tokens, t, state):
        """Returns scores of the next token: tokens [R], result [R, V]."""
        x = self.decoder.embed(tokens, self.positions[t])
        for layer, source, cache in zip(self.decoder.layers, state.sources, state.caches):
            x = layer.self_attention.step(x, t, cache)
            x = layer.feed_forward(layer.cross_attention.ask(x, source))
        return linear(self.decoder.output, x)


def best(scores, count):
    """topk without order; scores [R, V]."""
    rows, vocab = scores.shape
    if vocab % VOCABULARY_ROWS or vocab < count * VOCABULARY_ROWS:
        return scores.topk(count, sorted=False)
    folded = scores.view(rows, VOCABULARY_ROWS, -1)
    columns = folded.amax(1).topk(count, sorted=False).indices
    found = folded.gather(2, columns.unsqueeze(1).expand(-1, VOCABULARY_ROWS, -1)).flatten(1)
    values, places = found.topk(count, sorted=False)
    of_column = columns.gather(1, places % count)
    return values, places.div(count, rounding_mode="floor") * folded.shape[2] + of_column


@torch.inference_mode()
def greedy(model, source, length, never=NEVER):
    """Decodes greedily; returns tokens [B, length], none of them in NEVER."""
    state = model.start(source, 1, length)
    tokens = torch.full((len(source),), BOS)
    written = []
    for t in range(length):
        scores = model.step(tokens, t, state)
        scores[:, never] = -math.inf
        tokens = best(scores, 1)[1].squeeze(1)
        written.append(tokens)
    return torch.stack(written, dim=1)


def continuations(scores, count):
    """Returns log-probabilities and tokens [R, count] of the best continuations. Overwrites the
    scores."""
    special = scores[:, NEVER]
    scores[:, NEVER] = -math.inf
    values, tokens = best(scores, count)
    greatest = values.amax(1, keepdim=True)
    others = scores.sub_(greatest).exp_().sum(1, keepdim=True).log_() + greatest
    return values - torch.logaddexp(others, special.logsumexp(1, keepdim=True)), tokens


@torch.inference_mode()
def beam_search(model, source, beam, length):
    """Returns tokens [B, beam, length], the last of them </s>, and log-probabilities [B, beam],
    best first."""
    count = len(source)
    state = model.start(source, beam, length)
    tokens = torch.full((count,), BOS)
    total = torch.zeros(count, 1)
    written = tokens.new_empty(length, count)
    first = torch.arange(count).unsqueeze(1)
    for t in range(length - 1):
        values, ids = continuations(model.step(tokens, t, state), beam)
        present = total.shape[1]
        total, picked = (values + total.view(-1, 1)).view(count, -1).topk(beam)
        rows = (first * present + picked.div(beam, rounding_mode="floor")).flatten()
        tokens = ids.view(count, -1).gather(1, picked).flatten()
        state.reorder(rows, t + 1)
        written = written[:, rows]
        written[t] = tokens
    scores = model.step(tokens, length - 1, state)
    total += (scores[:, EOS] - scores.logsumexp(1)).view_as(total)
    written[-1] = EOS
    total, order = total.sort(1, descending=True)
    written = written.T.view(count, -1, length)
    return written.gather(1, order.unsqueeze(2).expand_as(written)), total


def translate(model, source, beam, length):
    if beam == 1:
        return greedy(model, source, length)
    return beam_search(model, source, beam, length)


@torch.inference_mode()
def quantized(model, source, beam):
    """Returns the model with int8 weights and inputs in linear layers, warmed up for such a
    source."""
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "0")
    model = torch.quantization.quantize_dynamic(model, {nn.Linear}, dtype=torch.qint8)
    model.step(torch.full((len(source) * beam,), BOS), 0, model.start(source, beam, 1))
    return model


def read_safetensors(path):
    """Yields names and tensors of an f32 file."""
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        data = bytearray(file.read())
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            yield name, torch.frombuffer(data, dtype=torch.float32, count=(end - begin) // 4,
                                         offset=begin).view(entry["shape"])


def read_model(folder):
    """Reads a Transformer of the kind above that `heed train` wrote."""
    with open(f"{folder}/config.json", encoding="utf-8") as file:
        config = json.load(file)
    needed = {"norm": "post", "activation": "relu", "position": "sinusoidal", "tie": "output",
              "embedding_scale": "yes", "norm_epsilon": 1e-5}
    for key, value in needed.items():
        if config[key] != value:
            raise ValueError(f"{folder}: {key} is {config[key]}, but must be {value}")
    weights = {}
    for name, tensor in read_safetensors(f"{folder}/model.safetensors"):
        name = name.replace("norm.gain", "norm.weight").replace("forward.in.", "forward.inner.")
        transposed = tensor.dim() == 2 and not name.endswith("embedding.weight")
        weights[name] = tensor.T if transposed else tensor
    weights["decoder.output.weight"] = weights["decoder.embedding.weight"]
    model = Translator(Sizes(
        config["layers"], config["decoder_layers"], config["width"], config["ff"],
        config["heads"], len(weights["encoder.embedding.weight"]),
        len(weights["decoder.embedding.weight"])))
    model.load_state_dict(weights)
    return model.eval()


def times(work, seconds):
    """Returns the time of each call after a first one; at least three calls."""
    work()
    results = []
    begin = time.perf_counter()
    while len(results) < 3 or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        work()
        results.append(time.perf_counter() - start)
    return results


def by_each(workers, work):
    """Returns the result of work() of `workers` simultaneous processes."""
    if workers == 1:
        return [work()]
    context = multiprocessing.get_context("fork")
    ends = []
    for _ in range(workers):
        receiver, sender = context.Pipe(duplex=False)
        context.Process(target=lambda end=sender: end.send(work())).start()
        sender.close()  # so that recv fails if the process does
        ends.append(receiver)
    return [end.recv() for end in ends]


def measure(options):
    """Returns the output of main."""
    torch.set_flush_denormal(True)  # before there are threads, which inherit it
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    model = Translator(Sizes(source_vocab=options.vocab, target_vocab=options.vocab)).eval()
    source = torch.randint(EOS + 1, options.vocab, (options.batch, options.src_len))
    source[:, -1] = EOS
    if options.dtype == "int8":
        model = quantized(model, source, options.beam)

    def seconds(length, limit):
        return statistics.median(
            times(lambda: translate(model, source, options.beam, length), limit))

    peak_memory.reset()
    batches = by_each(options.workers, lambda: seconds(options.length, options.seconds))
    return {"dtype": options.dtype, "threads": options.threads, "workers": options.workers,
            "tokens_per_second": sum(options.batch * options.length / s for s in batches),
            "batch_ms": 1e3 * statistics.median(batches),
            "first_token_ms": 1e3 * seconds(1, options.seconds / 5),
            "peak_rss_bytes": peak_memory.peak()}


def read_words(folder, side):
    with open(f"{folder}/{side}.vocabulary.txt", encoding="utf-8") as file:
        return file.read().removesuffix("normalization nfc\n").split("\n")[:-1]


def write_translations(options):
    """Translates lines; see --model above."""
    model = read_model(options.model)
    ids = {word: i for i, word in enumerate(read_words(options.model, "source"))}
    words = read_words(options.model, "target")
    source = torch.tensor([[ids.get(word, UNK) for word in line.split()] + [EOS]
                           for line in sys.stdin])

    def text(tokens):
        return " ".join(words[token] for token in tokens)

    if options.beam == 1:
        for tokens in greedy(model, source, options.length, never=[PAD, BOS]).tolist():
            print(text(tokens[:tokens.index(EOS)] if EOS in tokens else tokens))
        return
    tokens, scores = beam_search(model, source, options.beam, options.length + 1)
    for i, (hypotheses, of_them) in enumerate(zip(tokens.tolist(), scores.tolist())):
        for hypothesis, score in zip(hypotheses, of_them):
            print(f"{i} ||| {text(hypothesis[:-1])} ||| {score:.6f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in (("batch", 64), ("beam", 1), ("length", 30), ("src-len", 30),
                        ("vocab", 32000), ("threads", 1), ("workers", 1)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--dtype", choices=("f32", "int8"), default="f32")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--model", metavar="DIR", help="translate standard input")
    options = parser.parse_args()
    if options.model:
        write_translations(options)
    else:
        print(json.dumps(measure(options)))


if __name__ == "__main__":
    main()
