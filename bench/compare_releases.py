#!/usr/bin/python3
"""heed bench of two releases of Debian in alternation; prints a Markdown table.

How they run: see peers.py. The other release's command was built and runs in the
system below a folder (by chroot, as root), with its compiler and its oneDNN.

    bench/compare_releases.py --peer-root DIR --peer-heed PATH [--rounds 5]
                              [--only REGEX] [--heed build/release/heed]
                              [--json FILE]

PATH is the command's inside DIR.
"""
import peers
from peers import cell, median, ratio


def attention(**more):
    return {"what": "attention", "score": "scaled_dot", "dim": 64, **more}


CASES = {}
for model in ("bahdanau", "luong", "transformer-tiny", "transformer-base"):
    for precision in ("f32", "bf16"):
        CASES[f"training {model}, {precision}"] = {
            "what": "train", "model": model, "precision": precision}
for dtype in ("f32", "bf16"):
    sizes = {"batch": 1, "heads": 8, "length": 2048, "keys": 2048, "dtype": dtype}
    CASES[f"attention 8 heads × 2048, {dtype}"] = attention(**sizes)
    CASES[f"attention 8 heads × 2048, {dtype}, with backward"] = attention(**sizes, backward=True)
for dtype in ("f32", "int8"):
    CASES[f"decoding batch 64, beam 1, {dtype}"] = {
        "what": "decode", "model": "transformer-base", "batch": 64, "beam": 1, "dtype": dtype,
        "src-len": 30, "length": 30, "vocab": 32000}


def row(records, name, contenders):
    rates = []
    for contender in contenders:
        runs = [record for record in records
                if (record["case"], record["contender"]) == (name, contender)]
        rates.append(median(runs, lambda run: run.get("tokens_per_second") or 1e3 / run["ms"]))
    return [name, *(cell("{:,.1f}", rate) for rate in rates),
            cell("{:.2f} ×", ratio(rates[1], rates[0]))]


def main():
    parser = peers.parser(__doc__)
    parser.add_argument("--peer-heed", required=True, metavar="PATH",
                        help="the other system's command, a path in it")
    options = peers.parse(parser)
    if not options.peer_root:
        parser.error("--peer-root names the other system")
    bench = [(peers.release(), [options.heed]),
             (peers.release(options.peer_root),
              peers.in_root(options.peer_root) + [options.peer_heed])]
    contenders = [peers.Contender(f"Heed, {name}", command + ["bench"])
                  for name, command in bench]
    records = peers.run_in_turn(CASES, contenders, options)
    names = [contender.name for contender in contenders]
    rows = [row(records, name, names) for name in peers.ran(CASES, records)]
    heads = ["tokens or calls per second", *(name for name, _ in bench), "ratio"]
    peers.finish(options, records, peers.table(heads, rows))


if __name__ == "__main__":
    main()
