"""Wrong use, Ctrl-C, threads, fork and warnings: never a crash."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import pytest

import heed
from conftest import ROOT
from heed import _library, errors

TINY = {"vocabulary": "words", "units": 8, "steps": 2, "progress": False}


def python(code, **environment):
    """Runs a program in a new process."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), **environment}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True,
                          text=True, timeout=120)


@pytest.mark.parametrize("name, builtin", [
    ("ArgumentError", ValueError), ("ShapeError", ValueError), ("ConfigError", ValueError),
    ("FormatError", ValueError), ("IoError", OSError), ("NumericError", ArithmeticError),
    ("OutOfMemory", MemoryError), ("InternalError", RuntimeError), ("Cancelled", Exception)])
def test_exceptions_are_those_that_python_programs_expect(name, builtin):
    error = getattr(errors, name)
    assert issubclass(error, heed.Error) and issubclass(error, builtin)
    assert str(error("what, where")) == "what, where"


# ---- Wrong data -----------------------------------------------------------------

@pytest.mark.parametrize("data, targets, error, message", [
    ("no-such-file", None, heed.IoError, "there is no file 'no-such-file'"),
    (["a", "b"], ["x"], heed.ShapeError, "2 examples in data, but 1 in targets"),
    ([], [], heed.FormatError, "data is empty"),
    (["a", b"b"], ["x", "y"], heed.FormatError, "'text' of example 1 is bytes; decode it"),
    (["a", None], ["x", "y"], heed.FormatError, "'text' of example 1 is NoneType"),
    (["a", 3], ["x", "y"], heed.FormatError, "'text' of example 1 is int"),
    (["a", "b"], ["x", None], heed.FormatError, "'label' of example 1 is NoneType"),
    (["a", "b"], None, heed.FormatError, r"data\[0\] has 1 values"),
    (["a", "\ud800"], ["x", "y"], heed.FormatError, "not a character"),
    (5, ["x"], heed.FormatError, "data is int; a list is needed"),
    (["a", "b"], "xy", heed.FormatError, "targets is str; a list is needed"),
    (None, ["x"], heed.FormatError, "go with data"),
    (["a", "b"], ["x", "x"], heed.ConfigError, "at least 2 are needed"),
])
def test_wrong_examples(data, targets, error, message):
    with pytest.raises(error, match=message):
        heed.train("classify", data, targets, **TINY)


def test_wrong_options():
    data = (["a", "b"], ["x", "y"])
    with pytest.raises(heed.ConfigError, match="did you mean epochs"):
        heed.train("classify", *data, epoch=3)
    with pytest.raises(heed.ConfigError, match="learning_rate is -1"):
        heed.train("classify", *data, learning_rate=-1)
    with pytest.raises(heed.ConfigError, match="must be one of"):
        heed.train("clasify", *data)
    with pytest.raises(heed.ConfigError, match="the option units is object"):
        heed.train("classify", *data, units=object())
    with pytest.raises(heed.FormatError, match="pair"):
        heed.train("classify", *data, valid=["a"])


def test_wrong_inputs(classifier):
    for bad, message in ((b"x", "input is bytes; decode"), (3, "input is int"),
                         (["a", None], "input 1 is NoneType"), ("\ud800", "not a character")):
        with pytest.raises(heed.FormatError, match=message):
            classifier(bad)
    with pytest.raises(heed.ConfigError, match="'probabilites', did you mean"):
        classifier("a", probabilites=True)
    with pytest.raises(heed.FormatError, match="not a list"):
        classifier.explain(["a"])


def test_wrong_folders(classifier, tmp_path):
    with pytest.raises(heed.IoError, match="no-such-folder"):
        heed.load("no-such-folder")
    with pytest.raises(heed.Error, match="config.json"):
        heed.load(tmp_path)
    classifier.save(tmp_path / "damaged")
    (tmp_path / "damaged" / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(heed.FormatError):
        heed.load(tmp_path / "damaged")
    with pytest.raises(heed.ConfigError, match="dtype"):
        heed.load(classifier.folder, dtype="f16")
    with pytest.raises(heed.ConfigError, match="int8"):
        heed.load(classifier.folder, activations="fixed")


def test_a_folder_with_a_model_is_not_replaced(classifier, tmp_path):
    data = (["a", "b"], ["x", "y"])
    heed.train("classify", *data, out=tmp_path / "m", **TINY)
    with pytest.raises(heed.ConfigError, match="overwrite=True"):
        heed.train("classify", *data, out=tmp_path / "m", **TINY)
    heed.train("classify", *data, out=tmp_path / "m", overwrite=True, **TINY)
    with pytest.raises(heed.ConfigError, match="leave data out"):
        heed.train("classify", *data, resume=tmp_path / "m")


def test_a_failed_training_leaves_no_folder(tmp_path, monkeypatch):
    import tempfile
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(heed.ConfigError):
        heed.train("classify", ["a", "b"], ["x", "y"], epoch=3)
    assert os.listdir(tmp_path) == []


def test_closed_models():
    model = heed.train("classify", ["a", "b"], ["x", "y"], **TINY)
    parameters = model.parameters
    model.close()
    model.close()
    assert "closed" in repr(model)
    for use in (lambda: model("a"), lambda: model.explain("a"), lambda: model.encode("a"),
                lambda: list(model.stream("a")), lambda: parameters["output.bias"],
                lambda: model.languages, lambda: model.score(["a"], ["x"]),
                lambda: model.fit(["a"], ["x"]), lambda: model.save("x"),
                lambda: model.export("huggingface", "x")):
        with pytest.raises(errors.ArgumentError, match="the model is closed"):
            use()


# ---- Threads and processes --------------------------------------------------------

def test_closing_while_other_threads_ask():
    for _ in range(5):
        model = heed.train("classify", ["a", "b"], ["x", "y"], **TINY)
        failures = []

        def ask():
            try:
                while True:
                    model.predict(["a"] * 20)
            except errors.ArgumentError:  # closed
                pass
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        model.predict("a")
        model.close()
        for thread in threads:
            thread.join()
        assert not failures


def test_threads_get_their_own_messages(classifier):
    wrong = []

    def ask(i):
        for _ in range(50):
            try:
                classifier("a", **{f"option{i}": 1})
            except heed.ConfigError as error:
                if f"option{i}" not in str(error):
                    wrong.append(error)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_of_fork_answers(classifier):
    expected = classifier("a good film").details
    child = os.fork()
    if child == 0:
        os._exit(0 if classifier("a good film").details == expected else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert classifier("a good film").details == expected


def test_a_child_does_not_remove_the_folder_of_its_parent():
    done = python("""
import os, sys, heed
model = heed.train("classify", ["a", "b"], ["x", "y"], units=8, steps=2, progress=False)
with heed.serve(model):
    child = os.fork()
    if child == 0:
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert os.path.exists(model.folder)
print("ok")
""")
    assert done.stdout == "ok\n", done.stderr


# ---- Ctrl-C -------------------------------------------------------------------------

def interrupted(call):
    """Seconds between Ctrl-C and KeyboardInterrupt."""
    begun = []

    def press():
        begun.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.5, press)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
    finally:
        timer.cancel()
    return time.monotonic() - begun[0]


TEXTS = ["the cat sat on the mat", "the dog ran to the cat"] * 500


def test_ctrl_c_ends_a_training(tmp_path):
    options = {"vocabulary": "words", "units": 64, "progress": False}
    seconds = interrupted(lambda: heed.train("lm", TEXTS, epochs=1000, out=tmp_path / "m",
                                             **options))
    assert seconds < 30  # 0.1 on a quiet machine; an interruption that fails lasts for minutes
    model = heed.train("lm", resume=tmp_path / "m", steps=1, progress=False)
    assert model("the")


def test_ctrl_c_ends_answers(writer):
    assert interrupted(lambda: writer.predict(["the cat"] * 20000, mode="continue",
                                              max_tokens=200)) < 30
    assert writer("the cat")


def test_ctrl_c_ends_a_stream(writer):
    def read():
        while True:
            for _ in writer.stream("the cat", mode="continue", max_tokens=1000):
                pass

    assert interrupted(read) < 30
    assert writer("the cat")


def test_ctrl_c_ends_loading(writer, monkeypatch):
    free, really_open = threading.Event(), _library.lib.heed_model_open

    def slow(*arguments):
        free.wait(60)  # a large model
        return really_open(*arguments)

    monkeypatch.setattr(_library.lib, "heed_model_open", slow)
    assert interrupted(lambda: heed.load(writer.folder)) < 30
    assert not free.is_set()
    free.set()
    assert heed.load(writer.folder)("the cat")  # the call that went on does not hinder


def test_streams_that_nobody_closes_do_not_hinder_the_end():
    done = python("""
import heed
model = heed.train("lm", ["the cat sat on the mat"] * 4, vocabulary="words", units=8, steps=2,
                   progress=False)
stream = model.stream("the", mode="continue", max_tokens=1000)
next(stream)
print("ok")
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", "")


# ---- Messages -----------------------------------------------------------------------

def test_progress_is_one_line(capsys):
    heed.train("classify", ["a", "b"], ["x", "y"], units=8, epochs=3)
    shown = capsys.readouterr().err
    assert "\rtrained " in shown or "\ntrained " in shown
    assert "try it" not in shown
    heed.train("classify", ["a", "b"], ["x", "y"], units=8, epochs=3, progress=False)
    assert capsys.readouterr().err == ""


def test_warnings_are_those_of_python():
    long = ["word " * 400, "short"] * 4
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model = heed.train("classify", long, ["x", "y"] * 4, max_length=20, **TINY)
    assert seen and all(one.category is heed.HeedWarning for one in seen)
    assert "max_length" in str(seen[0].message) or "tokens" in str(seen[0].message)
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(heed.HeedWarning):
            heed.train("classify", long, ["x", "y"] * 4, max_length=20, **TINY)
    assert model("short")


# ---- The library ----------------------------------------------------------------------

def test_a_missing_library_is_named():
    done = python("import heed; heed.tasks()", HEED_LIBRARY="/no/libheed.so")
    assert "ImportError" in done.stderr and "/no/libheed.so" in done.stderr
    assert "HEED_LIBRARY" in done.stderr


def test_importing_is_light():
    done = python("import sys, heed\n"
                  "print('numpy' in sys.modules, 'heed._tensors' in sys.modules)")
    assert done.stdout == "False False\n", done.stderr


def test_memory_stays_flat(classifier):
    def memory():
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def use():
        for _ in range(20):
            with heed.load(classifier.folder) as model:
                model.explain("a good film").attention

    use()
    before = memory()
    use()
    use()
    assert memory() - before < 8 << 20
    assert len(_library._running) <= 1
