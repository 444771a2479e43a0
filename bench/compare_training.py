#!/usr/bin/python3
"""heed bench train and PyTorch in alternation; prints a Markdown table.

How they run: see peers.py. In bf16 PyTorch runs under its autocast. Packages:
python3-torch libopenblas0-openmp.

    bench/compare_training.py [--rounds 5] [--only REGEX] [--json FILE] [--write]
                              [--heed build/release/heed] [--peer-root DIR]
"""
import peers
from peers import cell, median, ratio

SIZES = {"batch": 64, "src-len": 16, "tgt-len": 16, "vocab": 8000}
MODELS = ("bahdanau", "luong", "transformer-tiny", "transformer-base")
PRECISIONS = ("f32", "bf16")
CASES = {model: {"model": model, **SIZES} for model in MODELS}


def row(records, model):
    cells = [model]
    for precision in PRECISIONS:
        peer, heed = (peers.fastest(records, model, f"{name} {precision}",
                                    peers.seconds_per_token) for name in ("PyTorch", "Heed"))
        rates = [median(runs, "tokens_per_second") for runs in (peer, heed)]
        floor = median(heed, lambda run: run["floor_ms"] / run["ms_per_step"])
        cells += [*(cell("{:,.0f}", rate) for rate in rates),
                  cell("{:.1f} ×", ratio(rates[1], rates[0])), cell("{:.0%}", floor)]
    return cells


def memory_row(records, model):
    """Returns a row with the peak resident memory of the fastest variants."""
    cells = [model]
    for precision in PRECISIONS:
        runs = [peers.fastest(records, model, f"{name} {precision}", peers.seconds_per_token)
                for name in ("PyTorch", "Heed")]
        peaks = [median(of_one, lambda run: run["peak_rss_bytes"] / 1e6) for of_one in runs]
        cells += [*(cell("{:,.0f}", peak) for peak in peaks),
                  cell("{:.2f} ×", ratio(peaks[1], peaks[0]))]
    return cells


def main():
    options = peers.parse(peers.parser(__doc__, "training"))
    contenders = []
    for precision in PRECISIONS:
        of_it = ["--precision", precision]
        contenders += [
            peers.pytorch(options, "pytorch_models.py",
                          [["--threads", n, *of_it] for n in "12"], f"PyTorch {precision}"),
            peers.Contender(f"Heed {precision}",
                            [options.heed, "bench", "train", "--json", *of_it])]
    records = peers.run_in_turn(CASES, contenders, options)
    heads = ["target tokens per second"]
    for precision in PRECISIONS:
        heads += [f"PyTorch {precision}", f"Heed {precision}", "ratio", "of the floor"]
    ran = peers.ran(CASES, records)
    memory = ["resident at the peak of a step, MB"]
    for precision in PRECISIONS:
        memory += [f"PyTorch {precision}", f"Heed {precision}", "Heed of PyTorch's"]
    peers.finish(options, records, "\n\n".join([
        peers.table(heads, [row(records, model) for model in ran]),
        peers.table(memory, [memory_row(records, model) for model in ran])]))


if __name__ == "__main__":
    main()
