#!/usr/bin/env python3
"""Writes foveal.safetensors: what the third-order Boltzmann machine over glimpses
computes, by PyTorch in f64.

Written from the energy (Larochelle and Hinton 2010), with nothing summed out by hand:
with x_k what the retina sees at place l_k, classes y, hidden units h in {0, 1}^J

    E(y, x, h) = -d_y - h.U_y - c.h - sum_k [b.x_k + h.P (z_{l_k} * F x_k)]

is listed for every h; probabilities, free energies and means of h are sums over that
list. Nothing is taken from Heed but the names and layouts of parameters: filters [R, D],
places [L, D], pooling [D, J], classes [K, J], controller [J, L], images [B, H, W, C].

Of each fixation k, at given places: log_p.k = log p(y | x_1 .. x_k), positive_energy.k
and negative_energy.k = F(x, y) = -log sum_h exp -E without what only x_1 .. x_{k-1}
say (at x_k and the label, and at the end of a Gibbs step from there: negative_x.k,
negative_class.k) and mean_hidden.k = E[h | x_1 .. x_k]. The loss is SCALE / FIXATIONS
times the sum over images and k of
    -log p(label | x_1 .. x_k) + GENERATIVE [F(x_k, label) - F(x-, y-)]
    + (w_l.E[h | x_1 .. x_{k-1}] + a_l - log p(label | x_1 .. x_k))^2
where the mean (0 before x_1), the log p of the square, x- and y- are constants; nll is
that of the last k, not scaled.

Run it in this folder: python3 make_golden_foveal.py
"""

import itertools
import math

import torch
from make_golden import Parameters, write_safetensors

B, H, W, C, K = 3, 6, 4, 2, 3
LABELS = [2, 0, 1]
FIXATIONS, FOVEA, GRID, D, J = 3, 4, 3, 5, 6
GENERATIVE, SCALE = 0.3, 0.5
PLACES = [[4, 0, 8], [1, 5, 2], [6, 7, 4]]  # by fixation, for each image
STATES = torch.tensor(list(itertools.product([0.0, 1.0], repeat=J)))
R = (FOVEA**2 + (FOVEA // 2)**2) * C


def window(image, place, side, block):
    """Returns means of squares of `block` pixels around a place of the grid, 0 outside."""
    row, column = divmod(place, GRID)
    top = math.floor((2 * row + 1) / (2 * GRID) * (H - 1) - (side - 1) / 2 + 0.5)
    left = math.floor((2 * column + 1) / (2 * GRID) * (W - 1) - (side - 1) / 2 + 0.5)
    wide = torch.nn.functional.pad(image.permute(2, 0, 1), (side, side, side, side))
    cut = wide[:, top + side:top + 2 * side, left + side:left + 2 * side]
    cut = cut.reshape(C, side // block, block, side // block, block).mean(dim=(2, 4))
    return cut.permute(1, 2, 0).reshape(-1)


def retina(image, place):
    return torch.cat([window(image, place, FOVEA, 1), window(image, place, 2 * FOVEA, 4)])


class Machine:
    def __init__(self, seed):
        self.p = p = Parameters(seed)
        self.filters = p("filters.weight", R, D)
        self.places = p("places.weight", GRID * GRID, D)
        self.pooling = p("pooling.weight", D, J)
        self.hidden_bias = p("hidden.bias", J)
        self.classes = p("classes.weight", K, J)
        self.class_bias = p("classes.bias", K)
        self.pixel_bias = p("pixels.bias", R)
        self.controller = p("controller.weight", J, GRID * GRID)
        self.controller_bias = p("controller.bias", GRID * GRID)

    def energies(self, looks):
        """Returns E(y, x, h) for all y and h, without b.x. looks: pairs (x, place)."""
        energy = -self.class_bias[:, None] - self.classes @ STATES.T
        energy = energy - STATES @ self.hidden_bias
        for x, place in looks:
            third = torch.einsum("r,rd,d,dj->j", x, self.filters, self.places[place],
                                 self.pooling)
            energy = energy - STATES @ third
        return energy  # [K, 2^J]

    def log_p(self, looks):
        joint = -self.energies(looks)
        return torch.logsumexp(joint, dim=1) - torch.logsumexp(joint, dim=(0, 1))

    def mean_hidden(self, looks):
        joint = torch.softmax(-self.energies(looks).flatten(), dim=0).reshape(K, -1)
        return joint.sum(dim=0) @ STATES

    def free_energy(self, looks, label):
        """Returns the free energy of the last look and a class, given the looks before."""
        own = -torch.logsumexp(-self.energies(looks)[label], dim=0)
        return own - self.pixel_bias @ looks[-1][0]

    def gibbs(self, looks, label, generator):
        """Draws (x, y) in one Gibbs step: p(h | y, x), p(x_k | h) and p(y | h) follow from E."""
        of_h = torch.softmax(-self.energies(looks)[label], dim=0)
        h = STATES[torch.multinomial(of_h, 1, generator=generator)[0]]
        back = torch.einsum("j,dj,d,rd->r", h, self.pooling, self.places[looks[-1][1]],
                            self.filters)
        x = torch.sigmoid(self.pixel_bias + back)
        of_y = torch.softmax(self.class_bias + self.classes @ h, dim=0)
        return x.detach(), torch.multinomial(of_y, 1, generator=generator)[0]


def make(path, seed):
    machine = Machine(seed)
    generator = machine.p.generator
    images = torch.rand(B, H, W, C, generator=generator).requires_grad_()
    loss, nll = 0, 0
    tensors = {}

    def note(name, k, value):
        tensors.setdefault(f"{name}.{k}", []).append(value)

    for b, label in enumerate(LABELS):
        looks, mean = [], torch.zeros(J)
        for k in range(FIXATIONS):
            place = PLACES[k][b]
            before = list(looks)
            looks.append((retina(images[b], place), place))
            log_p = machine.log_p(looks)
            wanted = mean @ machine.controller[:, place] + machine.controller_bias[place]
            x, y = machine.gibbs(looks, label, generator)
            positive = machine.free_energy(looks, label)
            negative = machine.free_energy([*before, (x, place)], y)
            loss = loss + SCALE / FIXATIONS * (
                -log_p[label] + GENERATIVE * (positive - negative) +
                (wanted - log_p[label].detach())**2)
            mean = machine.mean_hidden(looks).detach()
            if k + 1 == FIXATIONS:
                nll = nll - log_p[label]
            for name, value in [("place", torch.tensor(place).int()), ("negative_x", x),
                                ("negative_class", y.int()), ("log_p", log_p),
                                ("positive_energy", positive[None]),
                                ("negative_energy", negative[None]),
                                ("mean_hidden", mean)]:
                note(name, k, value)
    loss.backward()
    tensors = {name: torch.stack(values) for name, values in tensors.items()}
    tensors |= {"images": images, "labels": torch.tensor(LABELS).int(), "loss": loss,
                "nll": nll, "gradient_images": images.grad}
    for name, value in machine.p.values.items():
        tensors["parameter." + name] = value
        tensors["gradient." + name] = value.grad
    write_safetensors(path, tensors, {"model": "foveal"})


if __name__ == "__main__":
    make("foveal.safetensors", 36)
