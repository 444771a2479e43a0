#!/usr/bin/env python3
"""Writes attention_sum.safetensors, of one hop, and attention_sum_hops.safetensors and
attention_sum_same.safetensors, of three: what readers of passages compute, by PyTorch in f64.

The model is written here from Kadlec et al. 2016 (arXiv:1603.01547, equations 1 to 3), the
query of the next hop from Sukhbaatar et al. 2015 (arXiv:1503.08895, equation 4) and, but for
"same", a passage that is read again from Dhingra et al. 2016 (arXiv:1606.01549), question by
question without any padding, with plain tensor operations; nothing is taken from Heed but the
names and layouts of parameters (weights are [in, out], gates of a GRU stand side by side:
r z n). The files hold parameter.NAME, gradient.NAME, the probabilities of the answers, the
attention of each hop and the loss.

Run it in this folder: python3 make_golden_reading.py
"""

import torch
from make_golden import Parameters, write_safetensors
from make_golden_han import both_ways
from make_golden_visits import linear

WORDS, M, H = 9, 4, 3
# Words of the passage, words of the question, candidate index of each passage word (−1:
# none), answer.
QUESTIONS = [
    ([4, 7, 2, 4, 8, 2, 7], [5, 1], [0, 1, -1, 0, 2, -1, 1], 1),
    ([6, 3], [3, 3, 8], [0, 1], 0),
    ([1, 5, 1, 5, 6], [7], [0, 0, 0, 1, 2], 2),
]
ANSWERS = 3


def last_states(states, size):
    return torch.cat([states[-1, :size], states[0, size:]])


def write(path, hops, rereads, seed):
    p = Parameters(seed)
    table = p("words.weight", WORDS, M)
    loss = torch.zeros(())
    probabilities, attention = [], []
    for passage, question, answers, answer in QUESTIONS:
        h = both_ways(p, "passage", list(table[passage]), H)
        u = last_states(both_ways(p, "question", list(table[question]), H), H)
        for hop in range(hops):
            a = torch.softmax(h @ u, dim=0)
            attention.append(a)
            if hop + 1 == hops:
                break
            read = a @ h
            name = f"hops.{hop + 1}"
            if rereads:
                h = both_ways(p, name + ".reader", [state * u for state in h], H)
            u = u + linear(p, name + ".query", read, 2 * H)
        allowed = torch.tensor([one >= 0 for one in answers])
        of_answers = [sum((w for w, one in zip(a, answers) if one == c), torch.zeros(()))
                      for c in range(ANSWERS)]
        of_answers = torch.stack(of_answers) / a[allowed].sum()
        probabilities.append(of_answers)
        loss = loss - torch.log(of_answers[answer])
    loss.backward()
    tensors = {"probabilities": torch.stack(probabilities), "attention": torch.cat(attention),
               "loss": loss}
    for name, value in p.values.items():
        tensors["parameter." + name] = value
        tensors["gradient." + name] = value.grad
    write_safetensors(path, tensors, {"model": "attention sum"})


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)
    write("attention_sum.safetensors", 1, False, 1)
    write("attention_sum_hops.safetensors", 3, True, 2)
    write("attention_sum_same.safetensors", 3, False, 3)
