"""Models and their answers."""

from __future__ import annotations

import json
import math
import mimetypes
import os
import queue
import shutil
import tempfile
import weakref
from base64 import b64encode
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _signatures
from ._arrays import Array
from ._data import csv_lines, evaluation_options, listed
from ._explanation import Explanation
from ._library import Background, check, command, encode_json, interruptible, lib, make, wait
from ._words import run, words_of
from .errors import ConfigError, FormatError, IoError

_NOT_SAVED = (".*", "training.safetensors", "checkpoints", "events.*", "examples")


def threads(count: int = 0) -> None:
    """Sets the number of threads of all computations. 0: one per core."""
    check(lib.heed_set_threads(count))


def load(folder: Any, dtype: str = "auto", threads: int = 0,
         activations: str = "row") -> Model:
    """Loads a model.

    Args:
        folder: Folder that `heed train`, `heed import`, heed.train or Model.save wrote.
        dtype: Format of matrix products: "auto" (that of the model), "f32", "bf16" or
            "int8", which is the fastest.
        threads: Threads of all computations of the process. 0: unchanged.
        activations: Scale of activations in int8 products: "row" (computed for each row) or
            "fixed" (by the alphas of an imported model, as in Firefox).
    Raises:
        IoError: There is no such folder.
        FormatError: The folder is damaged, or of a newer version.

    Example:
        >>> heed.load("no-such-folder")
        Traceback (most recent call last):
        heed.errors.IoError: ...
    """
    if threads:
        check(lib.heed_set_threads(threads))
    return Model(folder, dtype, activations)


# ---- Answers --------------------------------------------------------------------

class Prediction(str):
    """An answer of a model: a text with further data.

    Attributes:
        details: The parts of the answer as `heed predict --output json` gives them. A list
            of these if the input had several lines.
    """

    details: Any

    def __new__(cls, text: str, details: Any) -> Prediction:
        self = super().__new__(cls, text)
        self.details = details
        return self

    @classmethod
    def _of(cls, line: str, details: Any) -> Prediction:
        """Of several answers, the line has all of them, but `text` only the best one."""
        return cls(details.get("text", line) if isinstance(details, dict) else line, details)

    def __getnewargs__(self) -> Tuple[str, Any]:
        return str(self), self.details

    def _part(self, *names: str) -> Any:
        parts = self.details if isinstance(self.details, dict) else {}
        return next((parts[name] for name in names if name in parts), None)

    @property
    def text(self) -> str:
        """The answer."""
        return str(self)

    @property
    def score(self) -> Optional[float]:
        """Score of a written text: its log-probability, normalised by its length."""
        return self._part("score")

    @property
    def tokens(self) -> Optional[List[str]]:
        """Tokens of a written text, or the words of a tagged one."""
        return self._part("target_tokens", "tokens", "words")

    @property
    def alternatives(self) -> List[str]:
        """Further answers, the best one first."""
        further = self._part("alternatives")
        if further is None:
            further = (self._part("completions", "continuations", "samples", "answers", "hits",
                                  "labels", "classes") or [])[1:]
        return [one if isinstance(one, str) else
                one.get("text") or next(v for v in one.values() if isinstance(v, str))
                for one in further]

    @property
    def confidence(self) -> Optional[float]:
        """Probability of the answer, 0 to 1; None if the model gives none.

        Of a written text or of tags: the geometric mean over its tokens. Of a translation
        with confidence=True: that of the translator's quality model, if it has one.
        """
        if self._part("confidence") is not None:
            return self._part("confidence")
        choices = self._part("labels", "classes", "completions", "answers")
        if choices:
            return max(choice["probability"] for choice in choices)
        numbers = self._part("probabilities")
        if numbers:
            return math.exp(sum(math.log(max(p, 1e-45)) for p in numbers) / len(numbers))
        return self._part("probability")


class Encoded(NamedTuple):
    """A text as a model reads it."""

    tokens: List[str]
    ids: List[int]


class Parameters(Mapping):
    """The parameters of a model by their names: read-only arrays."""

    def __init__(self, model: Model):
        self._model = model
        self._names = {one["name"]: tuple(one["shape"]) for one in model.info["tensors"]}

    def __getitem__(self, name: str) -> Array:
        if name not in self._names:
            raise KeyError(name)
        return Array._of(make("heed_array_free", "array", lib.heed_model_parameter,
                              self._model._handle.use(), name.encode()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {list(shape)}" for name, shape in self._names.items())

    def _ipython_key_completions_(self) -> List[str]:
        return list(self._names)


class Model:
    """A trained model. Any number of threads may use it at once.

    heed.load, heed.train and heed.import_model make models. `with model:` closes it at the
    end of the block.

    Args:
        folder: Folder of the model.
        dtype, activations: As for heed.load.

    Attributes:
        task: What the model was trained for, such as "translate".
        folder: Folder of the model.
    """

    def __init__(self, folder: Any, dtype: str = "auto", activations: str = "row", *,
                 _temporary: bool = False):
        self.folder = os.path.abspath(os.fspath(folder))
        self._run = {"dtype": dtype, "activations": activations}
        chosen = encode_json(self._run)
        self._handle = interruptible(lambda _: make(
            "heed_model_free", "model", lib.heed_model_open, os.fsencode(self.folder), chosen,
            len(chosen), at_exit=True), leave=True)
        self._about = self._ask("models", {})["models"][0]
        self.task: str = self._about["task"]
        self._remove = weakref.finalize(self, _remove_folder, self.folder, os.getpid()) \
            if _temporary else None

    # ---- What it is ----

    @cached_property
    def info(self) -> Dict[str, Any]:
        """Sizes, training, settings and tensors, as `heed info --json` gives them."""
        self._handle.use()
        return json.loads(command("info", self.folder, "--json", quiet=True))

    @property
    def languages(self) -> List[Dict[str, Any]]:
        """Languages of a translator: a list of {"code", "name", "targets"}."""
        return self._ask("languages", {})

    @property
    def parameters(self) -> Parameters:
        """The parameters by name, as read-only arrays: model.parameters["output.bias"]."""
        return Parameters(self)

    def __repr__(self) -> str:
        state = ", closed" if self._handle.closed else ""
        about = self._about
        return (f"<heed.Model {self.folder!r}: {self.task}, {about['model']}, "
                f"{about['parameters']} parameters{state}>")

    # ---- Answers ----

    def predict(self, x: Any, **options: Any) -> Any:
        """Answers an input, or each input of a list.

        Args:
            x: A text, or what the task reads: a tuple of texts (pairs, or a passage and a
                question), a dict (`ratings`, `visits`), the number of a node, the path or the
                bytes of an image or a recording, an array [time, columns] or a dict of
                columns (`forecast`). Or a list of these.
            options: Those of `heed predict` for the task, such as probabilities, beam, nbest.
        Returns: A Prediction, or a list of them.
        Raises:
            ArgumentError: The model is closed.
            ConfigError: An option does not exist, or an input cannot be read.

        Example:
            >>> model = heed.train("classify", ["good", "bad"] * 50, ["pos", "neg"] * 50,
            ...                    epochs=5, progress=False)
            >>> model.predict(["good", "bad"])
            ['pos', 'neg']
            >>> model.predict("good").confidence > 0.5
            True
        """
        several, request = self._request(x, options)
        if several and not x:
            return []
        answer = self._ask("predict", request)
        if not several:
            return Prediction._of(answer["answer"], answer["details"])
        answers = []
        for i, (text, details) in enumerate(zip(answer["answer"], answer["details"])):
            if text is None:
                raise FormatError(f"input {i}: {details['error']}")
            answers.append(Prediction._of(text, details))
        return answers

    __call__ = predict

    def translate(self, text: Union[str, Sequence[str]], source: Optional[str] = None,
                  target: Optional[str] = None, *, beam: int = 0, alternatives: int = 0,
                  format: Optional[str] = None, **options: Any) -> Any:
        """Translates a text, or each text of a list.

        Args:
            text: A text. Its lines are translated one by one, unless `format` is given.
            source: Language of the text. None: that of the model.
            target: Language to translate into. None: that of the model.
            beam: Beam size. 0: the usual one.
            alternatives: Number of further translations.
            format: "text", "html" or "markdown" translates whole documents sentence by
                sentence, without scores.
            options: Those of `heed translate`.
        Returns: A Prediction, or a list of them.
        Raises: ConfigError: The model is no translator, or does not know a language.
        """
        request, path = self._translation(source, target, beam, alternatives, format, options)
        if path == "predict":
            return self.predict(text, **request)
        one = isinstance(text, str)
        if not one and not text:
            return []
        answer = self._ask(path, {"q": [text] if one else listed("text", text), **request})
        further = answer.get("alternatives") or [[]] * len(answer["translatedText"])
        found = [Prediction(translated, {"text": translated, "alternatives": others})
                 for translated, others in zip(answer["translatedText"], further)]
        for i, found_one in enumerate(found if "confidence" in answer else []):
            found_one.details.update(confidence=answer["confidence"][i],
                                     calibrated=answer["calibrated"], words=answer["words"][i])
        return found[0] if one else found

    def stream(self, text: str, **options: Any) -> Iterator[str]:
        """Yields the pieces of an answer while it is written.

        Closing the iterator stops the computation. Of several lines, the first one comes
        piece by piece, the others at the end. Translators write documents piece by piece
        with format="text".

        Args:
            text: The input.
            options: As for predict; for translators as for translate.

        Example:
            >>> model = heed.train("lm", ["the cat sat on the mat"] * 9, epochs=2,
            ...                    progress=False)
            >>> "".join(model.stream("the cat")) == model("the cat")
            True
        """
        path, key = "predict", "text"
        if self.task == "translate":
            known = {name: options.pop(name, None) for name in ("source", "target", "format")}
            options, path = self._translation(
                known["source"], known["target"], options.pop("beam", 0),
                options.pop("alternatives", 0), known["format"], options)
            key = "text" if path == "predict" else "q"
        several, request = self._request(text, {})
        if several:
            raise FormatError("stream takes one input; predict takes lists")
        return self._pieces(path, {**request, **options} if key == "text" else
                            {key: text, **options})

    def explain(self, x: Any, method: Union[str, Sequence[str]] = "attention",
                **options: Any) -> Explanation:
        """Shows what the model attended to, and what its answer depends on.

        Args:
            x: An input, as for predict.
            method: "attention" alone, or also attributions: "saliency", "gradient_x_input",
                "integrated_gradients", "smooth_grad", "occlusion", "rollout", or a list.
            options: answer (explain this answer instead), contrast (explain why not this
                one), target (language), layer, steps, samples.
        """
        several, request = self._request(x, {"pictures": True, **options})
        if several:
            raise FormatError("explain takes one input, not a list")
        methods = [method] if isinstance(method, str) else list(method)
        request["methods"] = [one for one in methods if one != "attention"]
        text = encode_json(request)
        handle = interruptible(lambda cancel: make(
            "heed_explanation_free", "explanation", lib.heed_model_explain, self._handle.use(),
            text, len(text), cancel))
        return Explanation(handle)

    def probabilities(self, x: Any, **options: Any) -> Any:
        """Probabilities of all labels of a classifier: {label: probability}, or a list."""
        found = self.predict(x, probabilities=True, **options)

        def of(answer: Prediction) -> Dict[str, float]:
            choices = answer._part("labels", "classes")
            if choices is None:
                raise ConfigError(f"a model of task '{self.task}' has no labels")
            return {one.get("label", one.get("class")): one["probability"] for one in choices}

        return of(found) if isinstance(found, Prediction) else [of(one) for one in found]

    def encode(self, text: str) -> Encoded:
        """The tokens of a text, and their numbers in the vocabulary."""
        return Encoded(**self._ask("encode", {"text": text}))

    def decode(self, ids: Sequence[int]) -> str:
        """The text of tokens that the model writes, by their numbers."""
        return self._ask("decode", {"ids": list(getattr(ids, "ids", ids))})["text"]

    # ---- Training, measuring, saving ----

    def score(self, data: Any, targets: Any = None, **options: Any) -> Dict[str, Any]:
        """Measures the model on examples, which have the form of heed.train.

        Args:
            data: Inputs, or the path of a file.
            targets: The right answers.
            options: Those of `heed evaluate`, such as metric.
        Returns: The metrics, as `heed evaluate --json` gives them. None: a metric to which
            no example contributes.
        """
        self._handle.use()
        with tempfile.TemporaryDirectory(prefix="heed-") as place:
            given = {**evaluation_options(self.task, data, targets, place), **self._run,
                     **options}
            return json.loads(run("evaluate", self.folder, "--json", *words_of(given)))

    def fit(self, data: Any, targets: Any = None, **options: Any) -> Model:
        """Trains a new model that starts from the weights of this one.

        Arguments: as for heed.train. This model stays as it is.
        """
        from ._training import train
        self._handle.use()
        return train(self.task, data, targets, pretrained=self.folder, **options)

    def save(self, folder: Any, overwrite: bool = False) -> None:
        """Copies the model to a folder, for heed.load and the command `heed`.

        Raises:
            ConfigError: The folder has a model, and `overwrite` is False.
            IoError: The folder cannot be written.
        """
        self._handle.use()
        name = os.fspath(folder)
        check_free(name, overwrite)
        try:
            shutil.copytree(self.folder, name, ignore=shutil.ignore_patterns(*_NOT_SAVED),
                            dirs_exist_ok=True)
        except (OSError, shutil.Error) as error:
            raise IoError(f"cannot write {name}: {error}") from None

    def export(self, format: str, folder: Any, overwrite: bool = False) -> None:
        """Writes the model for another program.

        Args:
            format: "huggingface": for Transformers' from_pretrained.
            folder: Folder to write.
        Raises: ConfigError: The model cannot be exported; the message lists the reasons.
        """
        self._handle.use()
        run("export", self.folder, *words_of({"format": format, "out": folder,
                                                   "overwrite": overwrite}))

    def close(self) -> None:
        """Frees the memory of the model, and its folder if that is temporary."""
        self._handle.close()
        if self._remove is not None:
            self._remove()

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # ---- Requests ----

    def _ask(self, path: str, request: Dict[str, Any]) -> Any:
        """The answer of the HTTP API to POST /path."""
        text = encode_json(request)
        with self._handle.use() as model:  # not freed before the answer is there
            call = make("heed_call_free", "call", lib.heed_model_start, model, path.encode(),
                        text, len(text))
            return json.loads(wait(call))

    def _request(self, x: Any, options: Dict[str, Any]) -> Tuple[bool, Dict[str, Any]]:
        """The request for an input or a list of inputs, and True for a list."""
        if hasattr(x, "tolist"):
            x = x.tolist()
        several = isinstance(x, list)
        if several and self.task == "forecast":  # a list of rows is one input
            several = all(isinstance(one, (str, os.PathLike, dict)) or
                          isinstance(one, list) and one and isinstance(one[0], list)
                          for one in x)
        inputs = [self._input(one, f" {i}" if several else "")
                  for i, one in enumerate(x if several else [x])]
        name = "file" if inputs and isinstance(inputs[0], dict) else "text"
        return several, {name: inputs if several else inputs[0], **options}

    def _input(self, x: Any, place: str) -> Any:
        """An input as a request has it: a text, or a file."""
        types = self._about["input"]["media_types"]
        if "text/csv" in types and not isinstance(x, (str, bytes, os.PathLike)):
            return "\n".join(csv_lines(x)) + "\n"
        if types and isinstance(x, (str, os.PathLike)) and "\n" not in os.fspath(x):
            return _file(os.fspath(x), types)
        if types and isinstance(x, bytes):
            return {"base64": b64encode(x).decode(), "media_type": types[0]}
        if isinstance(x, str):
            return x
        if isinstance(x, tuple):
            return "\t".join(" ".join(str(part).split("\n")) for part in x)
        if isinstance(x, dict):
            return encode_json(x).decode()
        if isinstance(x, int) and self.task == "nodes":
            return str(x)
        hint = "; decode it to a text" if isinstance(x, bytes) else ""
        raise FormatError(f"input{place} is {type(x).__name__}{hint}")

    def _translation(self, source: Optional[str], target: Optional[str], beam: int,
                     alternatives: int, format: Optional[str],
                     options: Dict[str, Any]) -> Tuple[Dict[str, Any], str]:
        """Options of a translation, and the path of the API that takes them."""
        if self.task != "translate":
            raise ConfigError(f"a model of task '{self.task}' does not translate; use predict")
        about = self._about
        targets = about.get("targets") or [about["target"]]
        request = {**options, **({"beam": beam} if beam else {})}
        if format is not None:
            request.update(source=source or about["source"], target=target or about["target"],
                           format=format, alternatives=alternatives)
            return request, "translate"
        for name, given, known in (("source", source, [about["source"]]),
                                   ("target", target, targets)):
            # A translator with unknown languages names them "source" and "target".
            if given is not None and given.lower() not in known and known != [name]:
                raise ConfigError(f"{name} is '{given}'; the model knows {', '.join(known)}")
        if alternatives:
            request["nbest"] = alternatives + 1
        if target is not None and len(targets) > 1:
            request["to"] = target
        return request, "predict"

    def _pieces(self, path: str, request: Dict[str, Any]) -> Iterator[str]:
        events: queue.SimpleQueue = queue.SimpleQueue()
        text = encode_json(request)

        @_signatures.EventFunction
        def on_event(_user: Any, name: bytes, data: bytes, _size: int) -> int:
            events.put((name.decode(), data))
            return 0

        def call(cancel: int) -> None:
            try:
                check(lib.heed_model_stream(self._handle.use(), path.encode(), text, len(text),
                                            cancel, on_event, None))
            finally:
                events.put(("", b""))

        running = Background(call)
        shown = ""
        try:
            for name, data in iter(events.get, ("", b"")):
                event = json.loads(data)
                if name == "token":  # other lines come at the same time as the first one
                    piece = "" if event.get("line") else event["text"]
                else:
                    whole = event.get("answer", event.get("translatedText"))
                    piece = whole[len(shown):] if whole.startswith(shown) else ""
                shown += piece
                if piece:
                    yield piece
            running.wait()
        finally:
            running.stop()


def check_free(folder: str, overwrite: bool) -> None:
    """Raises: ConfigError if the folder has a model that must not be replaced."""
    if os.path.exists(os.path.join(folder, "config.json")) and not overwrite:
        raise ConfigError(f"{folder} holds a model already; replace it with overwrite=True")


def _file(path: str, types: Sequence[str]) -> Dict[str, str]:
    """A file as the API takes it."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise IoError(f"cannot read {path}: {error.strerror}") from None
    kind = mimetypes.guess_type(path)[0]
    return {"name": os.path.basename(path), "base64": b64encode(content).decode(),
            "media_type": kind if kind in types else types[0]}


def _remove_folder(folder: str, process: int) -> None:
    if os.getpid() == process:  # not in a child of fork()
        shutil.rmtree(folder, ignore_errors=True)
