"""Operations on arrays, with gradients inside of a `heed.Tape`.

Inputs are variables, parameters, arrays of any library, or nested lists. Results are
variables. All inputs of a call have one type, float32 or float64; arrays and lists are
converted to that of the variables beside them. Whole numbers, such as the ids of an
embedding, get no gradient. A row is the last dimension of an array.

Inputs that do not fit raise `heed.ShapeError`, options out of range `heed.ConfigError`.

Example:
    >>> from heed import ops
    >>> ops.softmax([[0.0, 0.0], [0.0, 100.0]])
    Variable([[0.5, 0.5],
              [0. , 1. ]], dtype=float32)
"""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple, Union

from ._arrays import Array
from ._tensors import Parameter, Variable, constant, constant_filled, run

Input = Union[Variable, Parameter, Array, Sequence, float, Any]


# ---- Elementwise ---------------------------------------------------------------

def add(a: Input, b: Input) -> Variable:
    """a + b of equal shapes. The operator + also adds numbers and rows."""
    return run("add", (a, b))


def sub(a: Input, b: Input) -> Variable:
    """a - b of equal shapes. The operator - also takes numbers and rows."""
    return run("sub", (a, b))


def mul(a: Input, b: Input) -> Variable:
    """a * b of equal shapes. The operator * also takes numbers and rows."""
    return run("mul", (a, b))


def div(a: Input, b: Input) -> Variable:
    """a / b of equal shapes. The operator / also takes numbers and rows."""
    return run("div", (a, b))


def scale(x: Input, factor: float = 1.0) -> Variable:
    """x times a number."""
    return run("scale", (x,), {"factor": float(factor)})


def scale_by(x: Input, factor: Input) -> Variable:
    """x [...] times a factor [] that may have a gradient."""
    return run("scale_by", (x, factor))


def scale_rows(x: Input, factors: Input) -> Variable:
    """Each row of x [..., N] times its factor [...].

    Example:
        >>> heed.ops.scale_rows([[1.0, 2.0], [3.0, 4.0]], [10.0, 0.5]).tolist()
        [[10.0, 20.0], [1.5, 2.0]]
    """
    return run("scale_rows", (x, factors))


def add_scalar(x: Input, number: float = 0.0) -> Variable:
    """x plus a number."""
    return run("add_scalar", (x,), {"number": float(number)})


def add_row(x: Input, row: Input) -> Variable:
    """x [..., N] plus a row [N]."""
    return run("add_row", (x, row))


def add_pairs(q: Input, k: Input) -> Variable:
    """Sums of all pairs of rows: q [B, T, N] and k [B, S, N] to [B, T, S, N].

    The additive score of Bahdanau et al. 2014 is ``w @ tanh(add_pairs(q, k))``.
    """
    return run("add_pairs", (q, k))


def tanh(x: Input) -> Variable:
    """Hyperbolic tangent."""
    return run("tanh", (x,))


def sigmoid(x: Input) -> Variable:
    """1 / (1 + exp(-x))."""
    return run("sigmoid", (x,))


def relu(x: Input) -> Variable:
    """max(x, 0).

    Example:
        >>> heed.ops.relu([-1.0, 2.0]).tolist()
        [0.0, 2.0]
    """
    return run("relu", (x,))


def leaky_relu(x: Input, slope: float = 0.01) -> Variable:
    """x where x > 0, else slope * x."""
    return run("leaky_relu", (x,), {"slope": float(slope)})


def elu(x: Input, alpha: float = 1.0) -> Variable:
    """x where x > 0, else alpha * (exp(x) - 1). `alpha` is above 0."""
    return run("elu", (x,), {"alpha": float(alpha)})


def gelu(x: Input) -> Variable:
    """x times the probability that a normal variable is below x."""
    return run("gelu", (x,))


def silu(x: Input) -> Variable:
    """x * sigmoid(x), also called swish."""
    return run("silu", (x,))


def softplus(x: Input) -> Variable:
    """log(1 + exp(x))."""
    return run("softplus", (x,))


def exp(x: Input) -> Variable:
    """Exponential."""
    return run("exp", (x,))


def log(x: Input) -> Variable:
    """Natural logarithm."""
    return run("log", (x,))


def sqrt(x: Input) -> Variable:
    """Square root."""
    return run("sqrt", (x,))


def dropout(x: Input, rate: float = 0.1, seed: int = 1) -> Variable:
    """x with a share of zeros.

    Args:
        x: Numbers [...].
        rate: Share of elements that become 0, from 0 to below 1. The others are divided by
            1 - rate.
        seed: Chooses the elements. Take another one for each call.
    """
    return run("dropout", (x,), {"rate": float(rate), "seed": int(seed)})


# ---- Products ------------------------------------------------------------------

def matmul(x: Input, weight: Input) -> Variable:
    """Matrix product of x [..., K] and a weight [K, N]: [..., N].

    Example:
        >>> heed.ops.matmul([[1.0, 2.0]], [[3.0], [4.0]]).tolist()
        [[11.0]]
    """
    return run("matmul", (x, weight))


def linear(x: Input, weight: Input, bias: Input) -> Variable:
    """x [..., K] @ weight [K, N] + bias [N]: [..., N]."""
    return run("linear", (x, weight, bias))


def batch_matmul(x: Input, y: Input, transpose: bool = False) -> Variable:
    """Products of the matrices of two batches: x [N, T, K] and y [N, K, M] to [N, T, M].

    Args:
        x: Matrices [N, T, K].
        y: Matrices [N, K, M], or with `transpose` [N, M, K].
        transpose: Multiply by the transposes of y: the dot products of all pairs of rows.

    Example:
        >>> q, k = [[[1.0, 2.0]]], [[[3.0, 4.0], [5.0, 6.0]]]
        >>> heed.ops.batch_matmul(q, k, transpose=True).tolist()
        [[[11.0, 17.0]]]
    """
    return run("batch_matmul", (x, y), {"transpose": bool(transpose)})


# ---- Rows ----------------------------------------------------------------------

def softmax(x: Input) -> Variable:
    """exp(x) divided by its sum, for each row. -inf gets weight 0.

    Example:
        >>> heed.ops.softmax([1.0, 1.0]).tolist()
        [0.5, 0.5]
    """
    return run("softmax", (x,))


def log_softmax(x: Input) -> Variable:
    """Logarithm of the softmax of each row."""
    return run("log_softmax", (x,))


def sparsemax(x: Input) -> Variable:
    """The distribution nearest to each row (Martins and Astudillo 2016): many zeros.

    Example:
        >>> heed.ops.sparsemax([2.0, 0.0, 0.0]).tolist()
        [1.0, 0.0, 0.0]
    """
    return run("sparsemax", (x,))


def entmax15(x: Input) -> Variable:
    """1.5-entmax of each row (Peters et al. 2019), between softmax and sparsemax."""
    return run("entmax15", (x,))


def layer_norm(x: Input, gain: Input, bias: Input, epsilon: float = 1e-5) -> Variable:
    """(x - mean) / sqrt(variance + epsilon) * gain + bias for each row (Ba et al. 2016).

    Args:
        x: Numbers [..., N].
        gain: Factors [N].
        bias: Numbers [N].
        epsilon: Keeps rows of equal numbers finite.
    """
    return run("layer_norm", (x, gain, bias), {"epsilon": float(epsilon)})


def normalize_rows(x: Input, epsilon: float = 1e-12) -> Variable:
    """x / sqrt(sum of squares + epsilon) for each row.

    Example:
        >>> heed.ops.normalize_rows([[3.0, 4.0]])
        Variable([[0.6, 0.8]], dtype=float32)
    """
    return run("normalize_rows", (x,), {"epsilon": float(epsilon)})


# ---- Moving elements -----------------------------------------------------------

def embedding(table: Input, ids: Input) -> Variable:
    """Rows of a table [V, M] by their numbers: ids [...] to [..., M].

    Raises:
        ShapeError: An id is not from 0 to V - 1.

    Example:
        >>> heed.ops.embedding([[1.0, 2.0], [3.0, 4.0]], [1, 0, 1]).tolist()
        [[3.0, 4.0], [1.0, 2.0], [3.0, 4.0]]
    """
    return run("embedding", (table, ids), ids=1)


def concat(parts: Sequence[Input]) -> Variable:
    """The columns of all parts [..., N_i], one beside another: [..., sum of N_i].

    Example:
        >>> heed.ops.concat([[[1.0], [2.0]], [[3.0], [4.0]]]).tolist()
        [[1.0, 3.0], [2.0, 4.0]]
    """
    return run("concat", tuple(parts))


def stack(parts: Sequence[Input]) -> Variable:
    """Parts of equal shape [...] one after another: [number of parts, ...]."""
    return run("stack", tuple(parts))


def slice(x: Input, begin: int = 0, end: Optional[int] = None, axis: int = 0) -> Variable:
    """Elements from `begin` to before `end` of the first (0) or the last (-1) dimension.

    Negative positions count from the end; None is the end. x[:, 2:5] slices any dimension.
    """
    last = (1 << 63) - 1
    return run("slice", (x,), {"begin": int(begin), "end": last if end is None else int(end),
                               "axis": int(axis)})


def select(x: Input, i: int = 0) -> Variable:
    """Element i of the first dimension: x [N, ...] to [...]. -1 is the last."""
    return run("select", (x,), {"i": int(i)})


def reshape(x: Input, shape: Sequence[int]) -> Variable:
    """The elements of x in another shape. One dimension may be -1: what is left."""
    return run("reshape", (x,), {"shape": [int(size) for size in shape]})


def transpose(x: Input) -> Variable:
    """x with its first two dimensions swapped: [A, B, ...] to [B, A, ...]."""
    return run("transpose", (x,))


def split_heads(x: Input, heads: int = 1) -> Variable:
    """Splits the features of x into heads: [B, T, heads * D] to [B * heads, T, D].

    Row b * heads + h of the result is head h of row b of the batch.
    """
    return run("split_heads", (x,), {"heads": int(heads)})


def merge_heads(x: Input, heads: int = 1) -> Variable:
    """Joins the features of all heads: [B * heads, T, D] to [B, T, heads * D]."""
    return run("merge_heads", (x,), {"heads": int(heads)})


# ---- Sums and losses -----------------------------------------------------------

def sum(x: Input) -> Variable:
    """Sum of all elements []."""
    return run("sum", (x,))


def row_sums(x: Input) -> Variable:
    """Sum of each row: [..., N] to [...].

    Example:
        >>> heed.ops.row_sums([[1.0, 2.0], [3.0, 4.0]]).tolist()
        [3.0, 7.0]
    """
    return run("row_sums", (x,))


def mean(x: Input) -> Variable:
    """Mean of all elements []."""
    return run("mean", (x,))


def pick(x: Input, columns: Input) -> Variable:
    """One element of each row: x [..., N] and columns [...] to [...].

    `columns` are whole numbers from 0 to N - 1; -1 gives 0.

    Example:
        >>> heed.ops.pick([[1.0, 2.0], [3.0, 4.0]], [1, 0]).tolist()
        [2.0, 3.0]
    """
    return run("pick", (x, columns), ids=1)


def cross_entropy(logits: Input, targets: Input, ignore: int = -1,
                  smoothing: float = 0.0) -> Variable:
    """Mean of the negative log probability of the targets [].

    Args:
        logits: Scores of each class before the softmax [..., V].
        targets: Right classes [...], whole numbers from 0 to V - 1.
        ignore: Targets of this number do not count.
        smoothing: Probability that is spread over all classes (Szegedy et al. 2015), from 0
            to below 1.

    Example:
        >>> round(heed.ops.cross_entropy([[0.0, 0.0]], [1]).item(), 4)
        0.6931
    """
    return run("cross_entropy", (logits, targets),
               {"ignore": int(ignore), "smoothing": float(smoothing)}, ids=1)


def binary_cross_entropy(logits: Input, targets: Input) -> Variable:
    """Mean of -t log p - (1 - t) log(1 - p) with p = sigmoid(logit) [].

    Args:
        logits: Numbers [...].
        targets: Probabilities t from 0 to 1 [...], which get no gradient.
    """
    return run("binary_cross_entropy", (logits, targets))


def mse(y: Input, targets: Input) -> Variable:
    """Mean of the squared differences of y [...] and targets [...], which get no gradient.

    Example:
        >>> heed.ops.mse([1.0, 3.0], [0.0, 0.0]).item()
        5.0
    """
    return run("mse", (y, targets))


# ---- Images --------------------------------------------------------------------

def conv2d(x: Input, weight: Input, bias: Optional[Input] = None, *, stride: int = 1,
           padding: int = 0) -> Variable:
    """Convolution of images with square filters.

    Args:
        x: Images [B, H, W, C].
        weight: Filters [K, K, C, F].
        bias: Numbers [F], or None.
        stride: Pixels from one place of a filter to the next.
        padding: Rows and columns of zeros around each image.

    Returns: [B, H', W', F] with H' = (H + 2 * padding - K) // stride + 1.
    """
    inputs = (x, weight) if bias is None else (x, weight, bias)
    return run("conv2d", inputs, {"stride": int(stride), "padding": int(padding)})


def max_pool2d(x: Input, size: int = 2) -> Variable:
    """Maxima of adjacent squares: x [B, H, W, C] to [B, H // size, W // size, C]."""
    return run("max_pool2d", (x,), {"size": int(size)})


# ---- Recurrences ---------------------------------------------------------------

def rnn(x: Input, h0: Input, weight: Input, lengths: Optional[Input] = None) -> Variable:
    """h' = tanh(x + h @ weight) for each step.

    Args:
        x: Products of the input and its weights [T, B, H].
        h0: First state [B, H].
        weight: Recurrent weights [H, H].
        lengths: Steps of each row [B], whole numbers; later steps keep the state. None: T.

    Returns: The states [T, B, H].
    """
    inputs = (x, h0, weight) if lengths is None else (x, h0, weight, lengths)
    return run("rnn", inputs, ids=3)


def gru(x: Input, h0: Input, weight: Input, bias: Optional[Input] = None,
        lengths: Optional[Input] = None, kind: str = "cudnn") -> Variable:
    """Gated recurrent units over a sequence. Gates stand in the order r, z, n.

    Args:
        x: Products of the input and its weights, with bias [T, B, 3H].
        h0: First state [B, H].
        weight: Recurrent weights [H, 3H]; of the kinds cho and bahdanau [H, 2H].
        bias: Recurrent bias [3H]; of the kinds cho and bahdanau the weights of the
            candidate [H, H]. None: zeros.
        lengths: Steps of each row [B], whole numbers; later steps keep the state. None: T.
        kind: "cudnn" (also that of PyTorch), "cho" or "bahdanau".

    Returns: The states [T, B, H].
    """
    if lengths is not None and bias is None:
        x = constant(x)
        bias = constant_filled(x.shape[-1:], 0.0, x.dtype)
    optional = [part for part in (bias, lengths) if part is not None]
    return run("gru", [x, h0, weight] + optional, {"kind": kind}, ids=4)


def lstm(x: Input, state0: Input, weight: Input,
         lengths: Optional[Input] = None) -> Tuple[Variable, Variable]:
    """Long short-term memory over a sequence. Gates stand in the order i, f, g, o.

    Args:
        x: Products of the input and its weights, with bias [T, B, 4H].
        state0: First states (h, c) [2, B, H].
        weight: Recurrent weights [H, 4H].
        lengths: Steps of each row [B], whole numbers; later steps keep the state. None: T.

    Returns: The states [T, B, H], and the last states (h, c) [2, B, H].
    """
    inputs = (x, state0, weight) if lengths is None else (x, state0, weight, lengths)
    return run("lstm", inputs, ids=3, results=2)


__all__ = [name for name, value in list(globals().items())
           if callable(value) and getattr(value, "__module__", "") == __name__]
