"""What the operations of heed.ops compute, in plain Python on nested lists."""

import math
import random


def rows(function):
    """Applies a function to each row."""
    def of(x):
        return [of(part) for part in x] if isinstance(x[0], list) else function(x)
    return of


def each(function):
    """Applies a function to each element of arrays of equal shape."""
    def of(*xs):
        if isinstance(xs[0], list):
            return [of(*parts) for parts in zip(*xs)]
        return function(*xs)
    return of


def flat(x):
    return [one for part in x for one in flat(part)] if isinstance(x, list) else [x]


def shape(x):
    return (len(x),) + shape(x[0]) if isinstance(x, list) else ()


def shaped(numbers, sizes):
    if not sizes:
        return numbers[0]
    step = len(numbers) // sizes[0]
    return [shaped(numbers[i * step:(i + 1) * step], sizes[1:]) for i in range(sizes[0])]


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def matmul(x, w):
    return rows(lambda row: [dot(row, column) for column in zip(*w)])(x)


def with_rows(function):
    """Applies a function to each row and its own argument: [..., N] and [...]."""
    def of(x, y):
        if isinstance(x[0], list):
            return [of(*parts) for parts in zip(x, y)]
        return function(x, y)
    return of


def transpose(x):
    return [list(part) for part in zip(*x)]


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def softmax(row):
    exps = [math.exp(x - max(row)) for x in row]
    return [x / math.fsum(exps) for x in exps]


def log_softmax(row):
    total = math.log(math.fsum(math.exp(x) for x in row))
    return [x - total for x in row]


def layer_norm(x, gain, bias, epsilon=1e-5):
    def of(row):
        mean = math.fsum(row) / len(row)
        spread = math.sqrt(math.fsum((a - mean) ** 2 for a in row) / len(row) + epsilon)
        return [(a - mean) / spread * g + b for a, g, b in zip(row, gain, bias)]
    return rows(of)(x)


def cross_entropy(logits, targets, ignore=-1, smoothing=0.0):
    losses = []
    for row, target in zip(flat_rows(logits), flat(targets)):
        if target == ignore:
            continue
        logs = log_softmax(row)
        losses.append(-(1 - smoothing) * logs[target] - smoothing * math.fsum(logs) / len(row))
    return math.fsum(losses) / max(len(losses), 1)


def flat_rows(x):
    if not isinstance(x[0], list):
        return [x]
    return [row for part in x for row in flat_rows(part)]


def binary_cross_entropy(logits, targets):
    found = [-t * math.log(sigmoid(x)) - (1 - t) * math.log(1 - sigmoid(x))
             for x, t in zip(flat(logits), flat(targets))]
    return math.fsum(found) / len(found)


def mse(y, targets):
    found = [(a - b) ** 2 for a, b in zip(flat(y), flat(targets))]
    return math.fsum(found) / len(found)


def conv2d(x, weight, bias=None, stride=1, padding=0):
    size, filters = len(weight), len(weight[0][0][0])

    def at(image, i, j, f):
        total = 0.0 if bias is None else bias[f]
        for u in range(size):
            for v in range(size):
                y, z = i * stride + u - padding, j * stride + v - padding
                if 0 <= y < len(image) and 0 <= z < len(image[0]):
                    total += dot(image[y][z], [line[f] for line in weight[u][v]])
        return total

    def places(n):
        return range((n + 2 * padding - size) // stride + 1)
    return [[[[at(image, i, j, f) for f in range(filters)] for j in places(len(image[0]))]
             for i in places(len(image))] for image in x]


def max_pool2d(x, size=2):
    return [[[[max(image[i * size + u][j * size + v][c] for u in range(size)
                   for v in range(size)) for c in range(len(image[0][0]))]
              for j in range(len(image[0]) // size)] for i in range(len(image) // size)]
            for image in x]


def recurrence(step):
    """States [T, B, H] of steps (x, h) -> h; a row keeps its state after its length."""
    def of(x, h0, *weights, lengths=None, **options):
        states, state = [], h0
        for t, now in enumerate(x):
            new = [step(a, h, *weights, **options) for a, h in zip(now, state)]
            state = [n if lengths is None or t < lengths[b] else old
                     for b, (n, old) in enumerate(zip(new, state))]
            states.append(state)
        return states
    return of


def rnn_step(x, h, weight):
    return [math.tanh(a + b) for a, b in zip(x, matmul(h, weight))]


def gru_step(x, h, weight, bias=None, kind="cudnn"):
    n = len(h)
    if kind != "cudnn":
        u = matmul(h, weight)
        r, z = ([sigmoid(a + b) for a, b in zip(x[i * n:], u[i * n:(i + 1) * n])]
                for i in (0, 1))
        inner = matmul([a * b for a, b in zip(r, h)], bias)
        new = [math.tanh(a + b) for a, b in zip(x[2 * n:], inner)]
        keep = z if kind == "cho" else [1 - a for a in z]
        return [k * a + (1 - k) * b for k, a, b in zip(keep, h, new)]
    u = [a + b for a, b in zip(matmul(h, weight), bias or [0.0] * 3 * n)]
    r, z = ([sigmoid(a + b) for a, b in zip(x[i * n:(i + 1) * n], u[i * n:(i + 1) * n])]
            for i in (0, 1))
    new = [math.tanh(a + g * b) for a, g, b in zip(x[2 * n:], r, u[2 * n:])]
    return [k * a + (1 - k) * b for k, a, b in zip(z, h, new)]


def lstm(x, state0, weight, lengths=None):
    n = len(weight)
    h, c = state0
    states = []
    for t, now in enumerate(x):
        new_h, new_c = [], []
        for b, a in enumerate(now):
            gates = [p + q for p, q in zip(a, matmul(h[b], weight))]
            i, f, g, o = (gates[k * n:(k + 1) * n] for k in range(4))
            cell = [sigmoid(q) * p + sigmoid(r) * math.tanh(s)
                    for p, q, r, s in zip(c[b], f, i, g)]
            state = [sigmoid(p) * math.tanh(q) for p, q in zip(o, cell)]
            live = lengths is None or t < lengths[b]
            new_h.append(state if live else h[b])
            new_c.append(cell if live else c[b])
        h, c = new_h, new_c
        states.append(h)
    return states, [h, c]


# ---- For tests ----------------------------------------------------------------

def numbers(*shape, seed=1):
    """Nested lists of numbers from 0.2 to 1.2 in size, of both signs."""
    chosen = random.Random(seed + 7 * len(shape))
    count = math.prod(shape)
    return shaped([chosen.choice((-1, 1)) * chosen.uniform(0.2, 1.2)
                         for _ in range(count)], shape)


def positive(*shape, seed=1):
    return each(abs)(numbers(*shape, seed=seed))


def close(a, b, tolerance=1e-12):
    a = a.tolist() if hasattr(a, "tolist") else a
    if shape(a) != shape(b):
        return False
    a, b = flat(a), flat(b)
    return all(abs(x - y) <= tolerance * max(1.0, abs(y)) for x, y in zip(a, b))
