"""Examples for training and evaluation: lists become the files that a task reads."""

from __future__ import annotations

import glob
import os
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ._library import encode_json
from .errors import ConfigError, FormatError, IoError, ShapeError

Options = Dict[str, Any]
Rows = List[Dict[str, Any]]


class Form(NamedTuple):
    """What an example of a task consists of."""

    option: str  # names the file: --texts, --valid-texts
    inputs: Tuple[str, ...]  # values of `data`; the last may be missing
    targets: Tuple[str, ...] = ()
    needed: int = 1  # number of inputs that every example has
    names: str = ""  # the target that is the name of a class
    columns: bool = False  # --columns names the values
    pairs: bool = False  # a list of a path and an answer, without names


FORMS = {
    "translate": Form("tsv", ("source",), ("target",)),
    "classify": Form("texts", ("text", "second"), ("label",), names="label",
                     columns=True),
    "tag": Form("texts", ("words",), ("tags",)),
    "slots": Form("texts", ("words",), ("tags", "intent"), names="intent"),
    "lm": Form("texts", ("text",)),
    "autocomplete": Form("texts", ("text",)),
    "pretrain": Form("texts", ("text",)),
    "retrieve": Form("answers", ("question", "text"), ("label",), needed=2),
    "read": Form("passages", ("passage", "question"), ("answer",), needed=2,
                 names="answer"),
    "ratings": Form("reviews", ("user", "item", "review"), ("rating",), needed=2,
                    columns=True),
    "visits": Form("patients", ("visits", "times"), ("label",)),
    "images": Form("images", ("path",), ("class",), names="class", pairs=True),
    "caption": Form("images", ("path",), ("caption",), pairs=True),
    "speech": Form("recordings", ("path",), ("text",), pairs=True),
    "forecast": Form("series", ()),
    "nodes": Form("nodes", ()),
    "order": Form("frames", ()),
}
_TEXTS = {"source", "target", "text", "second", "question", "passage", "review", "caption",
          "path"}


def listed(name: str, values: Any) -> List[Any]:
    """A list of the values. Raises: FormatError if they are none."""
    if hasattr(values, "tolist"):
        values = values.tolist()
    if isinstance(values, (str, bytes, dict)) or not isinstance(values, Iterable):
        raise FormatError(f"{name} is {type(values).__name__}; a list is needed")
    return list(values)


def training_options(task: str, data: Any, targets: Any, valid: Any, folder: str,
                     options: Options) -> Options:
    """Writes examples to files in `folder`. Returns the options that name these.

    `options` of the caller hold further data of graphs.
    """
    if data is None:
        if targets is not None or valid is not None:
            raise FormatError("targets and valid go with data")
        return {}
    if task == "nodes":
        return _graph(data, targets, valid, folder, options)
    if valid is None or task == "forecast" and not isinstance(valid, float):
        return _files(task, data, targets, folder)
    if isinstance(valid, float):
        data, targets, valid = _held_out(task, data, targets, valid)
    elif targets is not None:
        if not (isinstance(valid, tuple) and len(valid) == 2):
            raise FormatError("valid is needed as a pair: (data, targets)")
    else:
        valid = (valid, None)
    made = _files(task, data, targets, folder)
    made.update(_files(task, valid[0], valid[1], folder, "valid_"))
    return made


def evaluation_options(task: str, data: Any, targets: Any, folder: str) -> Options:
    """Writes examples to files in `folder`. Returns the options of `heed evaluate`."""
    if task == "nodes":
        return {"nodes": _lines(folder, "nodes", listed("data", data))}
    return _files(task, data, targets, folder)


def _held_out(task: str, data: Any, targets: Any, share: float) -> Tuple[Any, Any, Any]:
    """Divides examples. Every n-th one is for validation."""
    if not 0 < share < 1:
        raise ConfigError(f"valid is {share}; a share is between 0 and 1")
    if is_path(data):
        raise ConfigError("a share for validation can only be held out of lists")
    data = listed("data", data)
    targets = None if targets is None else listed("targets", targets)
    held = [int((i + 1) * share) > int(i * share) for i in range(len(data))]

    def part(values: Optional[List[Any]], which: bool) -> Optional[List[Any]]:
        return None if values is None else [
            value for value, of_valid in zip(values, held) if of_valid == which]

    return part(data, False), part(targets, False), (part(data, True), part(targets, True))


def is_path(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike))


def path_of(data: Any, name: str = "data") -> str:
    """The path of existing files. Raises: IoError."""
    path = os.fspath(data)
    if not (os.path.exists(path) or glob.has_magic(path)):
        shown = path if len(path) < 80 else path[:77] + "..."
        raise IoError(f"{name}: there is no file '{shown}'; examples are a list, or the path "
                      "of a file")
    return path


def _files(task: str, data: Any, targets: Any, folder: str, prefix: str = "") -> Options:
    """The options that name the file of the examples."""
    form = FORMS.get(task)
    if form is None:
        raise ConfigError(f"task '{task}' reads no data; its options name what it needs: "
                          f"heed.options('{task}')")
    if is_path(data):
        if task == "translate" and is_path(targets):
            return {prefix + "source": path_of(data), prefix + "target": path_of(targets)}
        if targets is not None:
            raise FormatError("targets go with a list of data; a file has its own")
        return {prefix + form.option: path_of(data)}
    if task == "forecast":
        return {"series": _lines(folder, "series.csv", csv_lines(data))}
    rows = _rows(form, listed("data", data), targets)
    path = os.path.join(folder, f"{prefix}{form.option}.{'tsv' if form.pairs else 'jsonl'}")
    with open(path, "wb") as file:
        for row in rows:
            file.write(_pair(row) if form.pairs else encode_json(row))
            file.write(b"\n")
    made: Options = {prefix + form.option: path}
    if form.columns and not prefix:
        at = 0 if task == "classify" else form.needed  # of the target
        columns = form.inputs[:at] + form.targets + form.inputs[at:]
        made["columns"] = [name for name in columns if name in rows[0]]
    return made


def _rows(form: Form, data: List[Any], targets: Any) -> Rows:
    """Examples by the names of their values."""
    if not data:
        raise FormatError("data is empty")
    if targets is not None:
        if not form.targets:
            raise FormatError("this task has no targets: it learns from data alone")
        targets = listed("targets", targets)
        if len(targets) != len(data):
            raise ShapeError(f"{len(data)} examples in data, but {len(targets)} in targets")
    rows = []
    for i, example in enumerate(data):
        row = dict(example) if isinstance(example, dict) else _named(form, i, example, targets)
        if isinstance(example, dict) and targets is not None:
            row[form.targets[0]] = targets[i]
        rows.append({name: _checked(name, value, i, form) for name, value in row.items()})
    return rows


def _named(form: Form, i: int, example: Any, targets: Optional[Sequence[Any]]) -> Dict:
    several = isinstance(example, tuple) or isinstance(example, list) and form.needed > 1
    values = list(example) if several else [example]
    if targets is not None:
        values += list(targets[i]) if len(form.targets) > 1 else [targets[i]]
    inputs = len(values) - len(form.targets)
    if not form.needed <= inputs <= len(form.inputs):
        wanted = ", ".join(form.inputs[:form.needed] + form.targets)
        raise FormatError(f"data[{i}] has {len(values)} values with its targets; ({wanted}) "
                          "are needed")
    return dict(zip(form.inputs[:inputs] + form.targets, values))


def _checked(name: str, value: Any, i: int, form: Form) -> Any:
    """A value as the task reads it. Raises: FormatError with its place."""
    if name in _TEXTS and isinstance(value, os.PathLike):
        value = os.fspath(value)
    if name == form.names and isinstance(value, (list, tuple, set)):
        return ",".join(sorted(map(str, value)))
    if name == form.names and value is not None and not isinstance(value, (bytes, dict)):
        return str(value)
    if value is None or isinstance(value, bytes) or (
            name in _TEXTS and not isinstance(value, str)):
        hint = "; decode it to a text" if isinstance(value, bytes) else ""
        raise FormatError(f"'{name}' of example {i} is {type(value).__name__}{hint}")
    return value


def _pair(row: Dict[str, Any]) -> bytes:
    """A line of a list: the path and the answer."""
    path, answer = row.values()
    line = f"{os.path.abspath(path)}\t{answer}"
    if line.count("\t") > 1 or "\n" in line:
        raise FormatError(f"'{path}': a path and its answer must not hold tabs and line ends")
    return line.encode()


def _lines(folder: str, name: str, values: Iterable[Any],
           form: Callable[[Any], str] = str) -> str:
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(form(value) + "\n" for value in values)
    return path


def csv_lines(data: Any) -> List[str]:
    """A table of numbers: {column: values}, or rows of an array [T] or [T, columns]."""
    if isinstance(data, dict):
        columns = {str(name): listed(str(name), values) for name, values in data.items()}
    else:
        rows = [row if isinstance(row, (list, tuple)) else [row]
                for row in listed("data", data)]
        if len({len(row) for row in rows}) != 1:
            raise ShapeError("the rows of data differ in length")
        columns = {f"x{i}": list(column) for i, column in enumerate(zip(*rows))}
    lengths = {len(column) for column in columns.values()}
    if len(lengths) != 1 or 0 in lengths:
        raise ShapeError("the columns of data differ in length, or there are none")
    return [",".join(columns)] + [",".join(map(str, row)) for row in zip(*columns.values())]


def _graph(features: Any, labels: Any, valid: Any, folder: str, options: Options) -> Options:
    """Nodes with features, labels and edges. Edges and nodes may also be paths."""

    def file(name: str, values: Any, form: Callable[[Any], str] = str) -> str:
        if is_path(values):
            return path_of(values, name)
        return _lines(folder, name, listed(name, values), form)

    def feature(value: Any) -> str:
        return ":".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)

    def features_of(row: Any) -> str:
        pairs = row.items() if isinstance(row, dict) else listed("a row of data", row)
        return " ".join(map(feature, pairs))

    if labels is None or "edges" not in options:
        raise ConfigError("nodes need targets, a label or None for each node, and "
                          "edges=[(0, 1)]")
    learnt = options.pop("train", None)
    if learnt is None:
        kept_out = set() if valid is None or is_path(valid) else set(listed("valid", valid))
        learnt = [i for i, label in enumerate(listed("targets", labels))
                  if label is not None and i not in kept_out]
    made = {"features": file("features", features, features_of),
            "labels": file("labels", labels, lambda x: "?" if x is None else str(x)),
            "edges": file("edges", options.pop("edges"), lambda e: " ".join(map(str, e))),
            "train": file("train", learnt)}
    if valid is not None:
        made["valid"] = file("valid", valid)
    return made
