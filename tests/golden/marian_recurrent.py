#!/usr/bin/env python3
"""Writes recurrent models as Marian saves them, and what they compute, with NumPy.

The layout and the formulas are those of marian-nmt/marian-dev: src/models/s2s.h,
src/models/amun.h (names), src/rnn/cells.h (GRU), src/rnn/attention.h. Weights are
random. Nothing is taken from Heed.

marian_s2s.npz   type s2s: output tied to the target's embeddings
marian_amun.npz  type amun: the names that Nematus gave, own output matrix

Vocabularies are those of marian_transformer.py; so is what X_expected.npz holds.

Run it in this folder: python3 marian_recurrent.py
"""

import numpy as np
from marian_transformer import expected, model_yml

E, N = 5, 6  # features of a word and of a state


def random_weights(seed, source, target, tied):
    rng = np.random.default_rng(seed)
    weights = {}

    def add(name, *shape):
        weights[name] = (0.5 * rng.standard_normal(shape)).astype("<f4")

    def gru(prefix, inputs):
        add(prefix + "_W", inputs, 2 * N)
        add(prefix + "_Wx", inputs, N)
        add(prefix + "_U", N, 2 * N)
        add(prefix + "_Ux", N, N)
        add(prefix + "_b", 1, 2 * N)
        add(prefix + "_bx", 1, N)

    add("encoder_Wemb", source, E)
    add("decoder_Wemb", target, E)
    gru("encoder_bi", E)
    gru("encoder_bi_r", E)
    gru("decoder_cell1", E)
    gru("decoder_cell2", 2 * N)
    add("decoder_W_comb_att", N, 2 * N)
    add("decoder_Wc_att", 2 * N, 2 * N)
    add("decoder_b_att", 1, 2 * N)
    add("decoder_U_att", 2 * N, 1)
    add("decoder_ff_state_W", 2 * N, N)
    add("decoder_ff_state_b", 1, N)
    for i, inputs in enumerate((E, N, 2 * N)):
        add(f"decoder_ff_logit_l1_W{i}", inputs, E)
        add(f"decoder_ff_logit_l1_b{i}", 1, E)
    if not tied:
        add("decoder_ff_logit_l2_W", E, target)
    add("decoder_ff_logit_l2_b", 1, target)
    return weights


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Recurrent:
    def __init__(self, weights, tied):
        self.w = {name: value.astype("f8") for name, value in weights.items()}
        self.tied = tied

    def gru(self, prefix, x, state, final=False):
        w = self.w
        gates = sigmoid(x @ w[prefix + "_W"] + state @ w[prefix + "_U"] + w[prefix + "_b"])
        r, z = gates[:, :N], gates[:, N:]
        xs, ss, b = x @ w[prefix + "_Wx"], state @ w[prefix + "_Ux"], w[prefix + "_bx"]
        # The bias of the second cell of a step is also multiplied by the reset gate.
        h = np.tanh(xs + r * (ss + b)) if final else np.tanh(xs + r * ss + b)
        return (1 - z) * h + z * state

    def logits(self, source, target):
        w = self.w
        words = w["encoder_Wemb"][source]
        forward, backward = [], []
        state = np.zeros((1, N))
        for x in words:
            state = self.gru("encoder_bi", x[None], state)
            forward.append(state[0])
        state = np.zeros((1, N))
        for x in words[::-1]:
            state = self.gru("encoder_bi_r", x[None], state)
            backward.append(state[0])
        context = np.concatenate([forward, backward[::-1]], axis=1)
        state = np.tanh(context.mean(0) @ w["decoder_ff_state_W"] + w["decoder_ff_state_b"])
        keys = context @ w["decoder_Wc_att"] + w["decoder_b_att"]
        rows = np.concatenate([np.zeros((1, E)), w["decoder_Wemb"][target[:-1]]])
        logits = []
        for y in rows[:, None]:
            middle = self.gru("decoder_cell1", y, state)
            scores = np.tanh(keys + middle @ w["decoder_W_comb_att"]) @ w["decoder_U_att"]
            a = np.exp(scores - scores.max())
            c = (a / a.sum()).T @ context
            state = self.gru("decoder_cell2", c, middle, final=True)
            hidden = sum(x @ w[f"decoder_ff_logit_l1_W{i}"] + w[f"decoder_ff_logit_l1_b{i}"]
                         for i, x in enumerate((y, state, c)))
            output = w["decoder_Wemb"].T if self.tied else w["decoder_ff_logit_l2_W"]
            logits.append(np.tanh(hidden) @ output + w["decoder_ff_logit_l2_b"])
        return np.concatenate(logits)


AMUN_NAMES = {
    "decoder_cell1_U": "decoder_U", "decoder_cell1_Ux": "decoder_Ux", "decoder_cell1_W": "decoder_W",
    "decoder_cell1_Wx": "decoder_Wx", "decoder_cell1_b": "decoder_b", "decoder_cell1_bx": "decoder_bx",
    "decoder_cell2_U": "decoder_U_nl", "decoder_cell2_Ux": "decoder_Ux_nl", "decoder_cell2_W": "decoder_Wc",
    "decoder_cell2_Wx": "decoder_Wcx", "decoder_cell2_b": "decoder_b_nl", "decoder_cell2_bx": "decoder_bx_nl",
    "decoder_ff_logit_l1_W0": "ff_logit_prev_W", "decoder_ff_logit_l1_W1": "ff_logit_lstm_W",
    "decoder_ff_logit_l1_W2": "ff_logit_ctx_W", "decoder_ff_logit_l1_b0": "ff_logit_prev_b",
    "decoder_ff_logit_l1_b1": "ff_logit_lstm_b", "decoder_ff_logit_l1_b2": "ff_logit_ctx_b",
    "decoder_ff_logit_l2_W": "ff_logit_W", "decoder_ff_logit_l2_b": "ff_logit_b",
    "decoder_ff_state_W": "ff_state_W", "decoder_ff_state_b": "ff_state_b",
    "decoder_Wemb": "Wemb_dec", "encoder_Wemb": "Wemb",
    "encoder_bi_U": "encoder_U", "encoder_bi_Ux": "encoder_Ux", "encoder_bi_W": "encoder_W",
    "encoder_bi_Wx": "encoder_Wx", "encoder_bi_b": "encoder_b", "encoder_bi_bx": "encoder_bx",
    "encoder_bi_r_U": "encoder_r_U", "encoder_bi_r_Ux": "encoder_r_Ux", "encoder_bi_r_W": "encoder_r_W",
    "encoder_bi_r_Wx": "encoder_r_Wx", "encoder_bi_r_b": "encoder_r_b", "encoder_bi_r_bx": "encoder_r_bx",
}


def main():
    source, target = 9, 11
    sources = [[2, 3, 4, 8, 0], [5, 1, 0], [6, 7, 2, 0]]
    targets = [[2, 10, 3, 0], [4, 5, 1, 6], [7, 8, 9, 0]]
    sizes = {"dim_emb": E, "dim_rnn": N, "enc_depth": 1, "dec_depth": 1}

    weights = random_weights(3, source, target, tied=True)
    options = model_yml(type="s2s", tied_embeddings="true", **sizes)
    np.savez_compressed("marian_s2s.npz", **weights, **{"special:model.yml": options})
    np.savez_compressed("marian_s2s_expected.npz",
                        **expected(Recurrent(weights, True), sources, targets))

    weights = random_weights(4, source, target, tied=False)
    renamed = {AMUN_NAMES.get(name, name): value for name, value in weights.items()}
    renamed["decoder_c_tt"] = np.zeros((1, 0), "<f4")
    options = model_yml(type="amun", **sizes)
    np.savez_compressed("marian_amun.npz", **renamed, **{"special:model.yml": options})
    np.savez_compressed("marian_amun_expected.npz",
                        **expected(Recurrent(weights, False), sources, targets))


if __name__ == "__main__":
    main()
