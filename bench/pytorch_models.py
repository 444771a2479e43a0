#!/usr/bin/env python3
"""Training speed of PyTorch on the models of `heed bench train`.

Same sizes and the same work: Adam, clipping to norm 1, random ids of fixed
length. Prints one JSON line: model, threads, tokens_per_second, ms_per_step,
peak_rss_bytes.

    pytorch_models.py [--model {bahdanau,luong,transformer-tiny,transformer-base}]
        [--batch 64] [--src-len 16] [--tgt-len 16] [--vocab 8000] [--steps 8]
        [--threads 2] [--precision {f32,bf16}]

bf16 is autocast, with the loss in f32.
"""
import argparse
import json
import statistics
import time

import torch
from torch import nn

import peak_memory

SIZE = 512


class BahdanauStep(nn.Module):
    """Additive attention with the previous state as query, then a GRU cell."""

    def __init__(self):
        super().__init__()
        self.query = nn.Linear(SIZE, SIZE, bias=False)
        self.score = nn.Linear(SIZE, 1, bias=False)
        self.cell = nn.GRUCell(3 * SIZE, SIZE)

    def forward(self, word, state, keys, values):
        energy = self.score(torch.tanh(keys + self.query(state).unsqueeze(1)))
        weights = energy.squeeze(2).softmax(dim=1)
        context = torch.einsum("bs,bsd->bd", weights, values)
        return self.cell(torch.cat((word, context), dim=1), state), context


class Bahdanau(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.source = nn.Embedding(vocab, SIZE)
        self.target = nn.Embedding(vocab, SIZE)
        self.encoder = nn.GRU(SIZE, SIZE, bidirectional=True, batch_first=True)
        self.start = nn.Linear(SIZE, SIZE)
        self.key = nn.Linear(2 * SIZE, SIZE)
        self.step = BahdanauStep()
        self.readout = nn.Linear(4 * SIZE, SIZE)
        self.output = nn.Linear(SIZE, vocab)

    def forward(self, source, target):
        values, last = self.encoder(self.source(source))
        keys = self.key(values)
        state = torch.tanh(self.start(last[1]))
        words = self.target(target)
        seen = []
        for word in words.unbind(dim=1):
            state, context = self.step(word, state, keys, values)
            seen.append(torch.cat((state, word, context), dim=1))
        return self.output(torch.tanh(self.readout(torch.stack(seen, dim=1))))


class Luong(nn.Module):
    """Two LSTM layers on both sides, general score, input feeding."""

    def __init__(self, vocab):
        super().__init__()
        self.source = nn.Embedding(vocab, SIZE)
        self.target = nn.Embedding(vocab, SIZE)
        self.encoder = nn.LSTM(SIZE, SIZE, num_layers=2, batch_first=True)
        self.cells = nn.ModuleList([nn.LSTMCell(2 * SIZE, SIZE), nn.LSTMCell(SIZE, SIZE)])
        self.key = nn.Linear(SIZE, SIZE, bias=False)
        self.attentional = nn.Linear(2 * SIZE, SIZE)
        self.output = nn.Linear(SIZE, vocab)

    def forward(self, source, target):
        values, (hidden, cell) = self.encoder(self.source(source))
        states = list(zip(hidden.unbind(0), cell.unbind(0)))
        keys = self.key(values)
        feed = values.new_zeros(values.shape[0], SIZE)
        outputs = []
        for word in self.target(target).unbind(dim=1):
            x = torch.cat((word, feed), dim=1)
            for layer, unit in enumerate(self.cells):
                states[layer] = unit(x, states[layer])
                x = states[layer][0]
            weights = torch.einsum("bsd,bd->bs", keys, x).softmax(dim=1)
            context = torch.einsum("bs,bsd->bd", weights, values)
            feed = torch.tanh(self.attentional(torch.cat((context, x), dim=1)))
            outputs.append(feed)
        return self.output(torch.stack(outputs, dim=1))


class Transformer(nn.Module):
    """Layers of PyTorch, with one embedding table for both sides and the output."""

    def __init__(self, vocab, layers, width, inner, heads):
        super().__init__()
        self.words = nn.Embedding(vocab, width)
        self.layers = nn.Transformer(width, heads, layers, layers, inner, dropout=0.1,
                                     batch_first=True)
        self.scale = width ** 0.5

    def forward(self, source, target):
        causal = self.layers.generate_square_subsequent_mask(target.shape[1])
        states = self.layers(self.words(source) * self.scale, self.words(target) * self.scale,
                             tgt_mask=causal)
        return nn.functional.linear(states, self.words.weight)


MODELS = {
    "bahdanau": Bahdanau,
    "luong": Luong,
    "transformer-tiny": lambda vocab: Transformer(vocab, 4, 128, 256, 4),
    "transformer-base": lambda vocab: Transformer(vocab, 6, 512, 2048, 8),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=MODELS, default="bahdanau")
    for name, value in (("batch", 64), ("src-len", 16), ("tgt-len", 16),
                        ("vocab", 8000), ("steps", 8), ("threads", 2)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--precision", choices=("f32", "bf16"), default="f32")
    options = parser.parse_args()
    torch.set_flush_denormal(True)  # before there are threads, which inherit it
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    model = MODELS[options.model](options.vocab)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    criterion = nn.CrossEntropyLoss()

    def ids(length):
        return torch.randint(options.vocab, (options.batch, length))

    times = []
    peak_memory.reset()
    for step in range(options.steps + 2):
        source, target, gold = ids(options.src_len), ids(options.tgt_len), ids(options.tgt_len)
        begin = time.perf_counter()
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=options.precision == "bf16"):
            scores = model(source, target)
        criterion(scores.float().flatten(0, 1), gold.flatten()).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step >= 2:
            times.append(time.perf_counter() - begin)
    seconds = statistics.median(times)
    print(json.dumps({"model": options.model, "threads": options.threads,
                      "precision": options.precision,
                      "tokens_per_second": options.batch * options.tgt_len / seconds,
                      "ms_per_step": 1e3 * seconds,
                      "peak_rss_bytes": peak_memory.peak()}))


if __name__ == "__main__":
    main()
