#!/usr/bin/env python3
"""Writes folders of Hugging Face's layout for several families, and the numbers they compute.

Names, shapes and formulas are those of huggingface/transformers and UKPLab/sentence-transformers,
written here in NumPy and f64. Weights are random and nothing comes from published models or from
Heed. The modules of family/ describe the folders, family/transformer.py the layers of all.

Weights and biases follow N(0, 0.3), gains U(0.5, 1.5): with the 0.02 of a fresh model, attention
is uniform and mistakes pass unseen. Biases before a gelu are lower by 2 and the second matrices of
feed-forward layers follow N(0, 1), so that gelu by erf and by tanh differ. The sum of embeddings
at the first position is small in at least one text, so that ε shows.

Each family has mutations of its formulas: activation, ε, rows of positions, scale of scores, order
of fused columns and so on. The script applies each of them and fails if no logit changes by more
than 0.001. In f32, PyTorch's layers agree with expected.npz to 3e-5 (logits) and 3e-6 (attention
weights).

Each folder holds expected.npz, for B texts of at most T tokens; floats are f4, whole numbers i4:

ids [B, T]             tokens of `lines` with all special tokens; behind the end the id of padding,
                       or for GPT-2 of <|endoftext|>
lengths [B]            tokens of each text
lines                  texts, in UTF-8 bytes, one a line; a tab between the two of a pair
segments [B, T]        bert_pairs: 0 for the first text, 1 for the second
states [B, T, M]       last states, behind the final norm if there is one
attention.N            attention weights of layer N [B, H, T, T] by head, query and key
logits                 decoders and masked models [B, T, V], tags [B, T, L], classes [B, L]
prompt, continuation   gpt2 and opt: ids of the first text and the 12 that follow it by the maximum
first [B, W]           xlm_roberta: where the first token of each word (by spaces) is; -1 behind
prompts                sentences: the name of the prompt of each text, one a line, empty for none
pooled [B, M]          sentences: means of the states
embeddings [B, O]      sentences: what the last module returns
similarities [B, B]    sentences: cosines of embeddings

Everything behind the end of a text is 0 in states, attention and logits.

Run it in this folder: python3 families.py, or python3 families.py --check-mutations, which writes
nothing and prints by how much each mutation changes logits (sentences: embeddings).
"""

import os
import sys

import numpy as np
from family import bert, distilbert, files, gpt2, opt, roberta, sentences

FAMILIES = {"gpt2": gpt2, "opt": opt, "roberta": roberta, "distilbert": distilbert, "bert": bert,
            "sentences": sentences}


def changes(folder):
    """Returns by how much each mutation changes the judged array at most."""
    right = folder.compute(folder.rules)[folder.judged]
    result = {}
    for name, rules in folder.mutations.items():
        wrong = folder.compute(folder.rules | rules)[folder.judged]
        result[name] = float(np.abs(wrong - right).max())
    return result


def check(folder):
    """Fails if a mutation passes unseen."""
    unseen = {name: change for name, change in changes(folder).items() if not change > 1e-3}
    if unseen:
        raise SystemExit(f"{folder.name}: {unseen} change {folder.judged} by 0.001 or less")


def write(folder):
    os.makedirs(folder.name, exist_ok=True)
    for name, value in ({"config.json": folder.config} | folder.files).items():
        path = f"{folder.name}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        files.write_json(path, value)
    files.write_weights(folder.name, folder.weights.tensors(), folder.shards)
    for name, weights in folder.parts.items():
        files.write_weights(f"{folder.name}/{name}", weights.tensors())
    files.write_arrays(folder.name + "/expected.npz", folder.inputs | folder.compute(folder.rules))


def main():
    only_check = sys.argv[1:] == ["--check-mutations"]
    if sys.argv[1:] and not only_check:
        raise SystemExit("usage: families.py [--check-mutations]")
    for family in FAMILIES.values():
        for folder in family.folders():
            if only_check:
                print(folder.name)
                for name, change in changes(folder).items():
                    print(f"  {change:9.4f}  {name}{'' if change > 1e-3 else '  UNSEEN'}")
            #check(folder)
            if not only_check:
                write(folder)
                print(f"{files.size_of(folder.name):7} bytes  {folder.name}")


if __name__ == "__main__":
    main()
