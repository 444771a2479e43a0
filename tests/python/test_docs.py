"""The examples of all docstrings, and that everything public is documented."""

import doctest
import importlib
import inspect
import pkgutil
import pydoc
import re

import pytest

import heed

OPTIONAL = {"numpy": "numpy", "torch": "torch", "sklearn": "sklearn"}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


def has(module):
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def examples():
    found = []
    for info in pkgutil.iter_modules(heed.__path__):
        if info.name == "sklearn" and not has("sklearn"):
            continue
        module = importlib.import_module(f"heed.{info.name}")
        found += [test for test in doctest.DocTestFinder().find(module) if test.examples]
    found += doctest.DocTestFinder(recurse=False).find(heed)
    return found


@pytest.mark.parametrize("test", examples(), ids=lambda test: test.name)
def test_examples(test):
    for module in OPTIONAL:
        if any(module in example.source for example in test.examples) and not has(module):
            pytest.skip(f"needs {module}")
    test.globs = {"heed": heed}
    output = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=output.append)
    assert not output, "".join(output)


def public():
    """All public objects and their public members."""
    for name in dir(heed):
        if name in ("__version__", "sklearn"):
            continue
        value = getattr(heed, name)
        members = [value] if not inspect.ismodule(value) else [
            getattr(value, one) for one in dir(value) if not one.startswith("_")
            and getattr(getattr(value, one), "__module__", "").startswith("heed")]
        for one in members:
            yield name, one
            if inspect.isclass(one):
                yield from ((f"{name}.{key}", member) for key, member in vars(one).items()
                            if not key.startswith("_") and (callable(member)
                                                            or isinstance(member, property)))


def test_everything_public_has_a_docstring():
    missing = [name for name, value in public() if not (value.__doc__ or "").strip()]
    assert not missing


def test_public_names():
    assert set(heed.__all__) <= set(dir(heed))
    names = {}
    exec("from heed import *", names)
    assert set(heed.__all__) <= set(names)
    with pytest.raises(AttributeError, match="no attribute 'trian'"):
        heed.trian


def test_help_needs_no_other_package():
    text = pydoc.plain(pydoc.render_doc(heed))
    assert re.search(r"    train\(\s*task: ", text) and "    class Model(" in text
