#!/usr/bin/python3
"""heed bench train and PyTorch in alternation; prints a Markdown table.

How they run, and the packages that PyTorch needs: see peers.py.

    bench/compare_training.py [--rounds 5] [--only REGEX] [--json FILE] [--write]
                              [--heed build/release/heed]
"""
import peers
from peers import cell, median, ratio

SIZES = {"batch": 64, "src-len": 16, "tgt-len": 16, "vocab": 8000}
MODELS = ("bahdanau", "luong", "transformer-tiny", "transformer-base")
CASES = {model: {"model": model, **SIZES} for model in MODELS}


def row(records, model):
    pytorch, f32, bf16 = (
        peers.fastest(records, model, name, peers.seconds_per_token)
        for name in ("PyTorch", "Heed f32", "Heed bf16"))
    peer, plain, half = (median(runs, "tokens_per_second") for runs in (pytorch, f32, bf16))
    floor = median(f32, lambda run: run["floor_ms"] / run["ms_per_step"])
    return [model, cell("{:.0f}", peer), cell("{:.0f}", plain),
            cell("{:.2f}", ratio(plain, peer)), cell("{:.0%}", floor),
            cell("{:.0f}", half), cell("{:.2f}", ratio(half, plain))]


def main():
    options = peers.parse(peers.parser(__doc__, "training"))
    heed = [options.heed, "bench", "train", "--json", "--precision"]
    records = peers.run_in_turn(CASES, [
        peers.pytorch("pytorch_models.py", [["--threads", "1"], ["--threads", "2"]]),
        peers.Contender("Heed f32", heed + ["f32"]),
        peers.Contender("Heed bf16", heed + ["bf16"])], options)
    heads = ["model", "PyTorch tok/s", "Heed f32 tok/s", "ratio", "of the floor",
             "Heed bf16 tok/s", "bf16 / f32"]
    rows = [row(records, model) for model in peers.ran(CASES, records)]
    peers.finish(options, records, peers.table(heads, rows))


if __name__ == "__main__":
    main()
