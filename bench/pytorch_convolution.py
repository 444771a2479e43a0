#!/usr/bin/python3
"""Time of a convolution in PyTorch on a case of `heed bench convolution`.

Takes the same options. Images and weights are channels_last, which is faster on CPUs;
bf16 is bf16 tensors. Prints one JSON line: ms (the median) and min_ms.

    pytorch_convolution.py [--batch 64] [--size 56] [--channels 64] [--filters 64]
                           [--window 3] [--stride 1] [--dtype f32] [--backward]
                           [--threads 2] [--seconds 2]

Tuned as its users would: OMP_WAIT_POLICY=passive on a machine that others use.
"""
import argparse
import json
import statistics
import time

import torch


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("batch", 64), ("size", 56), ("channels", 64), ("filters", 0),
                          ("window", 3), ("stride", 1), ("threads", 0)):
        parser.add_argument("--" + name, type=int, default=default)
    parser.add_argument("--dtype", default="f32")
    parser.add_argument("--backward", action="store_true")
    parser.add_argument("--seconds", type=float, default=2)
    o = parser.parse_args()
    if o.threads:
        torch.set_num_threads(o.threads)
    dtype = {"f32": torch.float32, "bf16": torch.bfloat16}[o.dtype]
    torch.manual_seed(1)
    layer = torch.nn.Conv2d(o.channels, o.filters or o.channels, o.window, o.stride, o.window // 2)
    layer = layer.to(dtype).to(memory_format=torch.channels_last)
    x = torch.rand(o.batch, o.channels, o.size, o.size).to(dtype)
    x = x.to(memory_format=torch.channels_last).requires_grad_(o.backward)
    dy = torch.ones_like(layer(x)).contiguous(memory_format=torch.channels_last)

    def once():
        if not o.backward:
            with torch.no_grad():
                layer(x)
            return
        x.grad = None
        layer.zero_grad(set_to_none=True)
        layer(x).backward(dy)

    once()
    times, begin = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begin < o.seconds:
        start = time.perf_counter()
        once()
        times.append(time.perf_counter() - start)
    print(json.dumps({"torch": torch.__version__, "threads": torch.get_num_threads(),
                      "ms": 1e3 * statistics.median(times), "min_ms": 1e3 * min(times)}))


if __name__ == "__main__":
    main()
