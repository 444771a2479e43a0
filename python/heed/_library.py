"""Loads libheed and calls it: results, errors, Ctrl-C and messages."""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import queue
import sys
import threading
import warnings
import weakref
from ctypes import byref, c_size_t, c_void_p
from typing import Any, Callable, Generic, Iterator, List, Optional, Set, TypeVar

from . import _signatures, errors

T = TypeVar("T")
_FOLDER = os.path.dirname(os.path.abspath(__file__))
_LEAST_ABI = 1
_ERRORS = {
    _signatures.ARGUMENT: errors.ArgumentError,
    _signatures.SHAPE: errors.ShapeError,
    _signatures.CONFIG: errors.ConfigError,
    _signatures.FORMAT: errors.FormatError,
    _signatures.IO: errors.IoError,
    _signatures.NUMERIC: errors.NumericError,
    _signatures.CANCELLED: errors.Cancelled,
    _signatures.MEMORY: errors.OutOfMemory,
}


# ---- Loading ------------------------------------------------------------------

def _places() -> Iterator[str]:
    """Files that may be the library, the first that exists is taken."""
    named = os.environ.get("HEED_LIBRARY")
    if named:
        yield named
        return
    for name in sorted(os.listdir(_FOLDER)):
        if name.startswith("libheed.so"):
            yield os.path.join(_FOLDER, name)
    yield "libheed.so.0"


def _open() -> ctypes.CDLL:
    failures = []
    for place in _places():
        try:
            return ctypes.CDLL(place)
        except OSError as error:
            failures.append(str(error))
    raise ImportError(
        "heed needs its library libheed.so.0, which was not found: install the package "
        "libheed0, or name the file in the environment variable HEED_LIBRARY "
        f"({'; '.join(failures)})")


class _Library:
    """The functions of heed.h. The first use of one loads the library."""

    _lock = threading.RLock()

    def __getattr__(self, name: str) -> Any:
        if name not in _signatures.FUNCTIONS:
            raise AttributeError(name)
        with self._lock:
            if name not in self.__dict__:
                self._load()
        return self.__dict__[name]

    def _load(self) -> None:
        opened = _open()
        functions = {}
        try:
            for name, (result, arguments) in _signatures.FUNCTIONS.items():
                function = getattr(opened, name)
                function.restype, function.argtypes = result, arguments
                functions[name] = function
        except AttributeError as error:
            raise ImportError(f"the library of Heed is older than this package: {error}")
        if functions["heed_abi"]() < _LEAST_ABI:
            raise ImportError("the library of Heed is older than this package")
        functions["heed_set_log"](_log, None)
        atexit.register(_leave)
        self.__dict__.update(functions)


lib: Any = _Library()


# ---- Messages -----------------------------------------------------------------

_warnings: List[str] = []  # of the library, not raised yet
_muted = 0
_progress = ""  # the line that is shown


def _show(text: str, ends: bool) -> None:
    """Writes a line over the progress line. `ends`: further text goes below it."""
    global _progress
    before, _progress = _progress, "" if ends else text
    if sys.stderr is not None:
        sys.stderr.write(("\r" if before else "") + text.ljust(len(before))
                         + ("\n" if ends else ""))
        sys.stderr.flush()


def _on_message(_user: Optional[int], kind: int, text: bytes, _size: int) -> None:
    """Receives a message on any thread. An exception must not pass through C."""
    try:
        message = text.decode("utf-8", "replace")
        if kind == _signatures.LOG_WARNING:
            _warnings.append(message)
        elif not _muted:
            _show(message, ends=kind == _signatures.LOG_LINE)
    except Exception:  # a closed or broken stream
        pass


_log = _signatures.LogFunction(_on_message)


def _warn() -> None:
    """Raises the warnings of the library at the line that called this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    while _warnings:
        warnings.warn(_warnings.pop(0), errors.HeedWarning, stacklevel=level)


# ---- Calls --------------------------------------------------------------------

def check(code: int) -> None:
    """Raises the exception of a code that is not 0, with the message of this thread."""
    if code:
        message = lib.heed_error_message().decode("utf-8", "replace")
        raise _ERRORS.get(code, errors.InternalError)(message)
    if _warnings and threading.get_ident() not in _helpers:
        _warn()


class _Pointer:
    """A pointer, which is freed when nothing refers to this object any more."""

    __slots__ = ("value", "_as_parameter_", "__weakref__")

    def __init__(self, value: int):
        self.value = self._as_parameter_ = value

    def __enter__(self) -> int:
        return self.value

    def __exit__(self, *_: Any) -> None:
        pass


class _Owner(weakref.ref):
    """Frees a pointer when its object is gone: weakref.finalize in a quarter of its time."""

    __slots__ = ("free", "address")


def _release(owner: _Owner) -> None:
    _owners.discard(owner)
    owner.free(owner.address)


_owners: Set[_Owner] = set()
_at_exit: weakref.WeakSet[Handle] = weakref.WeakSet()


class Handle:
    """Owns an object of the library. It is freed after the last call that uses it.

    Args:
        pointer: Address of the object.
        free: Function that frees it, such as "heed_array_free".
        name: What it is, for messages: "model".
        at_exit: Free it when the interpreter ends. Otherwise its memory stays valid until
            the end of the process, because other libraries may still use it.
    """

    __slots__ = ("_pointer", "_name", "__weakref__")

    def __init__(self, pointer: int, free: str, name: str, at_exit: bool = False):
        self._name = name
        self._pointer: Optional[_Pointer] = _Pointer(pointer)
        owner = _Owner(self._pointer, _release)
        owner.free, owner.address = getattr(lib, free), pointer
        _owners.add(owner)
        if at_exit:
            _at_exit.add(self)

    def use(self) -> _Pointer:
        """The pointer, as an argument of a call or for `with handle.use() as pointer:`."""
        pointer = self._pointer
        if pointer is None:
            raise errors.ArgumentError(f"the {self._name} is closed")
        return pointer

    def close(self) -> None:
        """Frees the object, once no call uses it."""
        self._pointer = None

    @property
    def closed(self) -> bool:
        return self._pointer is None


def make(free: str, name: str, function: Callable[..., int], *arguments: Any,
         at_exit: bool = False) -> Handle:
    """Calls a function whose last result is a pointer, which the handle owns."""
    pointer = c_void_p()
    check(function(*arguments, byref(pointer)))
    return Handle(pointer.value or 0, free, name, at_exit)


def _plain(value: Any) -> Any:
    """JSON of an array, a number of numpy or a path."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    hint = "; decode it to a text" if isinstance(value, (bytes, bytearray)) else ""
    raise errors.FormatError(
        f"{type(value).__name__} where a text or a number is needed{hint}")


def encode_json(value: Any) -> bytes:
    """JSON in UTF-8. Raises: FormatError for what JSON cannot hold."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain).encode()
    except UnicodeEncodeError as error:
        wrong = error.object[error.start]
        raise errors.FormatError(f"a text has {wrong!r}, which is not a character") from None
    except (ValueError, TypeError, RecursionError) as error:
        if isinstance(error, errors.Error):
            raise
        raise errors.FormatError(f"this cannot be sent to Heed: {error}") from None


def read_bytes(pointer: int) -> bytes:
    """The bytes of an answer, which is freed."""
    text, size = c_void_p(), c_size_t()
    try:
        check(lib.heed_answer_text(pointer, byref(text), byref(size)))
        return ctypes.string_at(text.value or 0, size.value)
    finally:
        lib.heed_answer_free(pointer)


def read_answer(pointer: int) -> str:
    """The text of an answer, which is freed."""
    return read_bytes(pointer).decode("utf-8", "replace")


def ask_bytes(function: Callable[..., int], *arguments: Any) -> bytes:
    """Calls a function whose last result is an answer, and returns its bytes."""
    pointer = c_void_p()
    check(function(*arguments, byref(pointer)))
    return read_bytes(pointer.value or 0)


def ask(function: Callable[..., int], *arguments: Any) -> str:
    """Calls a function whose last result is an answer, and returns its text."""
    return ask_bytes(function, *arguments).decode("utf-8", "replace")


# ---- Long calls ---------------------------------------------------------------

_SLICE = 0.05  # seconds between looks for Ctrl-C
_helpers: Set[int] = set()  # threads of Background, which are used again
_idle: List[queue.SimpleQueue] = []  # those that wait for a call
_running: weakref.WeakSet[Background] = weakref.WeakSet()


def _help(jobs: queue.SimpleQueue) -> None:
    """Runs calls one after the other."""
    _helpers.add(threading.get_ident())
    while True:
        jobs.get()()


def _forget() -> None:
    """A child of fork() has no threads of its parent."""
    _idle.clear()
    _helpers.clear()
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


class Background(Generic[T]):
    """A call on a helper thread. `call` gets the pointer of a cancellation."""

    def __init__(self, call: Callable[[int], T]):
        self._cancel = make("heed_cancel_free", "call", lib.heed_cancel_new)
        self._result: Any = None
        self._error: Optional[BaseException] = None
        self._busy = threading.Lock()
        self._busy.acquire()
        _running.add(self)
        try:
            jobs = _idle.pop()
        except IndexError:
            jobs = queue.SimpleQueue()
            threading.Thread(target=_help, args=(jobs,), daemon=True).start()
        jobs.put(lambda: self._run(call, jobs))

    def _run(self, call: Callable[[int], T], jobs: queue.SimpleQueue) -> None:
        try:
            with self._cancel.use() as cancel:
                self._result = call(cancel)
        except BaseException as error:  # raised again by wait()
            self._error = error
        finally:
            _idle.append(jobs)
            self._busy.release()

    def ends(self, seconds: float) -> bool:
        """Waits for the end of the call. Returns True if it has ended."""
        ended = self._busy.acquire(timeout=seconds)
        if ended:
            self._busy.release()
        return ended

    def stop(self) -> None:
        """Cancels the call and waits for its end."""
        lib.heed_cancel_set(self._cancel.use())
        ended = False
        while not ended:
            try:
                ended = self.ends(_SLICE)
            except KeyboardInterrupt:
                pass

    def wait(self, leave: bool = False) -> T:
        """The result of the call. An exception, such as KeyboardInterrupt, stops it.

        `leave`: the call, which cannot be stopped, goes on, and its result is freed.
        """
        try:
            while not self.ends(_SLICE):
                pass
        except BaseException:
            if not leave:
                self.stop()
            raise
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None
        return self._result


def wait(call: Handle) -> str:
    """The answer of a call that was started. An exception, such as KeyboardInterrupt,
    cancels it."""
    pointer = c_void_p()
    with call.use() as started:
        while not pointer.value:
            check(lib.heed_call_wait(started, int(_SLICE * 1000), byref(pointer)))
    return read_answer(pointer.value)


def interruptible(call: Callable[[int], T], leave: bool = False) -> T:
    """Runs a long call, which gets the pointer of a cancellation, so that Ctrl-C stops it.

    `leave`: as for Background.wait.
    """
    if threading.current_thread() is threading.main_thread():
        result = Background(call).wait(leave)
        if _warnings:
            _warn()
        return result
    cancel = make("heed_cancel_free", "call", lib.heed_cancel_new)
    with cancel.use() as pointer:
        return call(pointer)


def command(*words: str, quiet: bool = False) -> str:
    """Runs a command of `heed`, such as command("list", "tasks", "--json").

    Args:
        words: The words behind `heed`.
        quiet: Show no lines and no progress.
    Returns: What it prints.
    """
    global _muted
    text = encode_json(words)
    _muted += quiet
    try:
        return interruptible(lambda cancel: ask(lib.heed_command, text, len(text), cancel))
    finally:
        _muted -= quiet
        if _progress:
            _show(_progress, ends=True)


def _leave() -> None:
    """Ends all calls before the interpreter ends."""
    for call in list(_running):
        call.stop()
    for handle in list(_at_exit):
        handle.close()
    _owners.clear()
    lib.heed_set_log(_signatures.LogFunction(), None)
