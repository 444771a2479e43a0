"""Masks: which keys a query may attend to."""

from __future__ import annotations

import ctypes
import functools
from typing import Any, Callable, Iterable, List, Optional, Sequence, Tuple, Union

from . import _signatures as c
from ._arrays import Array, as_handle, new_array, to_array
from ._library import Handle
from .errors import ArgumentError, ShapeError

Sizes = Tuple[int, int, int]  # rows of the batch, queries and keys
Rule = Callable[[int, int, int], bool]


class Mask:
    """Which keys s a query t may attend to. Combine masks with ``&``, ``|`` and ``~``.

    Args:
        kind: One of

            * a text in the mask language of Heed, such as "causal && window(4)": names,
              with their numbers in parentheses, ``&&``, ``||``, ``!`` and parentheses
              (`heed list attentions` lists the names);
            * an array of truth values or whole numbers [T, S] or [B, T, S], for T queries,
              S keys and B rows of a batch; not 0 means that the query may attend;
            * a function (t, s) -> bool of the positions of query and key;
            * another mask.
        size: Number of queries and keys, for `may` and `show`: (T, S), or one number for
            both. Arrays know their size.

    Raises:
        ShapeError: The array has neither 2 nor 3 dimensions, or the sizes of masks that are
            combined differ.
        ConfigError: The text is not a mask. This is noticed when the mask is first used.

    Example:
        >>> mask = heed.Mask("causal") & ~heed.Mask(lambda t, s: t == s)
        >>> heed.Mask(mask, 3).may.tolist()
        [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
    """

    __slots__ = ("_node", "_size", "_array")

    def __init__(self, kind: Any, size: Union[None, int, Sequence[int]] = None):
        self._array: Optional[Tuple[Sizes, Handle]] = None  # of the last sizes
        if isinstance(kind, (Mask, Node)):
            self._node = kind if isinstance(kind, Node) else kind._node
        elif isinstance(kind, str):
            self._node = Text(kind)
        elif callable(kind):
            self._node = Function(lambda b, t, s: kind(t, s))
        else:
            self._node = Elements(kind)
        self._size = kind._size if isinstance(kind, Mask) else self._node.size
        if size is not None:
            sizes = (size, size) if isinstance(size, int) else tuple(size)
            if len(sizes) != 2 or min(sizes) < 0:
                raise ShapeError("the size of a mask is (queries, keys), not {}".format(size))
            self._size = (int(sizes[0]), int(sizes[1]))

    @staticmethod
    def padding(lengths: Iterable[int]) -> "Mask":
        """Key s of row b of a batch is real: s < lengths[b].

        Example:
            >>> heed.Mask(heed.Mask.padding([2, 1]), (1, 3)).may.tolist()
            [[[1, 1, 0]], [[1, 0, 0]]]
        """
        known = [int(length) for length in lengths]
        return Mask(Function(lambda b, t, s: s < known[b], len(known)))

    @staticmethod
    def prefix(lengths: Iterable[int]) -> "Mask":
        """A causal mask in which every query also sees the first lengths[b] keys of row b."""
        known = [int(length) for length in lengths]
        return Mask(Function(lambda b, t, s: s <= t or s < known[b], len(known)))

    @staticmethod
    def documents(queries: Iterable[Sequence[int]],
                  keys: Optional[Iterable[Sequence[int]]] = None) -> "Mask":
        """Several sequences in one row: a query sees the keys of its own sequence.

        Args:
            queries: Number of the sequence of each query, for each row [B, T]. Negative
                numbers are padding, which sees nothing.
            keys: The same for the keys [B, S]. None: as the queries.
        """
        of_queries = [[int(x) for x in row] for row in queries]
        of_keys = of_queries if keys is None else [[int(x) for x in row] for row in keys]

        for row in of_queries + of_keys:
            if len(row) not in (len(of_queries[0]), len(of_keys[0])):
                raise ShapeError("the rows of a mask of documents differ in length")

        def may(b: int, t: int, s: int) -> bool:
            return of_queries[b][t] >= 0 and of_queries[b][t] == of_keys[b][s]
        size = (len(of_queries[0]), len(of_keys[0])) if of_queries else None
        return Mask(Function(may, len(of_queries), size))

    @staticmethod
    def adjacency(neighbours: Iterable[Iterable[int]], keys: Optional[int] = None) -> "Mask":
        """A graph: query t sees the keys neighbours[t].

        Args:
            neighbours: Keys of each query.
            keys: Number of keys. None: as many as queries.

        Example:
            >>> heed.Mask.adjacency([[0, 1], [1]]).may.tolist()
            [[1, 1], [0, 1]]
        """
        sets = [frozenset(int(key) for key in one) for one in neighbours]
        size = (len(sets), len(sets) if keys is None else keys)
        for t, one in enumerate(sets):
            if any(not 0 <= key < size[1] for key in one):
                raise ShapeError("query {} has neighbours {}, but there are {} keys".format(
                    t, sorted(one), size[1]))
        return Mask(Function(lambda b, t, s: s in sets[t], None, size))

    def __and__(self, other: Any) -> "Mask":
        return _both("&", self, other)

    def __rand__(self, other: Any) -> "Mask":
        return _both("&", Mask(other), self)

    def __or__(self, other: Any) -> "Mask":
        return _both("|", self, other)

    def __ror__(self, other: Any) -> "Mask":
        return _both("|", Mask(other), self)

    def __invert__(self) -> "Mask":
        return Mask(Not(self._node), self._size)

    @property
    def size(self) -> Optional[Tuple[int, ...]]:
        """Number of queries and keys (T, S), or None if it is open."""
        return self._size

    @property
    def may(self) -> Array:
        """1 where the query may attend to the key, else 0: int32 [T, S] or [B, T, S].

        Raises: ArgumentError if the size is open.
        """
        if self._size is None:
            raise ArgumentError("the size of the mask is open; "
                                "heed.Mask(mask, (T, S)) sets it")
        return Array._of(self._handle_for((self._node.batch or 0,) + self._size))

    def show(self, **options: Any) -> Any:
        """A picture of the mask; see `heed.show` for the options."""
        from . import show
        may = self.may
        if may.ndim == 3 and may.shape[0] == 1:
            may = may[0]
        return show(to_array(may, "float32"), **options)

    def _text(self) -> Optional[str]:
        """The mask as a text of the mask language, or None if that cannot hold it."""
        return self._node.text

    def _handle_for(self, sizes: Sizes) -> Handle:
        """The mask as a heed_array [T, S], or [B, T, S] if rows differ.

        The first of `sizes` is 0 if the size of the batch is open.
        """
        self._node.check(sizes)
        if isinstance(self._node, Elements):
            return self._node.handle
        known = self._array
        if known is None or known[0] != sizes:
            batch = self._node.batch
            may = self._node.elements((batch or 1,) + sizes[1:])
            address = ctypes.cast(may, ctypes.c_void_p).value or 0
            shape = sizes[1:] if batch is None else (batch,) + sizes[1:]
            known = self._array = (sizes, new_array(c.BOOL, shape, None, address)._handle)
        return known[1]

    def __repr__(self) -> str:
        size = "" if self._size is None else ", {}".format(self._size)
        return "Mask({!r}{})".format(self._text() or "...", size)


def _both(sign: str, a: Mask, b: Any) -> Mask:
    other = b if isinstance(b, Mask) else Mask(b)
    if a._size is not None and other._size is not None and a._size != other._size:
        raise ShapeError("masks of sizes {} and {} cannot be combined".format(
            a._size, other._size))
    return Mask(Both(sign, a._node, other._node), a._size or other._size)


# ---- Expressions of masks ------------------------------------------------------

class Node:
    """Part of a mask.

    Attributes:
        text: The part in the mask language, or None.
        batch: Rows of a batch, if they differ; else None.
        size: Queries and keys that it is made for, or None.
    """

    text: Optional[str] = None
    batch: Optional[int] = None
    size: Optional[Tuple[int, ...]] = None

    def elements(self, sizes: Sizes) -> bytes:
        """A byte for each element [B, T, S]: 1 or 0."""
        raise NotImplementedError

    def check(self, sizes: Sizes) -> None:
        """Raises: ShapeError if the part is made for other sizes."""
        if self.size is not None and self.size != sizes[1:]:
            raise ShapeError("the mask is made for {} queries and {} keys, not for {} and {}"
                             .format(self.size[0], self.size[1], sizes[1], sizes[2]))
        if self.batch is not None and sizes[0] not in (0, self.batch):
            raise ShapeError("the mask is made for {} rows of a batch, not for {}".format(
                self.batch, sizes[0]))


class Text(Node):
    """A mask in the mask language."""

    def __init__(self, text: str):
        self.text = text or "none"

    def elements(self, sizes: Sizes) -> bytes:
        return _of_text(self.text or "", sizes[1], sizes[2]) * sizes[0]


@functools.lru_cache(maxsize=32)
def _of_text(text: str, queries: int, keys: int) -> bytes:
    """The elements [T, S] of a mask in the mask language."""
    # Attention with equal scores has weights above 0 where the mask allows.
    from ._attention import weights_of_mask
    return bytes(1 if weight else 0 for weight in weights_of_mask(text, queries, keys))


class Function(Node):
    """A function (b, t, s) -> bool of the row of the batch, the query and the key."""

    def __init__(self, may: Rule, batch: Optional[int] = None,
                 size: Optional[Tuple[int, ...]] = None):
        self.may, self.batch, self.size = may, batch, size

    def elements(self, sizes: Sizes) -> bytes:
        self.check(sizes)
        rows, queries, keys = sizes
        found = bytes(1 if self.may(b, t, s) else 0
                      for b in range(rows if self.batch is not None else 1)
                      for t in range(queries) for s in range(keys))
        return found if self.batch is not None else found * rows


class Elements(Node):
    """An array [T, S] or [B, T, S]."""

    def __init__(self, array: Any):
        self.handle = as_handle(array)
        given = Array._of(self.handle)
        if given.ndim not in (2, 3) or given.dtype != "int32":
            raise ShapeError("a mask is an array of truth values or whole numbers, [T, S] or "
                             "[B, T, S], not {} {}".format(given.dtype, list(given.shape)))
        self.size = given.shape[-2:]
        self.batch = given.shape[0] if given.ndim == 3 else None

    def elements(self, sizes: Sizes) -> bytes:
        self.check(sizes)
        found = bytes(1 if x else 0 for x in _flat(Array._of(self.handle).tolist()))
        return found if self.batch is not None else found * sizes[0]


class Both(Node):
    """a & b, or a | b."""

    def __init__(self, sign: str, a: Node, b: Node):
        self.sign, self.a, self.b = sign, a, b
        if a.text is not None and b.text is not None:
            self.text = "({}) {} ({})".format(a.text, sign * 2, b.text)
        if None not in (a.batch, b.batch) and a.batch != b.batch:
            raise ShapeError("masks for {} and {} rows of a batch cannot be combined".format(
                a.batch, b.batch))
        self.batch, self.size = a.batch or b.batch, a.size or b.size

    def elements(self, sizes: Sizes) -> bytes:
        a, b = (int.from_bytes(node.elements(sizes), "little") for node in (self.a, self.b))
        both = a & b if self.sign == "&" else a | b
        return both.to_bytes(sizes[0] * sizes[1] * sizes[2], "little")


class Not(Node):
    """~a."""

    def __init__(self, of: Node):
        self.of, self.batch, self.size = of, of.batch, of.size
        self.text = None if of.text is None else "!({})".format(of.text)

    def elements(self, sizes: Sizes) -> bytes:
        return bytes(1 - x for x in self.of.elements(sizes))


def _flat(rows: List[Any]) -> List[Any]:
    """The elements of nested lists."""
    while rows and isinstance(rows[0], list):
        rows = [x for row in rows for x in row]
    return rows


def mask_parts(attention: Any, mask: Any,
               sizes: Tuple[int, int, int]) -> Tuple[str, Optional[Handle]]:
    """The masks of an attention and of a call: as a text, and as an array."""
    texts: List[str] = []
    arrays: List[Mask] = []
    for one in (attention.mask, mask):
        if one is None or isinstance(one, str):
            texts += [one] if one else []
            continue
        one = one if isinstance(one, Mask) else Mask(one)
        text = one._text()
        if text is None:
            arrays.append(one)
        else:
            texts.append(text)
    text = texts[0] if len(texts) == 1 else " && ".join("({})".format(one) for one in texts)
    return text, mask_array(arrays, sizes)


def mask_array(masks: Sequence[Any], sizes: Tuple[int, int, int]) -> Optional[Handle]:
    """What all masks allow, as an array. Masks may be None."""
    whole: Optional[Mask] = None
    for mask in masks:
        if mask is not None:
            mask = mask if isinstance(mask, Mask) else Mask(mask)
            whole = mask if whole is None else whole & mask
    return None if whole is None else whole._handle_for(sizes)
