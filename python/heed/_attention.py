"""Attention of arrays: weights, context and gradients."""

from __future__ import annotations

import functools
from ctypes import byref, c_void_p
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from ._arrays import Array, as_handle, new_array, to_array
from ._library import Handle, check, encode_json, lib, make
from ._mask import Mask, mask_parts
from ._tensors import (Parameter, Tape, Variable, constant, handle_on, next_seed, recording,
                       run)
from .errors import ArgumentError, ConfigError, ShapeError

_OPERANDS = (Variable, Parameter)
_FIELDS = ("score", "modifiers", "mask", "normalizer", "heads", "key_heads", "units",
           "layers", "positions", "seed", "dropout")


class Attention:
    """The parts of an attention: a value, which any number of calls and modules may use.

    `heed list attentions` lists all scores, modifiers, masks and normalisers with their
    formulas. Numbers of a part stand in parentheses: "local_p(10)".

    Args:
        score: Compatibility of a query and a key: "scaled_dot", "dot", "additive",
            "general", "cosine", ...
        modifiers: Changes of the scores, in order, such as ["rotary", "soft_cap(30)"].
        mask: Which keys a query may attend to: a text such as "causal && window(4)", an
            array of truth values [T, S] or [B, T, S], a `heed.Mask`, or a function
            (t, s) -> bool. None: all.
        normalizer: From scores to weights: "softmax", "sparsemax", "entmax15", ...
        heads: Heads of the queries. Each has its part of the features.
        key_heads: Heads of keys and values, a divisor of `heads`. 0: as many.
        units: Width of the hidden layer of scores that have one. 0: the features of a key
            head.
        layers: Hidden layers of the score "mlp".
        positions: Longest source of the score "location". 0: that of the first call.
        seed: Seed of the first values of its parameters.
        dropout: Share of the weights that become 0 while a `heed.Tape` records the
            attention, from 0 to below 1. Other weights are divided by 1 - dropout.

    Raises:
        ConfigError: When it is used, if a part does not exist or parts do not fit together.

    Example:
        >>> heed.Attention("additive", heads=2)
        Attention('additive', heads=2)
        >>> heed.Attention("dot") == heed.Attention(score="dot")
        True
    """

    __slots__ = _FIELDS + ("_hash",)

    def __init__(self, score: str = "scaled_dot", modifiers: Union[str, Sequence[str]] = (),
                 mask: Any = None, normalizer: str = "softmax", heads: int = 1,
                 key_heads: int = 0, units: int = 0, *, layers: int = 2, positions: int = 0,
                 seed: int = 1, dropout: float = 0.0):
        if isinstance(modifiers, str):
            modifiers = [part for part in modifiers.split(";") if part.strip()]
        if not (mask is None or isinstance(mask, str)):
            mask = mask if isinstance(mask, Mask) else Mask(mask)
            mask = mask._text() or mask
        values = (str(score), tuple(modifiers), mask, str(normalizer), int(heads),
                  int(key_heads), int(units), int(layers), int(positions), int(seed), float(dropout))
        for name, value in zip(_FIELDS + ("_hash",), values + (hash(values),)):
            object.__setattr__(self, name, value)
        if self.heads < 1 or self.key_heads < 0:
            raise ConfigError("an attention needs 1 head or more, not {} with {} heads of "
                              "keys".format(self.heads, self.key_heads))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("an Attention cannot be changed; replace() makes another")

    def replace(self, **changes: Any) -> "Attention":
        """A copy with other parts, such as attention.replace(heads=4)."""
        return Attention(**dict(self._asdict(), **changes))

    def parameters(self, query: int, key: int, value: int = 0,
                   dtype: str = "float32") -> Dict[str, Array]:
        """The first values of its parameters by name; empty if it has none.

        Args:
            query: Features of a query, over all heads.
            key: Features of a key, over all heads of keys.
            value: Features of a value. 0: as a key.
            dtype: "float32" or "float64".

        Example:
            >>> sorted(heed.Attention("additive", units=4).parameters(query=3, key=3))
            ['key.bias', 'key.weight', 'query.weight', 'score.weight']
        """
        handle = _new_attention(self._key(self._text(), (query, key, value or key), 0, dtype))
        return {name: parameter.array for name, parameter in parameters_of(handle).items()}

    def _asdict(self) -> Dict[str, Any]:
        return {name: getattr(self, name) for name in _FIELDS}

    def _text(self) -> str:
        return self.mask if isinstance(self.mask, str) else ""

    def _key(self, mask: str, features: Tuple[int, int, int], positions: int,
             dtype: str) -> "_Key":
        query, key, value = features
        units = self.units or key // (self.key_heads or self.heads)
        return _Key(self.score, self.modifiers, mask or "none", self.normalizer, self.heads,
                    self.key_heads, query, key, value, units, self.layers,
                    self.positions or positions, self.dropout, self.seed,
                    "f64" if dtype == "float64" else "f32")

    def __eq__(self, other: Any) -> bool:
        return self is other or (isinstance(other, Attention)
                                 and self._asdict() == other._asdict())

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> Any:
        return functools.partial(Attention, **self._asdict()), ()

    def __repr__(self) -> str:
        plain = Attention()
        parts = [repr(self.score)] + ["{}={!r}".format(name, getattr(self, name))
                                      for name in _FIELDS[1:]
                                      if getattr(self, name) != getattr(plain, name)]
        return "Attention({})".format(", ".join(parts))


class Attended:
    """The result of `attend`. ``context, weights = heed.attend(...)`` unpacks it.

    Attributes:
        context: Weighted sums of the values, for each query, in the layout of the inputs.
        weights: Weight of each key for each query [B, H, T, S]; None if not requested.
    """

    __slots__ = ("context", "weights", "_backward")

    def __init__(self, context: Any, weights: Any, backward: Any):
        self.context = context
        self.weights = weights
        self._backward = backward

    def gradient(self, dcontext: Any = None) -> Dict[str, Any]:
        """The gradients of sum(dcontext * context).

        Args:
            dcontext: Gradient of the context, in its shape. None: ones.

        Returns: Arrays "q", "k" and "v" in the shapes of the inputs ("q" is None if there
            are no queries; if keys are also the values, "k" is the gradient as keys and "v"
            that as values), and "parameters": a dictionary of arrays by name.

        Raises: ShapeError for a gradient of another shape.

        Example:
            >>> a = heed.attend([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]])
            >>> a.gradient()["q"].shape
            (1, 2)
        """
        if self._backward is None:
            raise ArgumentError("the attention is part of the computation on a tape: "
                                "tape.gradient() computes its gradients")
        return self._backward(dcontext)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.context, self.weights))

    def __repr__(self) -> str:
        return "Attended(context={}, weights={})".format(
            *[None if part is None else list(part.shape) for part in self])


def attend(q: Any, k: Any, v: Any = None, attention: Optional[Attention] = None, *,
           weights: bool = True, parameters: Optional[Dict[str, Any]] = None,
           mask: Any = None, **keywords: Any) -> Attended:
    """Attends from queries to keys and sums the values.

    Args:
        q: Queries [T, D], [B, T, D] or, by heads, [B, H, T, D]: arrays of any library, in
            float32 or float64. None for the scores that have no queries, with T = 1.
        k: Keys [S, D], [B, S, D] or [B, H, S, D].
        v: Values [S, V], [B, S, V] or [B, H, S, V]. None: the keys.
        attention: The parts of the attention. None: those of the keywords.
        weights: Return the weights, which take memory T * S.
        parameters: Arrays or `heed.Parameter` by name that replace first values of the
            parameters of the attention; `Attention.parameters` shows names and shapes. On a
            tape, each `heed.Parameter` gets its gradient.
        mask: A further mask, for this call: a text, an array [T, S] or [B, T, S], a
            `heed.Mask`, or a function (t, s) -> bool.
        keywords: Parts of `heed.Attention`, such as score="cosine" and heads=4.

    Returns: Context [T, V], [B, T, V] or [B, H, T, V], with V features over all heads of
        queries; weights [T, S] ([H, T, S] for several heads), or [B, H, T, S]. If an input
        is a variable or a parameter, both are variables, on the tape that records.

    Raises:
        ShapeError: Arrays that do not fit together.
        ConfigError: Parts that do not exist or do not fit together.

    Example:
        >>> q, k = [[2.0, 0.0]], [[2.0, 0.0], [0.0, 2.0]]
        >>> context, weights = heed.attend(q, k, [[1.0], [0.0]], score="dot")
        >>> round(context.item(), 3), [round(w, 3) for w in weights[0]]
        (0.982, [0.982, 0.018])
        >>> heed.attend(q + q, k, mask="causal", normalizer="sparsemax").weights.tolist()
        [[1.0, 0.0], [1.0, 0.0]]
    """
    if attention is None:
        attention = _of_keywords(keywords) if keywords else _PLAIN
    elif keywords or isinstance(attention, str):
        given = Attention(attention) if isinstance(attention, str) else attention
        attention = given.replace(**keywords)
    learned = parameters and recording() and any(
        isinstance(one, _OPERANDS) for one in parameters.values())
    if learned or isinstance(q, _OPERANDS) or isinstance(k, _OPERANDS) or isinstance(
            v, _OPERANDS):
        return _attend_on_tape(q, k, v, attention, weights, parameters or {}, mask)
    return _Call(q, k, v, attention, parameters, mask).run(weights)


def _of_keywords(keywords: Dict[str, Any]) -> Attention:
    items = tuple(keywords.items())
    try:
        hash(items)
    except TypeError:  # a list or an array
        return Attention(**keywords)
    return _known(items)


@functools.lru_cache(maxsize=64)
def _known(keywords: Tuple[Tuple[str, Any], ...]) -> Attention:
    return Attention(**dict(keywords))


_PLAIN = Attention()


# ---- Attentions of the library -------------------------------------------------

class _Key(NamedTuple):
    """Options of heed_attention_new."""

    score: str
    modifiers: Tuple[str, ...]
    mask: str
    normalizer: str
    heads: int
    key_heads: int
    query: int
    key: int
    value: int
    units: int
    layers: int
    positions: int
    dropout: float
    seed: int
    dtype: str


def _new_attention(key: _Key) -> Handle:
    text = encode_json(key._asdict())
    return make("heed_attention_free", "attention", lib.heed_attention_new, text, len(text))


class _Made(NamedTuple):
    """An attention of the library, and true if it has parameters."""

    key: _Key
    handle: Handle
    has_parameters: bool


def new_attention(attention: Attention, features: Tuple[int, int, int]) -> Handle:
    """An attention of the library with parameters of its own, in float32."""
    return _new_attention(attention._key(attention._text(), features, 0, "float32"))


@functools.lru_cache(maxsize=128)
def _shared(key: _Key) -> _Made:
    """An attention for all users. Its parameters are never changed."""
    handle = _new_attention(key)
    return _Made(key, handle, lib.heed_attention_parameters(handle.use()) > 0)


def parameters_of(attention: Handle) -> Dict[str, Parameter]:
    """The parameters of an attention by name. Changes of them change the attention."""
    found = {}
    for i in range(lib.heed_attention_parameters(attention.use())):
        handle = make("heed_parameter_free", "parameter", lib.heed_attention_parameter,
                      attention.use(), i)
        name = lib.heed_parameter_name(handle.use()).decode()
        name = name[len("attention."):] if name.startswith("attention.") else name
        found[name] = Parameter._of(handle, name)
    return found


def _own_attention(key: _Key, values: Dict[str, Any]) -> Tuple[Handle, Dict[str, Parameter]]:
    """An attention for one user, with values of its parameters."""
    handle = _new_attention(key)
    parameters = parameters_of(handle)
    for name, value in values.items():
        if name not in parameters:
            raise ConfigError("the attention has no parameter '{}'; it has {}".format(
                name, ", ".join(sorted(parameters)) or "none"))
        parameters[name].assign(value.array if isinstance(value, _OPERANDS) else value)
    return handle, parameters


def attend_variables(attention: Handle, tape: Optional[Tape],
                     inputs: Sequence[Optional[Handle]], mask: Optional[Handle],
                     weights: bool) -> Tuple[Handle, Optional[Handle]]:
    """Calls heed_attention_attend with variables q, k and v."""
    context, found = c_void_p(), c_void_p()
    pointers = [None if one is None else one.use() for one in inputs]
    check(lib.heed_attention_attend(
        attention.use(), None if tape is None else tape._handle.use(), *pointers,
        None if mask is None else mask.use(), byref(context),
        byref(found) if weights else None))
    return (Handle(context.value or 0, "heed_variable_free", "variable"),
            Handle(found.value or 0, "heed_variable_free", "variable") if weights else None)


def weights_of_mask(text: str, queries: int, keys: int) -> List[float]:
    """Weights of equal scores under a mask: above 0 where it allows, row by row."""
    key = Attention("uniform")._key(text, (1, 1, 1), 0, "float32")
    inputs = [run("reshape", ([0.0] * size,), {"shape": [1, size, 1]})._handle
              for size in (queries, keys)]
    _, found = attend_variables(_shared(key).handle, None, inputs + [inputs[1]], None, True)
    flat = run("reshape", (Variable(found),), {"shape": [queries * keys]})
    return flat.tolist()


# ---- One call ------------------------------------------------------------------

class _Layout:
    """How inputs of 2 to 4 dimensions become those of the library [B, T, features].

    Attributes:
        sizes: Rows of the batch, queries and keys.
        features: Features of a query, a key and a value, over all heads.
    """

    def __init__(self, attention: Attention, q: Any, k: Any, v: Any):
        self.ndim = len(k)
        self._shared: Dict[Tuple[str, str], _Made] = {}
        for name, shape in (("q", q), ("k", k), ("v", v)):
            if shape is not None and (len(shape) != self.ndim or not 2 <= self.ndim <= 4):
                raise ShapeError("{} {} has {} dimensions; q, k and v have 2, 3 or 4, all "
                                 "equally many".format(name, list(shape), len(shape)))
        self.attention = self._of_heads(attention, q, k, v) if self.ndim == 4 else attention
        self.sizes = (k[0] if self.ndim > 2 else 1, 1 if q is None else q[-2], k[-2])
        heads = self.attention.heads
        key_heads = self.attention.key_heads or heads
        if self.ndim < 4:
            heads = key_heads = 1
        self.features = (heads * (k if q is None else q)[-1], key_heads * k[-1],
                         key_heads * v[-1])

    def shared(self, mask: str, dtype: str) -> "_Made":
        """An attention of these sizes, which must not be changed."""
        found = self._shared.get((mask, dtype))
        if found is None:
            found = _shared(self.attention._key(mask, self.features, self.sizes[2], dtype))
            if len(self._shared) < 8:
                self._shared[mask, dtype] = found
        return found

    @staticmethod
    def _of_heads(attention: Attention, q: Any, k: Any, v: Any) -> Attention:
        """The attention with the heads of [B, H, T, D]."""
        heads = attention.heads if q is None else q[1]
        if attention.heads not in (1, heads) or k[1] != v[1]:
            raise ShapeError("heads are the second dimension of q {}, k {} and v {}, which "
                             "does not fit {} heads".format(
                                 None if q is None else list(q), list(k), list(v),
                                 attention.heads))
        return attention.replace(heads=heads, key_heads=k[1])

    def context(self, array: Array) -> Array:
        """The context [B, T, H * D] in the layout of the inputs."""
        if self.ndim == 2:
            return array[0]
        return array if self.ndim == 3 else _by_head(array, self.attention.heads)

    def context_shape(self, shape: Tuple[int, ...]) -> Tuple[int, ...]:
        """The shape of a context [B, T, H * D] in the layout of the inputs."""
        batch, steps, features = shape
        heads = self.attention.heads
        return {2: (steps, features), 3: shape,
                4: (batch, heads, steps, features // heads)}[self.ndim]

    def weights(self, array: Array) -> Array:
        """The weights [B, H, T, S] in the layout of the inputs."""
        if self.ndim > 2:
            return array
        return array[0, 0] if self.attention.heads == 1 else array[0]


_layout = functools.lru_cache(maxsize=256)(_Layout)


def _by_head(array: Array, heads: int) -> Array:
    """[B, T, H * D] as [B, H, T, D], without a copy."""
    batch, steps, features = array.shape
    size = features // heads
    return Array._part(array._handle, array._code, (batch, heads, steps, size),
                       (steps * features, size, features, 1), array._address)


def _flat_heads(array: Array) -> Handle:
    """The handle of [B, H, T, D] as [B, T, H * D]."""
    batch, heads, steps, size = array.shape
    strides = array._strides
    order = (strides[0], strides[2], strides[1], strides[3])
    moved = new_array(array._code, (batch, steps, heads, size), order, array._address)
    return new_array(array._code, (batch, steps, heads * size), None, moved._address)._handle


def _array(pointer: c_void_p) -> Array:
    return Array._of(Handle(pointer.value or 0, "heed_array_free", "array"))


class _Call:
    """Inputs of attend that are arrays."""

    __slots__ = ("dtype", "layout", "inputs", "mask", "made", "parameters")

    def __init__(self, q: Any, k: Any, v: Any, attention: Attention,
                 parameters: Optional[Dict[str, Any]], mask: Any):
        if k is None:
            raise ArgumentError("attend needs keys")
        arrays = [None if one is None else to_array(one) for one in (q, k, v)]
        kinds = [one.dtype for one in arrays if one is not None]
        self.dtype = "float64" if "float64" in kinds else "float32"
        if kinds.count(self.dtype) < len(kinds):
            arrays = [None if one is None else to_array(one, self.dtype) for one in arrays]
        shapes = [None if one is None else one.shape for one in arrays]
        self.layout = _layout(attention, shapes[0], shapes[1], shapes[2] or shapes[1])
        self.inputs = [None if one is None else self.handle(one) for one in arrays]
        text, self.mask = ("", None) if mask is attention.mask is None else mask_parts(
            attention, mask, self.layout.sizes)
        self.made = self.layout.shared(text, self.dtype)
        self.parameters = parameters

    def run(self, weights: bool) -> Attended:
        """Attends without a tape."""
        handle = self.made.handle
        if self.parameters:
            handle = _own_attention(self.made.key, self.parameters)[0]
        context, found = c_void_p(), c_void_p()
        pointers = [None if one is None else one.use() for one in self.inputs]
        check(lib.heed_attention_run(
            handle.use(), *pointers, None if self.mask is None else self.mask.use(),
            byref(context), byref(found) if weights else None))
        result = self.layout.context(_array(context))
        return Attended(result, self.layout.weights(_array(found)) if weights else None,
                        self.gradient)

    def handle(self, array: Array) -> Handle:
        """The array as [B, T, features]."""
        if array.ndim == 3:
            return as_handle(array)
        if array.ndim == 4:
            return _flat_heads(array)
        return new_array(array._code, (1,) + array.shape, (0,) + array._strides,
                         array._address)._handle

    def gradient(self, dcontext: Any) -> Dict[str, Any]:
        """The gradients of the inputs and parameters."""
        handle = self.made.handle
        parameters: Dict[str, Parameter] = {}
        if self.made.has_parameters:
            handle, parameters = _own_attention(self.made.key, self.parameters or {})
        tape = Tape()
        q, k, v = self.inputs
        inputs = [None if one is None else tape.watch(Array._of(one))
                  for one in (q, k, v or k)]
        context, _ = attend_variables(
            handle, tape, [None if one is None else one._handle for one in inputs],
            self.mask, False)
        output = Variable(context, tape)
        for one in parameters.values():
            tape._note(one, one)
        leaves = [one for one in inputs if one is not None]
        found = iter(tape.gradient(output, leaves + list(parameters.values()),
                                   self._seed(dcontext, output.shape)))
        gradients: Dict[str, Any] = {
            name: None if one is None else self._restored(name, next(found))
            for name, one in zip("qkv", inputs)}
        gradients["parameters"] = dict(zip(parameters, found))
        return gradients

    def _restored(self, name: str, array: Array) -> Array:
        """A gradient [B, T, features] in the layout of its input."""
        heads = self.layout.attention.heads
        if self.layout.ndim == 4:
            return _by_head(array, heads if name == "q" else
                            self.layout.attention.key_heads or heads)
        return array if self.layout.ndim == 3 else array[0]

    def _seed(self, dcontext: Any, shape: Tuple[int, ...]) -> Optional[Array]:
        """The gradient of the context as [B, T, H * D]."""
        if dcontext is None:
            return None
        array = to_array(dcontext, self.dtype)
        expected = list(self.layout.context_shape(shape))
        if list(array.shape) != expected:
            raise ShapeError("the gradient of the context is {}, the context {}".format(
                list(array.shape), expected))
        return Array._of(self.handle(array))


# ---- On a tape -----------------------------------------------------------------

def _attend_on_tape(q: Any, k: Any, v: Any, attention: Attention, weights: bool,
                    parameters: Dict[str, Any], mask: Any) -> Attended:
    for name, value in parameters.items():
        if isinstance(value, Variable) and value._tape is not None:
            raise ArgumentError("the parameter '{}' is a result on a tape, which gets no "
                                "gradient here: give a heed.Parameter, or use "
                                "heed.nn.Attention".format(name))
    like = next(one for one in (q, k, v, *parameters.values()) if isinstance(one, _OPERANDS))
    inputs = [None if one is None else constant(one, like) for one in (q, k, v)]
    if inputs[1] is None:
        raise ArgumentError("attend needs keys")
    inputs[2] = inputs[1] if inputs[2] is None else inputs[2]
    layout = _layout(attention, *[None if one is None else one.shape for one in inputs])
    text, array = mask_parts(attention, mask, layout.sizes)
    made = layout.shared(text, like.dtype)
    handle = made.handle
    learned: List[Tuple[Parameter, Parameter]] = []
    if made.has_parameters or parameters:
        handle, own = _own_attention(made.key, parameters)
        learned = [(value, own[name]) for name, value in parameters.items()
                   if isinstance(value, Parameter)]
    context, found = attend_recorded(handle, learned, [_three(one) for one in inputs], array,
                                     weights, attention.dropout)
    if layout.ndim == 2:
        context = context.reshape(context.shape[1:])
    elif layout.ndim == 4:
        heads = layout.attention.heads
        split = run("split_heads", (context,), {"heads": heads})
        context = split.reshape(layout.sizes[0], heads, layout.sizes[1], -1)
    if found is not None and layout.ndim == 2:
        found = found[0, 0] if layout.attention.heads == 1 else found[0]
    return Attended(context, found, None)


def _three(x: Any) -> Any:
    """A variable in the layout of the library [B, T, features]."""
    if x is None or x.ndim == 3:
        return x
    if x.ndim == 2:
        return x.reshape((1,) + x.shape)
    batch, heads, steps, size = x.shape
    return run("merge_heads", (x.reshape(batch * heads, steps, size),), {"heads": heads})


def attend_recorded(attention: Handle, parameters: Sequence[Tuple[Parameter, Parameter]],
                    inputs: Sequence[Any], mask: Optional[Handle], weights: bool,
                    dropout: float) -> Tuple[Any, Any]:
    """Attends with variables [B, T, features], on the tape that records.

    `parameters`: those that get gradients, each with that of the attention.
    """
    tape = recording()
    parts = [None if one is None else handle_on(tape, one) for one in inputs]
    recorded = bool(parameters) or any(part is not None and part[1] for part in parts)
    owner = tape if recorded else None
    handles = [None if part is None else part[0] for part in parts]
    if owner is not None and dropout > 0:
        check(lib.heed_tape_train(owner._handle.use(), next_seed()))
    context, found = attend_variables(attention, owner, handles, mask, weights)
    if owner is not None:
        for parameter, part in parameters:
            owner._note(parameter, part)
    return (Variable(context, owner),
            None if found is None else Variable(found, owner))
