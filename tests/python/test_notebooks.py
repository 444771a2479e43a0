"""Runs the notebooks of examples/notebooks, without Jupyter and, where it is, with it."""

import ast
import functools
import json
import os
import tempfile
import xml.dom.minidom

import pytest

from conftest import ROOT

PICTURES = {  # cells whose last expression is a picture
    "1_sequence_to_sequence": 4,
    "2_self_attention": 6,
    "3_what_a_model_attends_to": 4,
    "4_graph_attention": 4,
    "5_own_model_in_40_lines": 2,
}
FOLDER = ROOT / "examples" / "notebooks"


def read(name):
    return json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))


def code_of(book):
    return ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]


def run_cell(code, place, names):
    """Runs a cell. Returns the value of its last expression, or None."""
    tree = ast.parse(code, place)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, place, "exec"), names)
    if last is None:
        return None
    whole = ast.Expression(last.value)
    return eval(compile(whole, place, "eval"), names)


def test_all_notebooks_are_known():
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == sorted(PICTURES)


@pytest.mark.parametrize("name", PICTURES)
def test_form(name):
    book = read(name)
    assert (book["nbformat"], book["metadata"]["kernelspec"]["name"]) == (4, "python3")
    assert 8 <= len(book["cells"]) <= 14
    ids = [cell["id"] for cell in book["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in book["cells"]:
        assert all(line.endswith("\n") for line in cell["source"][:-1])
        assert max(map(len, cell["source"])) <= 141
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None


@pytest.mark.parametrize("name", PICTURES)
def test_links(name):
    for cell in read(name)["cells"]:
        for part in "".join(cell["source"]).split("](")[1:]:
            if cell["cell_type"] == "markdown":
                assert (FOLDER / part.partition(")")[0]).is_file(), part


@functools.lru_cache(maxsize=None)
def run(name):
    """Runs a notebook in an empty folder.

    Returns its names, the values of the last expressions, and the files that it left."""
    names = {"__name__": "__main__"}
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        try:
            values = [run_cell(code, f"{name}, code cell {i}", names)
                      for i, code in enumerate(code_of(read(name)))]
        finally:
            os.chdir(before)
        return names, values, os.listdir(place)


@pytest.mark.parametrize("name", PICTURES)
def test_cells(name):
    _, values, files = run(name)
    pictures = [value for value in values if hasattr(value, "_repr_mimebundle_")]
    for picture in pictures:
        shown = picture._repr_mimebundle_()
        xml.dom.minidom.parseString(shown["image/svg+xml"])
        assert shown["text/plain"] == repr(picture)
    assert len(pictures) == PICTURES[name]
    assert not files


# The results are those that the texts of the notebooks state.

def test_sequence_to_sequence():
    names = run("1_sequence_to_sequence")[0]
    assert names["right"]["bahdanau"] > names["right"]["fixed"] + 20
    answer = "yesterday we have sold the red boat"
    assert [e.answer for e in names["found"].values()] == [answer] * 3


def test_self_attention():
    names = run("2_self_attention")[0]
    assert names["difference"](names["layer_by_hand"](names["x"]),
                               names["transformer"](names["x"])) < 1e-5
    assert names["difference"](names["attended"].weights,
                               names["attention_by_hand"](names["normed"])[1]) < 1e-6


def test_what_a_model_attends_to():
    names = run("3_what_a_model_attends_to")[0]
    assert names["e"].answer == "reads"
    effects = names["tested"].attributions["occlusion"][0].tolist()
    assert names["e"].source[effects.index(max(effects))] == "poems"


def test_graph_attention():
    names = run("4_graph_attention")[0]
    right = {name: model.score(range(40, 60))["accuracy"]
             for name, model in names["models"].items()}
    assert right["gat"] > right["node-mlp"] + 20
    assert names["by_hand"]["Di"] == pytest.approx(names["found"].weights[2, 3], abs=1e-5)


def test_own_model():
    names, values, _ = run("5_own_model_in_40_lines")
    assert names["answers"] == {"notebook": "beknooot", "learning": "aegilnnr"}
    picture = [value for value in values if hasattr(value, "draw")][-1]
    assert "notebook → koobeton" in picture.draw()
    weights = picture.weights.tolist()
    assert [row.index(max(row)) for row in weights] == list(range(7, -1, -1))


def test_jupyter(tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient", reason="needs nbclient")
    pytest.importorskip("ipykernel", reason="needs ipykernel")
    nbformat = pytest.importorskip("nbformat", reason="needs nbformat")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "python"), prepend=os.pathsep)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    book = nbformat.read(str(FOLDER / "2_self_attention.ipynb"), as_version=4)
    nbformat.validate(book)
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3",
                            resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in book["cells"] for output in cell.get("outputs", [])]
    pictures = [output["data"]["image/svg+xml"] for output in outputs
                if "image/svg+xml" in output.get("data", {})]
    assert len(pictures) == PICTURES["2_self_attention"]
    for picture in pictures:
        xml.dom.minidom.parseString(picture)
