"""OPT: OPTForCausalLM of models/opt/modeling_opt.py.

Positions are rows from 2 on. ε is 1e-5, of PyTorch's norm, and stands in no config. </s> (2) is
put before every text. The table of words has 3 rows without a token. Weights are in two shards.
"""

from family import decoders
from family.files import Weights
from family.folder import Folder
from family.tokenizers import ByteBpe, padded, template
from family.transformer import cut, gains, linear, normalize, run_layers

M, HEADS, LAYERS, INNER, POSITIONS, UNUSED = 28, 4, 2, 37, 30, 3
SEED = 61
AT = "model.decoder."
LINES = ["the dog ran away", "a man's café, 12 cats_"]
MUTATIONS = decoders.MUTATIONS | {
    "gelu": {"activation": "gelu"},
    "positions from row 0": {"offset": 0},
    "positions from row 1": {"offset": 1},
    "positions from row 3": {"offset": 3},
    "no bias of k and o": {"no_bias": ["k", "o"]},
    "final norm of the last layer as that of the decoder": {"final": f"{AT}layers.{LAYERS - 1}.final_layer_norm"},
}


def random_weights(rows, seed):
    weights = Weights(seed)
    weights.normal(AT + "embed_tokens.weight", rows, M)
    weights.normal(AT + "embed_positions.weight", POSITIONS + 2, M)
    weights.norm(AT + "final_layer_norm", M)
    for i in range(LAYERS):
        at = f"{AT}layers.{i}."
        for part in ("k_proj", "v_proj", "q_proj", "out_proj"):
            weights.linear(f"{at}self_attn.{part}", M, M)
        weights.norm(at + "self_attn_layer_norm", M)
        weights.feed_forward(at + "fc1", at + "fc2", M, INNER)
        weights.norm(at + "final_layer_norm", M)
    weights.quiet((AT + "embed_tokens.weight", 2), (AT + "embed_positions.weight", 2))
    return weights


def layer_of(values, at):
    names = {"q": "self_attn.q_proj", "k": "self_attn.k_proj", "v": "self_attn.v_proj", "o": "self_attn.out_proj",
             "in": "fc1", "out": "fc2"}
    return {part: linear(values, at + name) for part, name in names.items()} | {
        "first": gains(values, at + "self_attn_layer_norm"), "second": gains(values, at + "final_layer_norm")}


def run(values, rules, ids, lengths):
    words = values[AT + "embed_tokens.weight"]
    x = decoders.embed(words, values[AT + "embed_positions.weight"], ids, rules["offset"], rules)
    x, maps = run_layers(x, [layer_of(values, f"{AT}layers.{i}.") for i in range(LAYERS)], lengths, rules)
    if rules.get("final_norm", True):
        x = normalize(x, gains(values, rules["final"]), rules["epsilon"])
    return cut({"states": x, "logits": decoders.scores(x, words, rules)}
               | {f"attention.{i}": weights for i, weights in enumerate(maps)}, lengths)


def folders():
    tokenizer = ByteBpe(["<s>", "<pad>", "</s>", "<unk>"], [], 23, begin=["</s>"])
    rows = len(tokenizer.ids) + UNUSED
    weights = random_weights(rows, SEED)
    encoded = [tokenizer.encode(line) for line in LINES]
    ids, lengths = padded(encoded, 1)
    config = {"_remove_final_layer_norm": False, "activation_dropout": 0.0, "activation_function": "relu",
              "architectures": ["OPTForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 2,
              "do_layer_norm_before": True, "dropout": 0.1, "enable_bias": True, "eos_token_id": 2, "ffn_dim": INNER,
              "hidden_size": M, "init_std": 0.02, "layer_norm_elementwise_affine": True, "layerdrop": 0.0,
              "max_position_embeddings": POSITIONS, "model_type": "opt", "num_attention_heads": HEADS,
              "num_hidden_layers": LAYERS, "pad_token_id": 1, "prefix": "</s>", "torch_dtype": "float32",
              "transformers_version": "4.30.2", "use_cache": True, "vocab_size": rows, "word_embed_proj_dim": M}
    rules = {"heads": HEADS, "norm": "pre", "epsilon": 1e-5, "activation": "relu", "causal": True, "offset": 2,
             "final": AT + "final_layer_norm"}
    no_text = [0, 1, 2, 3, *range(rows - UNUSED, rows)]
    inputs = {"ids": ids, "lengths": lengths, "lines": "\n".join(LINES), "prompt": encoded[0],
              "continuation": decoders.continuation(
                  lambda *batch: run(weights.values, rules, *batch), encoded[0], no_text)}
    bos = [("</s>", 0), ("A", 0)]
    files = {"tokenizer.json": tokenizer.json(template(bos, bos + [("B", 1)], tokenizer.ids)),
             "tokenizer_config.json": {"add_bos_token": True, "add_prefix_space": False, "bos_token": "</s>",
                                       "eos_token": "</s>", "errors": "replace", "pad_token": "<pad>",
                                       "tokenizer_class": "GPT2Tokenizer", "unk_token": "</s>"},
             "generation_config.json": {"_from_model_config": True, "bos_token_id": 2, "eos_token_id": 2,
                                        "pad_token_id": 1, "transformers_version": "4.30.2"}}
    return [Folder("huggingface_opt", config, weights, files, inputs,
                   lambda rules: run(weights.values, rules, ids, lengths), rules, MUTATIONS, shards=2)]
