"""The ctypes signatures are those of heed.h."""

import importlib.util
import pathlib

import heed
from heed import _signatures
from heed._library import lib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def made():
    spec = importlib.util.spec_from_file_location("make_signatures",
                                                  ROOT / "python" / "make_signatures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_signatures_are_those_of_the_header():
    text = (ROOT / "python" / "heed" / "_signatures.py").read_text()
    assert text == made().signatures((ROOT / "apps" / "libheed" / "heed.h").read_text())


def test_every_function_of_the_header_is_there():
    header = (ROOT / "apps" / "libheed" / "heed.h").read_text()
    assert len(_signatures.FUNCTIONS) == header.count("\nHEED_API ")
    for name in _signatures.FUNCTIONS:
        assert getattr(lib, name).argtypes is not None


def test_version():
    assert heed.__version__.count(".") == 2
    assert lib.heed_abi() >= 1
