"""GPT-2: GPT2LMHeadModel of models/gpt2/modeling_gpt2.py.

Matrices are [in, out] (Conv1D). Columns of c_attn are q, k, v, each head by head. The beginning
and the end of text are one token, the last id, and none is added to a text. Rows of padding hold
that id.

huggingface_gpt2/       prefix transformer., n_inner 37, and the buffers attn.bias (BOOL) and
                        attn.masked_bias (a scalar) of checkpoints until Transformers 4.30
huggingface_gpt2_bare/  no prefix, n_inner null (4 M), keys of the oldest configs, F16
"""

import numpy as np

from family import decoders
from family.files import Weights
from family.folder import Folder
from family.tokenizers import ByteBpe, padded
from family.transformer import cut, gains, normalize, run_layers

END = "<|endoftext|>"
M, HEADS, LAYERS = 24, 4, 2
LINES = ["the dog ran away", "café 30_"]
MUTATIONS = decoders.MUTATIONS | {
    "gelu by erf": {"activation": "gelu"},
    "relu": {"activation": "relu"},
    "positions + 1": {"offset": 1},
    "columns of c_attn: k, q, v": {"fused": "kqv"},
    "columns of c_attn: v, k, q": {"fused": "vkq"},
    "columns of c_attn head by head": {"fused": "heads"},
    "c_attn taken as [out, in]": {"fused": "reshaped"},
    "mlp taken as [out, in]": {"mlp": "reshaped"},
}


def random_weights(seed, prefix, inner, sizes, dtype):
    rows, positions = sizes
    weights = Weights(seed, dtype)

    def conv(name, inputs, out):
        weights.normal(name + ".weight", inputs, out)
        weights.normal(name + ".bias", out)

    weights.normal(prefix + "wte.weight", rows, M)
    weights.normal(prefix + "wpe.weight", positions, M)
    for i in range(LAYERS):
        at = f"{prefix}h.{i}."
        weights.norm(at + "ln_1", M)
        conv(at + "attn.c_attn", M, 3 * M)
        conv(at + "attn.c_proj", M, M)
        weights.norm(at + "ln_2", M)
        weights.feed_forward(at + "mlp.c_fc", at + "mlp.c_proj", M, inner, turned=True)
    weights.norm(prefix + "ln_f", M)
    return weights


def split_columns(weight, bias, order):
    """Returns q, k, v as pairs of [in, out] and bias."""
    columns = np.concatenate([weight, bias[None]])
    if order == "reshaped":
        columns = np.concatenate([weight.reshape(3 * M, M).T, bias[None]])
        order = "qkv"
    if order == "heads":  # [H][q k v][D]
        columns = columns.reshape(-1, HEADS, 3, M // HEADS).transpose(0, 2, 1, 3).reshape(-1, 3 * M)
        order = "qkv"
    parts = dict(zip(order, np.split(columns, 3, axis=1)))
    return {name: (part[:-1], part[-1]) for name, part in parts.items()}


def layer_of(values, at, rules):
    def conv(name):
        weight = values[at + name + ".weight"]
        if name.startswith("mlp") and rules.get("mlp") == "reshaped":
            weight = weight.reshape(weight.shape[::-1]).T
        return weight, values[at + name + ".bias"]

    return split_columns(*conv("attn.c_attn"), rules["fused"]) | {
        "o": conv("attn.c_proj"), "in": conv("mlp.c_fc"), "out": conv("mlp.c_proj"),
        "first": gains(values, at + "ln_1"), "second": gains(values, at + "ln_2")}


def run(values, prefix, rules, ids, lengths):
    words = values[prefix + "wte.weight"]
    x = decoders.embed(words, values[prefix + "wpe.weight"], ids, rules["offset"], rules)
    layers = [layer_of(values, f"{prefix}h.{i}.", rules) for i in range(LAYERS)]
    x, maps = run_layers(x, layers, lengths, rules)
    if rules.get("final_norm", True):
        x = normalize(x, gains(values, prefix + "ln_f"), rules["epsilon"])
    return cut({"states": x, "logits": decoders.scores(x, words, rules)}
               | {f"attention.{i}": weights for i, weights in enumerate(maps)}, lengths)


def config_of(rows, positions, inner):
    return {"activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1,
            "bos_token_id": rows - 1, "embd_pdrop": 0.1, "eos_token_id": rows - 1, "initializer_range": 0.02,
            "layer_norm_epsilon": 1e-05, "model_type": "gpt2", "n_embd": M, "n_head": HEADS, "n_inner": inner,
            "n_layer": LAYERS, "n_positions": positions, "reorder_and_upcast_attn": False, "resid_pdrop": 0.1,
            "scale_attn_by_inverse_layer_idx": False, "scale_attn_weights": True, "summary_activation": None,
            "summary_first_dropout": 0.1, "summary_proj_to_labels": True, "summary_type": "cls_index",
            "summary_use_proj": True, "torch_dtype": "float32", "transformers_version": "4.30.2",
            "use_cache": True, "vocab_size": rows}


def oldest(config):
    """Returns a config as the first published folders have it."""
    new = ("n_inner", "reorder_and_upcast_attn", "scale_attn_by_inverse_layer_idx", "scale_attn_weights",
           "torch_dtype", "transformers_version", "use_cache")
    config = {key: value for key, value in config.items() if key not in new}
    return config | {"n_ctx": config["n_positions"],
                     "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}}}


def folder(name, prefix, inner, positions, seed):
    tokenizer = ByteBpe([], [END], 28)
    rows = len(tokenizer.ids)
    weights = random_weights(seed, prefix, inner or 4 * M, (rows, positions), "F32" if prefix else "F16")
    lines = LINES if prefix else LINES[:1]
    encoded = [tokenizer.encode(line) for line in lines]
    weights.quiet((prefix + "wpe.weight", 0), (prefix + "wte.weight", encoded[0][0]))
    ids, lengths = padded(encoded, rows - 1)
    config = config_of(rows, positions, inner)
    rules = {"heads": HEADS, "norm": "pre", "epsilon": config["layer_norm_epsilon"], "activation": "gelu_new",
             "causal": True, "offset": 0, "fused": "qkv"}
    inputs = {"ids": ids, "lengths": lengths, "lines": "\n".join(lines), "prompt": encoded[0],
              "continuation": decoders.continuation(
                  lambda *batch: run(weights.values, prefix, rules, *batch), encoded[0], [rows - 1])}
    if prefix:
        for i in range(LAYERS):
            seen = np.tri(positions, dtype=bool)[None, None]
            weights.buffers[f"{prefix}h.{i}.attn.bias"] = ("BOOL", seen)
            weights.buffers[f"{prefix}h.{i}.attn.masked_bias"] = ("F32", np.array(-1e4, "<f4"))
    byte_level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True}
    files = {"tokenizer.json": tokenizer.json(byte_level),
             "tokenizer_config.json": {"add_prefix_space": False, "bos_token": END, "eos_token": END,
                                       "model_max_length": positions, "tokenizer_class": "GPT2Tokenizer",
                                       "unk_token": END},
             "generation_config.json": {"_from_model_config": True, "bos_token_id": rows - 1,
                                        "eos_token_id": rows - 1, "transformers_version": "4.30.2"}}
    return Folder(name, config if prefix else oldest(config), weights, files, inputs,
                  lambda rules: run(weights.values, prefix, rules, ids, lengths), rules, MUTATIONS)


def folders():
    return [folder("huggingface_gpt2", "transformer.", 37, 18, 78), folder("huggingface_gpt2_bare", "", None, 18, 50)]
