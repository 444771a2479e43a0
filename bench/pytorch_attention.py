#!/usr/bin/python3
"""Time of attention in PyTorch on a case of `heed bench attention`.

Takes the same options. The fused form is scaled_dot_product_attention, which on
CPUs is a flash attention since PyTorch 2.2. The plain form is written so that it
favours PyTorch: the heads are split already ([B*H, T, D]), the mask is made
before, and forward alone takes the softmax in place. Additive scores have the
plain form alone. Prints one JSON line: ms (the median) and min_ms, or skipped,
which says why it can't run the case.

    pytorch_attention.py [--score scaled_dot] [--heads 8] [--batch 1]
                         [--length 512] [--keys 512] [--dim 64] [--mask causal]
                         [--dtype f32] [--backward] [--threads 2] [--seconds 1]
                         [--form {fused,plain}]
"""
import argparse
import json
import math
import re
import statistics
import time

try:
    import torch
    from torch.nn import functional
    DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
except ImportError:
    torch = None

BYTES = {"f32": 4, "bf16": 2}


class Skipped(Exception):
    """PyTorch cannot run this case; the text gives the reason."""


def additive_mask(text, length, keys):
    """Returns 0 at visible keys, else -inf; None without a mask."""
    if not text:
        return None
    window = re.fullmatch(r"window\((\d+)\)", text)
    if text != "causal" and not window:
        raise Skipped(f"pytorch_attention.py has no mask {text}")
    may = torch.ones(length, keys, dtype=torch.bool).tril(int(window[1]) // 2 if window else 0)
    if window:
        may = may.triu(-(int(window[1]) // 2))
    return torch.zeros(length, keys).masked_fill(~may, -math.inf)


def softmax(scores):
    if torch.is_grad_enabled():
        return scores.softmax(-1)
    return torch.softmax(scores, -1, out=scores)


def scaled_dot(options):
    """softmax(q k^T / sqrt(D) + mask) v; q [B*H,T,D], k and v [B*H,S,D]."""
    rows = options.batch * options.heads
    mask = additive_mask(options.mask, options.length, options.keys)
    scale = 1 / math.sqrt(options.dim)

    def attend(q, k, v):
        if mask is None:
            scores = torch.bmm(q * scale, k.transpose(1, 2))
        else:
            scores = torch.baddbmm(mask.to(q.dtype), q, k.transpose(1, 2), alpha=scale)
        return torch.bmm(softmax(scores), v)

    keys = (rows, options.keys, options.dim)
    return attend, [(rows, options.length, options.dim), keys, keys]


def fused(options):
    """Computes attention by one call; q [B,H,T,D], k and v [B,H,S,D]."""
    attention = getattr(functional, "scaled_dot_product_attention", None)
    if attention is None:
        return scaled_dot(options)  # before 2.0
    causal = options.mask == "causal"
    mask = None if causal else additive_mask(options.mask, options.length, options.keys)
    if mask is not None:
        mask = mask.to(DTYPES[options.dtype])

    def attend(q, k, v):
        return attention(q, k, v, attn_mask=mask, is_causal=causal)

    keys = (options.batch, options.heads, options.keys, options.dim)
    return attend, [(options.batch, options.heads, options.length, options.dim), keys, keys]


def additive(options):
    """softmax(w^T tanh(q + k)) v; q [B,T,A], k and v [B,S,A], w [A]."""
    if options.heads != 1 or options.mask:
        raise Skipped("pytorch_attention.py runs additive scores with one head and no mask")

    def attend(q, k, v, w):
        hidden = (q.unsqueeze(2) + k.unsqueeze(1)).tanh_()
        return torch.bmm(softmax(hidden.matmul(w)), v)

    keys = (options.batch, options.keys, options.dim)
    return attend, [(options.batch, options.length, options.dim), keys, keys, (options.dim,)]


SCORES = {"scaled_dot": scaled_dot, "additive": additive}


def runs_fused(options):
    return options.form == "fused" and options.score == "scaled_dot"


def require_memory(options):
    """Skips cases that do not fit into memory. Forward holds the scores, and with a mask their
    initial values. Backward holds scores, weights and the gradients of both. From PyTorch 2.2
    on, the fused form holds none of them without a mask."""
    flash = runs_fused(options) and tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 2)
    if flash and options.mask in ("", "causal"):
        return
    matrix = options.batch * options.heads * options.length * options.keys
    if options.score == "additive":
        matrix *= options.dim
    need = matrix * BYTES[options.dtype] * (5 if options.backward else 2)
    with open("/proc/meminfo", encoding="ascii") as file:
        have = 1024 * int(re.search(r"MemAvailable: +(\d+)", file.read())[1])
    if need > have:
        raise Skipped(f"would need about {need / 1e9:.0f} GB of memory, of which "
                      f"{have / 1e9:.0f} GB are free")


def call(options):
    """Returns the function to measure, with its inputs."""
    form = fused if runs_fused(options) else SCORES[options.score]
    attend, shapes = form(options)
    dtype = DTYPES[options.dtype]
    inputs = [torch.randn(shape).to(dtype).requires_grad_(options.backward) for shape in shapes]
    if not options.backward:
        return lambda: attend(*inputs)
    gradient = torch.randn(shapes[0]).to(dtype)

    def forward_backward():
        for leaf in inputs:
            leaf.grad = None
        attend(*inputs).backward(gradient)

    return forward_backward


def measure(function, seconds):
    times = []
    function()
    function()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        begin = time.perf_counter()
        function()
        times.append(1e3 * (time.perf_counter() - begin))
    return {"ms": statistics.median(times), "min_ms": min(times)}


def run(options):
    if torch is None:
        raise Skipped("PyTorch is not installed (Debian's package python3-torch)")
    if options.score not in SCORES:
        raise Skipped(f"pytorch_attention.py has no score {options.score}")
    require_memory(options)
    torch.set_flush_denormal(True)  # before there are threads, which inherit it
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    with torch.set_grad_enabled(options.backward):
        return measure(call(options), options.seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--score", default="scaled_dot")
    for name, value in (("heads", 8), ("batch", 1), ("length", 512), ("keys", 512),
                        ("dim", 64), ("threads", 2)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--mask", default="")
    parser.add_argument("--dtype", choices=tuple(BYTES), default="f32")
    parser.add_argument("--form", choices=("fused", "plain"), default="fused")
    parser.add_argument("--backward", action="store_true")
    parser.add_argument("--seconds", type=float, default=1)
    try:
        result = run(parser.parse_args())
    except Skipped as reason:
        result = {"skipped": str(reason)}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
