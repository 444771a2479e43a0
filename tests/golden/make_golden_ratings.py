#!/usr/bin/env python3
"""Writes dattn.safetensors and mpcn.safetensors: what predictors of ratings compute,
by PyTorch in f64.

The models are written here from their papers (Seo et al. 2017; Tay et al. 2018,
arXiv:1801.09251, equations 1 to 11), pair by pair and review by review without any
padding, with plain tensor operations; nothing is taken from Heed but the names and
layouts of parameters (weights are [in, out], windows stand side by side). The files hold
parameter.NAME, gradient.NAME, the ratings and the loss, and of MPCN what was pointed at.

Run it in this folder: python3 make_golden_ratings.py
"""

import torch
from make_golden import Parameters, write_safetensors

WORDS, USERS, ITEMS = 11, 4, 3
M, FACTORS = 4, 3

# Pairs: user, item, the reviews of the user and of the item, and the rating.
PAIRS = [
    (1, 2, [[4, 5, 6], [7], [1, 8, 9, 10, 4]], [[3, 3], [6, 2, 10]], 4.0),
    (3, 1, [[2, 9]], [[8, 7, 6, 5], [10], [4, 1], [5, 5, 2]], 1.5),
    (4, 3, [[6, 4, 3, 10, 2], [9, 8]], [[7, 1, 4, 9, 3]], 5.0),
    (2, 2, [], [[3, 3], [6, 2, 10]], 3.0),  # no words on one side: bias terms alone
]


def biases(p, user, item):
    return (p("biases.mean", 1)[0] + p("biases.user", USERS + 1, 1)[user, 0]
            + p("biases.item", ITEMS + 1, 1)[item, 0])


def linear(p, name, x, size):
    return x @ p(name + ".weight", x.shape[-1], size) + p(name + ".bias", size)


# D-Attn

WINDOW, LOCAL, GLOBAL, HIDDEN, DOCUMENT = 3, 3, 2, 6, 12
WIDTHS = [2, 3]


def windows(x, width, before):
    """Returns all windows of `width` rows, with zeros outside."""
    padded = torch.cat([torch.zeros(before, M), x, torch.zeros(width, M)])
    return torch.stack([padded[t:t + width].reshape(-1) for t in range(len(x))])


def dattn_side(p, name, reviews):
    ids = [word for review in reviews for word in review]
    x = p(name + ".words.weight", WORDS, M)[ids]
    gates = torch.sigmoid(linear(p, name + ".local_gate", windows(x, WINDOW, 1), 1))
    features = [torch.tanh(linear(p, name + ".local", gates * x, LOCAL)).max(dim=0).values]
    kernel = p(name + ".global_gate.weight", DOCUMENT, M)[:len(x)]
    gate = torch.sigmoid((kernel * x).sum() + p(name + ".global_gate.bias", 1)[0])
    for i, width in enumerate(WIDTHS):
        all_windows = windows(gate * x, width, 0)
        inside = all_windows[:max(len(x) - width + 1, 1)]
        found = torch.tanh(linear(p, f"{name}.global.{i}", inside, GLOBAL))
        features.append(found.max(dim=0).values)
    hidden = torch.relu(linear(p, name + ".hidden", torch.cat(features), HIDDEN))
    return linear(p, name + ".factors", hidden, FACTORS)


def dattn(p, user, item, user_reviews, item_reviews):
    rating = biases(p, user, item)
    if user_reviews and item_reviews:
        rating = rating + dattn_side(p, "user", user_reviews) @ dattn_side(p, "item", item_reviews)
    return rating, []


# MPCN

POINTERS = 2


def gated(p, words):
    x = p("words.weight", WORDS, M)[words].sum(dim=0)
    return torch.sigmoid(linear(p, "gate", x, M)) * torch.tanh(linear(p, "projection", x, M))


def point(scores):
    """Returns a one-hot argmax with the gradient of the softmax (straight-through)."""
    soft = torch.softmax(scores, dim=0)
    hard = torch.zeros_like(soft)
    hard[scores.argmax()] = 1
    return hard + soft - soft.detach()


def chosen_words(p, pointer, reviews):
    """Returns the words of the chosen review. The other reviews take part with weight 0, as far
    as they have words, for the gradient of their weights."""
    table = p("words.weight", WORDS, M)
    length = len(reviews[int(pointer.argmax())])
    rows = []
    for place in range(length):
        row = torch.zeros(M)
        for weight, review in zip(pointer, reviews):
            if place < len(review):
                row = row + weight * table[review[place]]
        rows.append(row)
    return torch.stack(rows)


def mpcn(p, user, item, user_reviews, item_reviews):
    rating = biases(p, user, item)
    if not user_reviews or not item_reviews:
        return rating, []
    a = torch.stack([gated(p, review) for review in user_reviews])
    b = torch.stack([gated(p, review) for review in item_reviews])
    of_user, of_item, pointed = [], [], []
    for k in range(POINTERS):
        name = f"pointers.{k}."
        fa = torch.relu(linear(p, name + "reviews", a, M))
        fb = torch.relu(linear(p, name + "reviews", b, M))
        s = fa @ p(name + "affinity", M, M) @ fb.T
        at_user = point(s.max(dim=1).values)
        at_item = point(s.max(dim=0).values)
        v = chosen_words(p, at_user, user_reviews)
        w = chosen_words(p, at_item, item_reviews)
        gv = torch.relu(linear(p, name + "words", v, M))
        gw = torch.relu(linear(p, name + "words", w, M))
        t = gv @ p(name + "word_affinity", M, M) @ gw.T
        of_user.append(torch.softmax(t.mean(dim=1), dim=0) @ v)
        of_item.append(torch.softmax(t.mean(dim=0), dim=0) @ w)
        pointed += [float(at_user.argmax()), float(at_item.argmax())]
    z = torch.cat([torch.relu(linear(p, "combine", torch.cat(side), M))
                   for side in (of_user, of_item)])
    pairs = p("pairs", 2 * M, FACTORS)
    machine = z @ p("linear.weight", 2 * M, 1)[:, 0]
    for i in range(2 * M):
        for j in range(i + 1, 2 * M):
            machine = machine + (pairs[i] @ pairs[j]) * z[i] * z[j]
    return rating + machine, pointed


def write(path, model, seed):
    p = Parameters(seed)
    ratings, pointed = [], []
    for user, item, user_reviews, item_reviews, _ in PAIRS:
        rating, own = model(p, user, item, user_reviews, item_reviews)
        ratings.append(rating)
        pointed += own
    ratings = torch.stack(ratings)
    loss = ((ratings - torch.tensor([pair[-1] for pair in PAIRS])) ** 2).sum()
    loss.backward()
    tensors = {"ratings": ratings, "loss": loss}
    if pointed:
        tensors["pointed"] = torch.tensor(pointed)
    for name, value in p.values.items():
        tensors["parameter." + name] = value
        tensors["gradient." + name] = value.grad
    write_safetensors(path, tensors, {"model": path.split(".")[0]})


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)
    write("dattn.safetensors", dattn, 1)
    write("mpcn.safetensors", mpcn, 2)
