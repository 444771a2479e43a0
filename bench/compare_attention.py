#!/usr/bin/python3
"""heed bench attention, PyTorch and ONNX Runtime in alternation.

How they run: see peers.py. Each peer gets the better of one and two threads, and
PyTorch the better of its scaled_dot_product_attention and of single operations.
Packages: python3-torch libopenblas0-openmp nodejs npm, and `npm install` in
bench/onnxruntime.

    bench/compare_attention.py [--rounds 5] [--seconds 1] [--only REGEX]
                               [--heed build/release/heed] [--json FILE] [--write]
                               [--peer-root DIR]

--write puts the tables into docs/explanation/performance.md, between the comments
`attention figures: begin` and `...: end`.
"""
import peers
from peers import cell, median, ratio


def dot(batch, heads, length, **more):
    return {"score": "scaled_dot", "batch": batch, "heads": heads, "length": length,
            "keys": length, "dim": 64, "dtype": "f32", **more}


ADDITIVE = {"score": "additive", "batch": 64, "heads": 1, "length": 16, "keys": 30,
            "dim": 512, "dtype": "f32"}

CASES = {
    "8×8 heads × 512": dot(8, 8, 512),
    "8 heads × 2048": dot(1, 8, 2048),
    "2 heads × 8192": dot(1, 2, 8192),
    "8×8 heads × 512, with backward": dot(8, 8, 512, backward=True),
    "8 heads × 2048, with backward": dot(1, 8, 2048, backward=True),
    "2 heads × 8192, with backward": dot(1, 2, 8192, backward=True),
    "8×8 heads × 512, bf16": dot(8, 8, 512, dtype="bf16"),
    "8 heads × 2048, bf16": dot(1, 8, 2048, dtype="bf16"),
    "2 heads × 8192, bf16": dot(1, 2, 8192, dtype="bf16"),
    "8 heads × 2048, causal": dot(1, 8, 2048, mask="causal"),
    "2 heads × 8192, window(256)": dot(1, 2, 8192, mask="window(256)"),
    "additive, 64 × 16 × 30 × 512": ADDITIVE,
    "additive, 64 × 16 × 30 × 512, with backward": dict(ADDITIVE, backward=True),
    "one query, 8 heads × 16384 keys": dot(1, 8, 1, keys=16384),
    "graph of 2708 nodes, 5 neighbours, 8×8, with backward": {
        "score": "graph", "batch": 1, "heads": 8, "length": 2708, "keys": 2708, "dim": 8,
        "mask": "adjacency(5)", "dtype": "f32", "backward": True},
    "1 head × 65536, with backward": dot(1, 1, 65536, backward=True),
}


def contenders(options):
    threads = [["--threads", str(n), "--seconds", str(options.seconds)] for n in (1, 2)]
    script = str(peers.BENCH / "onnxruntime" / "attention.mjs")
    return [peers.Contender("Heed", [options.heed, "bench", "attention", "--json"]),
            peers.pytorch(options, "pytorch_attention.py",
                          [["--form", form, *more] for form in ("fused", "plain")
                           for more in threads]),
            peers.Contender("ONNX Runtime", ["node", script], threads)]


def of_the_limit(record):
    return max(record["fraction"],
               record["gbytes_per_second"] / record["limit_gbytes_per_second"])


def row(records, name, others):
    runs = peers.fastest(records, name, "Heed")
    ms, extra = (median(runs, key) for key in ("ms", "peak_extra_bytes"))
    cells = [name, cell("{:.2f}", ms), cell("{:.0%}", median(runs, of_the_limit)),
             cell("{:.1f}", extra and extra / 1e6)]
    for other in others:
        theirs = median(peers.fastest(records, name, other), "ms")
        faster = ratio(theirs, ms)
        cells.append(cell("{:.2f}", theirs) + (f" ({faster:.1f} ×)" if faster else ""))
    return cells


def tables(records, others):
    heads = ["ms (Heed is so many times faster)", "Heed", "of the limit", "extra MB", *others]
    rows = [row(records, name, others) for name in peers.ran(CASES, records)]
    return peers.table(heads, rows)


def main():
    parser = peers.parser(__doc__, page="attention")
    parser.add_argument("--seconds", type=float, default=1, help="of each peer's run")
    options = peers.parse(parser)
    all_of_them = contenders(options)
    records = peers.run_in_turn(CASES, all_of_them, options)
    peers.finish(options, records, tables(records, [c.name for c in all_of_them[1:]]))


if __name__ == "__main__":
    main()
