#!/usr/bin/env python3
"""An epoch of a graph attention network in dense PyTorch: pytorch_graph.py FOLDER [EPOCHS]

Times the network of `heed bench nodes` (Veličković et al. 2018: 8 heads of 8, one output
head, dropout 0.6 of inputs, weights and values, Adam, L2). Scores are masked [N, N] matrices,
as in the authors' dense code. Features are a dense matrix or, with --sparse, a sparse PyTorch
matrix. FOLDER has edges.tsv, features.txt, labels.txt and train.idx. Prints the median times
of forward, backward and update, in milliseconds."""

import pathlib
import statistics
import sys
import time

import torch
from torch.nn import functional

HEADS, UNITS, DROPOUT, L2, RATE = 8, 8, 0.6, 5e-4, 5e-3


def read(folder, sparse):
    lines = (folder / "features.txt").read_text().split("\n")[:-1]
    rows = [[int(word) for word in line.split()] for line in lines]
    count = max(max(row, default=0) for row in rows) + 1
    x = torch.zeros(len(rows), count)
    for i, row in enumerate(rows):
        x[i, row] = 1 / max(1, len(row))
    may = torch.eye(len(rows), dtype=torch.bool)
    for line in (folder / "edges.tsv").read_text().split("\n")[:-1]:
        u, v = (int(word) for word in line.split())
        may[u, v] = may[v, u] = True
    labels = (folder / "labels.txt").read_text().split()
    classes = sorted(set(labels) - {"?"})
    y = torch.tensor([classes.index(name) if name != "?" else -1 for name in labels])
    train = torch.tensor([int(word) for word in (folder / "train.idx").read_text().split()])
    return x.to_sparse().coalesce() if sparse else x, may, y, train, len(classes)


class Layer(torch.nn.Module):
    def __init__(self, inputs, heads, units):
        super().__init__()
        self.heads, self.units = heads, units
        self.weight = torch.nn.Parameter(torch.empty(inputs, heads * units))
        self.query = torch.nn.Parameter(torch.empty(heads, units))
        self.key = torch.nn.Parameter(torch.empty(heads, units))
        for parameter in (self.weight, self.query, self.key):
            torch.nn.init.xavier_uniform_(parameter)
        self.query_bias = torch.nn.Parameter(torch.zeros(heads, 1))
        self.key_bias = torch.nn.Parameter(torch.zeros(heads, 1))
        self.bias = torch.nn.Parameter(torch.zeros(heads * units))

    def forward(self, x, may):
        if x.is_sparse:
            values = functional.dropout(x.values(), DROPOUT)
            h = torch.sparse.mm(torch.sparse_coo_tensor(x.indices(), values, x.shape,
                                                        is_coalesced=True), self.weight)
        else:
            h = functional.dropout(x, DROPOUT) @ self.weight
        h = h.view(len(may), self.heads, self.units)
        query = torch.einsum("nhd,hd->hn", h, self.query) + self.query_bias
        key = torch.einsum("nhd,hd->hn", h, self.key) + self.key_bias
        e = functional.leaky_relu(query[:, :, None] + key[:, None, :], 0.2)
        a = torch.softmax(e.masked_fill(~may, float("-inf")), dim=-1)
        a = functional.dropout(a, DROPOUT)
        values = functional.dropout(h, DROPOUT).transpose(0, 1)
        return (a @ values).transpose(0, 1).reshape(len(may), -1) + self.bias


def main():
    words = [word for word in sys.argv[1:] if word != "--sparse"]
    x, may, y, train, classes = read(pathlib.Path(words[0]), "--sparse" in sys.argv)
    epochs = int(words[1]) if len(words) > 1 else 10
    torch.manual_seed(1)
    first, second = Layer(x.shape[1], HEADS, UNITS), Layer(HEADS * UNITS, 1, classes)
    parameters = [*first.parameters(), *second.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=RATE, weight_decay=L2)
    times = []
    for _ in range(epochs):
        start = time.perf_counter()
        optimizer.zero_grad()
        logits = second(functional.elu(first(x, may)), may)
        functional.cross_entropy(logits[train], y[train]).backward()
        optimizer.step()
        times.append(1000 * (time.perf_counter() - start))
    print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads, "
          f"{sum(p.numel() for p in parameters)} parameters: "
          f"{statistics.median(times):.1f} ms an epoch")


if __name__ == "__main__":
    main()
