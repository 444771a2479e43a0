"""Layers of own models.

A layer is a `Module`: an object with parameters that is called with arrays or variables.
Sequences are [B, T, D]: B rows of a batch, T steps, D features.

Example:
    >>> class Tagger(heed.nn.Module):
    ...     def __init__(self):
    ...         self.embedding = heed.nn.Embedding(100, 16)
    ...         self.attention = heed.nn.Attention(16, heads=2)
    ...         self.output = heed.nn.Linear(16, 5)
    ...     def __call__(self, ids):
    ...         h = self.embedding(ids)
    ...         return self.output(h + self.attention(h))
    >>> Tagger()([[1, 2, 3]]).shape
    (1, 3, 5)
"""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from . import _attention, ops
from ._arrays import Array, to_array
from ._mask import Mask, mask_array
from ._tensors import (Parameter, Variable, constant, constant_filled, next_seed, recording,
                       restart_seeds, uniform)
from .errors import ConfigError, ShapeError

__all__ = ["Attention", "Dropout", "Embedding", "GRU", "LSTM", "LayerNorm", "Linear",
           "Module", "Sequential", "Transformer", "positions", "seed"]


def seed(number: int) -> None:
    """Sets the seed from which all layers that are made afterwards get their random numbers.

    Example:
        >>> heed.nn.seed(7)
        >>> a = heed.nn.Linear(2, 2).weight.tolist()
        >>> heed.nn.seed(7)
        >>> a == heed.nn.Linear(2, 2).weight.tolist()
        True
    """
    restart_seeds(number)


def positions(n: int, dim: int, base: float = 10000.0) -> Array:
    """Sinusoidal positions (Vaswani et al. 2017), to be added to embeddings.

    Args:
        n: Number of positions.
        dim: Features. Feature 2i is sin(t / base^(2i / dim)), feature 2i + 1 the cosine.
        base: Sets the longest wave.

    Returns: float32 [n, dim].

    Example:
        >>> heed.nn.positions(2, 4)[0].tolist()
        [0.0, 1.0, 0.0, 1.0]
    """
    waves = [base ** (-(i - i % 2) / dim) for i in range(dim)]
    return to_array([[math.cos(t * wave) if i % 2 else math.sin(t * wave)
                      for i, wave in enumerate(waves)] for t in range(n)]
                    if n and dim else _no_rows(n, dim), "float32")


def _no_rows(n: int, dim: int) -> Array:
    return constant_filled((n, dim), 0.0, "float32").array


class Module:
    """Base of layers and models. Its parameters are those of its attributes.

    Attributes that are parameters, modules, or lists, tuples and dictionaries of these, are
    found. Nothing has to be registered, and `super().__init__()` need not be called.
    """

    def named_parameters(self) -> Dict[str, Parameter]:
        """All parameters by path, such as "encoder.0.weight". A shared one appears once."""
        found: Dict[str, Parameter] = {}
        seen = set()
        for path, parameter in _walk("", self, set()):
            if id(parameter) not in seen:
                seen.add(id(parameter))
                found[path] = parameter
        return found

    def parameters(self) -> List[Parameter]:
        """All parameters, in the order of the attributes."""
        return list(self.named_parameters().values())

    def state(self) -> Dict[str, Array]:
        """Copies of all parameters by path.

        Example:
            >>> sorted(heed.nn.Linear(2, 3).state())
            ['bias', 'weight']
        """
        return {path: one.array for path, one in self.named_parameters().items()}

    def load_state(self, state: Dict[str, Any]) -> None:
        """Replaces all parameters by arrays by path, such as state() of an equal module.

        Raises:
            ConfigError: Paths are missing or unknown. Nothing is replaced.
            ShapeError: An array has another shape than its parameter.
        """
        own = self.named_parameters()
        wrong = sorted(set(own) ^ set(state))
        if wrong:
            raise ConfigError("the state does not fit the module: {} of one is not in the "
                              "other".format(", ".join(wrong[:5])))
        arrays = {path: to_array(array) for path, array in state.items()}
        for path, array in arrays.items():
            if array.shape != own[path].shape:
                raise ShapeError("{} is {} in the state and {} in the module".format(
                    path, list(array.shape), list(own[path].shape)))
        for path, array in arrays.items():
            own[path].assign(array)

    def __repr__(self) -> str:
        count = sum(parameter.size for parameter in self.parameters())
        return "{}({} parameters)".format(type(self).__name__, count)


def _walk(path: str, value: Any, above: set) -> Iterator[Tuple[str, Parameter]]:
    """The parameters in an attribute with their paths."""
    if isinstance(value, Parameter):
        yield path, value
        return
    if isinstance(value, Module):
        parts: Any = vars(value).items()
    elif isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, (list, tuple)):
        parts = enumerate(value)
    else:
        return
    if id(value) in above:
        return
    for name, part in parts:
        below = "{}.{}".format(path, name) if path else str(name)
        yield from _walk(below, part, above | {id(value)})


class Linear(Module):
    """x @ weight + bias, for x [..., inputs] and a result [..., outputs].

    Args:
        inputs: Features of x.
        outputs: Features of the result.
        bias: Add a bias.

    Attributes:
        weight: Parameter [inputs, outputs].
        bias: Parameter [outputs], or None.

    Example:
        >>> heed.nn.Linear(3, 2)([[1.0, 2.0, 3.0]]).shape
        (1, 2)
    """

    def __init__(self, inputs: int, outputs: int, bias: bool = True):
        self.weight = Parameter((inputs, outputs), "weight")
        self.bias = Parameter((outputs,), "bias") if bias else None

    def __call__(self, x: Any) -> Variable:
        if self.bias is None:
            return ops.matmul(x, self.weight)
        return ops.linear(x, self.weight, self.bias)


class Embedding(Module):
    """A vector for each number: ids [...] to [..., dim].

    Args:
        count: Numbers 0 to count - 1.
        dim: Features of a vector, at first random with variance 1 / dim.

    Attributes:
        weight: Parameter [count, dim].

    Example:
        >>> heed.nn.Embedding(10, 4)([[1, 2, 3]]).shape
        (1, 3, 4)
    """

    def __init__(self, count: int, dim: int):
        self.weight = Parameter(uniform((count, dim), (3.0 / max(dim, 1)) ** 0.5), "weight")

    def __call__(self, ids: Any) -> Variable:
        return ops.embedding(self.weight, ids)


class LayerNorm(Module):
    """Each row with mean 0 and variance 1, times a gain, plus a bias (Ba et al. 2016).

    Args:
        dim: Features of a row.
        epsilon: Added to the variance.

    Attributes:
        gain: Parameter [dim].
        bias: Parameter [dim].
    """

    def __init__(self, dim: int, epsilon: float = 1e-5):
        self.gain = Parameter([1.0] * dim, "gain")
        self.bias = Parameter((dim,), "bias")
        self.epsilon = epsilon

    def __call__(self, x: Any) -> Variable:
        return ops.layer_norm(x, self.gain, self.bias, self.epsilon)


class Dropout(Module):
    """Sets a share of the elements to 0 while a `heed.Tape` records; else x is unchanged.

    Args:
        rate: Share of zeros, from 0 to below 1. Other elements are divided by 1 - rate.
    """

    def __init__(self, rate: float = 0.1):
        if not 0 <= rate < 1:
            raise ConfigError("the rate of dropout is {}; it must be from 0 to below 1".format(
                rate))
        self.rate = rate

    def __call__(self, x: Any) -> Variable:
        if self.rate == 0 or recording() is None:
            return constant(x)
        return ops.dropout(x, self.rate, next_seed())


class Sequential(Module):
    """Layers and functions, each called with the result of the one before.

    Example:
        >>> net = heed.nn.Sequential(heed.nn.Linear(2, 8), heed.ops.relu, heed.nn.Linear(8, 1))
        >>> net([[0.5, 1.0]]).shape
        (1, 1)
    """

    def __init__(self, *layers: Callable[[Any], Any]):
        self.layers = list(layers)

    def __call__(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x


class GRU(Module):
    """Gated recurrent units over a sequence, in the form of cuDNN and PyTorch.

    Args:
        inputs: Features of each step.
        units: Features of a state.

    Example:
        >>> states, last = heed.nn.GRU(3, 5)([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]])
        >>> states.shape, last.shape
        ((1, 2, 5), (1, 5))
    """

    def __init__(self, inputs: int, units: int):
        self.units = units
        self.input = Linear(inputs, 3 * units)
        self.weight = Parameter(_recurrent(units, 3), "weight")
        self.bias = Parameter((3 * units,), "bias")

    def __call__(self, x: Any, state: Any = None,
                 lengths: Any = None) -> Tuple[Variable, Variable]:
        """Reads a sequence.

        Args:
            x: Steps [B, T, inputs].
            state: First state [B, units]. None: zeros.
            lengths: Steps of each row [B]; later steps keep the state. None: T.

        Returns: The states [B, T, units], and the last state [B, units].
        """
        gates = ops.transpose(self.input(x))
        if state is None:
            state = constant_filled((gates.shape[1], self.units), 0.0, gates.dtype)
        states = ops.gru(gates, state, self.weight, self.bias, lengths)
        return ops.transpose(states), ops.select(states, -1)


class LSTM(Module):
    """Long short-term memory over a sequence.

    Args:
        inputs: Features of each step.
        units: Features of a state.

    Example:
        >>> states, (h, c) = heed.nn.LSTM(3, 5)([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]])
        >>> states.shape, h.shape
        ((1, 2, 5), (1, 5))
    """

    def __init__(self, inputs: int, units: int):
        self.units = units
        self.input = Linear(inputs, 4 * units)
        self.weight = Parameter(_recurrent(units, 4), "weight")

    def __call__(self, x: Any, state: Any = None, lengths: Any = None
                 ) -> Tuple[Variable, Tuple[Variable, Variable]]:
        """Reads a sequence.

        Args:
            x: Steps [B, T, inputs].
            state: First states (h, c), each [B, units]. None: zeros.
            lengths: Steps of each row [B]; later steps keep the state. None: T.

        Returns: The states [B, T, units], and the last states (h, c), each [B, units].
        """
        gates = ops.transpose(self.input(x))
        if state is None:
            both: Any = constant_filled((2, gates.shape[1], self.units), 0.0, gates.dtype)
        else:
            both = ops.stack(state)
        states, last = ops.lstm(gates, both, self.weight, lengths)
        return ops.transpose(states), (ops.select(last, 0), ops.select(last, 1))


def _recurrent(units: int, gates: int) -> Array:
    """First values of recurrent weights [units, gates * units]."""
    return uniform((units, gates * units), max(units, 1) ** -0.5)


class Attention(Module):
    """Attention with learned projections: multi-head attention, with any parts.

    Args:
        dim: Features of queries, keys, values and the result. A multiple of `heads`.
        heads: Heads.
        score: A score such as "scaled_dot" or "additive", or a whole `heed.Attention`,
            whose heads count if `heads` is 1, and whose seed counts unless it is 1.
        project: Project queries, keys, values and the result by matrices. False: only the
            attention itself, such as that of Bahdanau et al. 2014.
        parts: Other parts of `heed.Attention`: modifiers, mask, normalizer, dropout, ...

    Raises:
        ConfigError: Parts that do not exist or do not fit together.

    Example:
        >>> h = heed.nn.positions(5, 8)
        >>> layer = heed.nn.Attention(8, heads=2, mask="causal")
        >>> layer([h]).shape
        (1, 5, 8)
        >>> context, weights = layer([h], weights=True)
        >>> weights.shape
        (1, 2, 5, 5)
    """

    def __init__(self, dim: int, heads: int = 1, score: Any = "scaled_dot", *,
                 project: bool = True, **parts: Any):
        base = score if isinstance(score, _attention.Attention) else None
        if base is None:
            base = _attention.Attention(score, heads=heads, **parts)
        elif heads != 1 or parts:
            base = base.replace(**dict(parts, heads=heads if heads != 1 else base.heads))
        if base.seed == 1:
            base = base.replace(seed=next_seed() >> 1)
        if base.score.partition("(")[0].strip() == "location" and base.positions == 0:
            raise ConfigError("the score 'location' needs positions=N, the longest source")
        self.attention = base
        keys = dim // base.heads * (base.key_heads or base.heads)
        names = (("query", dim), ("key", keys), ("value", keys)) if project else ()
        self.projections = {name: Linear(dim, size) for name, size in names}
        self.output = Linear(dim, dim) if project else None
        self._handle = _attention.new_attention(base, (dim, keys, keys))
        self.parts = _attention.parameters_of(self._handle)

    def __call__(self, q: Any, k: Any = None, v: Any = None, mask: Any = None,
                 weights: bool = False) -> Any:
        """Attends.

        Args:
            q: Queries [B, T, dim] or [T, dim].
            k: Keys [B, S, dim] or [S, dim]. None: the queries.
            v: Values of the shape of the keys. None: the keys.
            mask: A further mask: a text, an array [T, S] or [B, T, S], a `heed.Mask`, or a
                function (t, s) -> bool.
            weights: Return also the weights.

        Returns: Context in the shape of the queries; with `weights` a pair of the context
            and the weights [B, H, T, S].
        """
        q = constant(q)
        k = q if k is None else constant(k, q)
        v = k if v is None else constant(v, q)
        flat = q.ndim == 2
        inputs = [self._projected(name, x.reshape((1,) + x.shape) if flat else x)
                  for name, x in (("query", q), ("key", k), ("value", v))]
        for name, x in zip("qkv", inputs):
            if x.ndim != 3:
                raise ShapeError("{} has {} dimensions, not 2 or 3 like all others".format(
                    name, x.ndim))
        sizes = (inputs[1].shape[0], inputs[0].shape[1], inputs[1].shape[1])
        own = self.attention.mask  # a text is a part of the handle
        masks = [own if isinstance(own, Mask) else None, mask]
        array = mask_array(masks, sizes)
        context, found = _attention.attend_recorded(
            self._handle, [(one, one) for one in self.parts.values()], inputs, array, weights,
            self.attention.dropout)
        if self.output is not None:
            context = self.output(context)
        context = context.reshape(context.shape[1:]) if flat else context
        return (context, found) if weights else context

    def _projected(self, name: str, x: Any) -> Any:
        return self.projections[name](x) if name in self.projections else x


class _Block(Module):
    """A layer of a Transformer: each part adds to x what it makes of the normalised x."""

    def __init__(self, dim: int, attention: _attention.Attention, hidden: int, dropout: float,
                 cross: bool):
        self.norms = [LayerNorm(dim) for _ in range(3 if cross else 2)]
        self.attention = Attention(dim, score=attention)
        self.cross = Attention(dim, attention.heads, key_heads=attention.key_heads,
                               dropout=attention.dropout) if cross else None
        self.feed_forward = Sequential(Linear(dim, hidden), ops.gelu, Linear(hidden, dim))
        self.dropout = Dropout(dropout)

    def __call__(self, x: Any, source: Any, mask: Any, source_mask: Any) -> Variable:
        x = x + self.dropout(self.attention(self.norms[0](x), mask=mask))
        if self.cross is not None:
            h = self.norms[1](x)
            x = x + self.dropout(self.cross(h, source, mask=source_mask))
        return x + self.dropout(self.feed_forward(self.norms[-1](x)))


class Transformer(Module):
    """Layers of self-attention and feed-forward networks (Vaswani et al. 2017).

    Each layer normalises its input first, and a last normalisation follows all layers. The
    feed-forward networks use GELU.

    Args:
        dim: Features of each step, a multiple of the heads.
        depth: Layers.
        heads: Heads of attention.
        attention: Parts of the self-attention, such as
            heed.Attention("scaled_dot", ["rotary"], mask="causal"). None: plain.
        hidden: Features inside of the feed-forward networks. 0: 4 * dim.
        dropout: Rate of dropout.
        cross: Each layer also attends to a source, as the decoder of a translation model.

    Example:
        >>> encoder = heed.nn.Transformer(dim=16, depth=2, heads=4)
        >>> encoder([heed.nn.positions(5, 16)]).shape
        (1, 5, 16)
    """

    def __init__(self, dim: int, depth: int, heads: int,
                 attention: Optional[_attention.Attention] = None, *, hidden: int = 0,
                 dropout: float = 0.0, cross: bool = False):
        parts = (attention or _attention.Attention()).replace(heads=heads)
        self.layers = [_Block(dim, parts, hidden or 4 * dim, dropout, cross)
                       for _ in range(depth)]
        self.norm = LayerNorm(dim)

    def __call__(self, x: Any, source: Any = None, mask: Any = None,
                 source_mask: Any = None) -> Variable:
        """Computes the result [B, T, dim].

        Args:
            x: Steps [B, T, dim], such as embeddings plus `positions`.
            source: With `cross`: vectors [B, S, dim] to attend to.
            mask: A further mask of the self-attention; see `Attention`.
            source_mask: A mask of the attention to the source.
        """
        for layer in self.layers:
            if (source is None) != (layer.cross is None):
                raise ConfigError("a Transformer needs a source if it has cross=True, and "
                                  "takes none otherwise")
            x = layer(constant(x), source, mask, source_mask)
        return self.norm(x)
