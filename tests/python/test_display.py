"""Explanations, pictures and alignments."""

import json
import re
import xml.dom.minidom

import pytest

import heed
from conftest import ENGLISH, GERMAN, ROOT, torch


WEIGHTS = [[0.9, 0.1], [0.2, 0.8]]


def test_explanation(translator):
    e = translator.explain("der mann liest")
    assert (e.text, e.answer) == ("der mann liest", "the man reads")
    assert e.source == ["der", "mann", "liest", "</s>"]
    assert e.target == ["the", "man", "reads", "</s>"]
    assert e.attention.shape == (1, 1, 4, 4)
    assert [sum(row) for row in e.attention[0, 0].tolist()] == pytest.approx([1] * 4, abs=1e-5)
    name, weights = list(e.layers.items())[-1]
    assert weights.tolist() == e.attention[0].tolist()
    assert e.json["version"] == 3 and name in [one["name"] for one in e.json["maps"]]


def test_weights_are_those_of_the_json(classifier):
    e = classifier.explain("a good film")
    for one, weights in zip(e.json["maps"], e.layers.values()):
        for given, exact in zip(one["weights"][0], weights[0].tolist()):
            assert given == pytest.approx(exact, abs=1e-6)


def test_heads_and_layers():
    bert = heed.import_model(ROOT / "tests" / "golden" / "huggingface_bert")
    e = bert.explain("the cat [MASK]")
    layers, heads, rows, columns = e.attention.shape
    assert layers == len(e.layers) > 1 and heads > 1 and rows == columns == len(e.source)
    assert e.attention[1, 0].tolist() == list(e.layers.values())[1][0].tolist()
    assert e.source == e.target


def test_attributions(classifier):
    e = classifier.explain("a good film", method=["saliency", "occlusion"], answer="neg",
                           contrast="pos")
    assert e.answer == "neg"
    assert set(e.attributions) == {"saliency", "occlusion"}
    assert e.attributions["saliency"].shape == (1, 5)
    with pytest.raises(heed.Error, match="saliency"):
        classifier.explain("a", method="magic")
    with pytest.raises(heed.Error, match="bad label"):
        classifier.explain("a", answer="bad label")


def test_a_model_without_attention():
    model = heed.train("classify", ["good", "bad"], ["pos", "neg"], self_attention="none",
                       pooling="max", units=8, vocabulary="words", steps=2, progress=False)
    e = model.explain("good", method="saliency")
    assert e.attributions["saliency"].shape == (1, len(e.source)) == (1, 3)
    with pytest.raises(heed.ConfigError, match="no attention"):
        e.attention


def test_notebooks_show_pictures(translator):
    e = translator.explain("der mann liest")
    bundle = e._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "image/svg+xml", "text/html"}
    assert "█" in bundle["text/plain"] or "▒" in bundle["text/plain"]
    assert repr(e) == bundle["text/plain"]
    xml.dom.minidom.parseString(bundle["image/svg+xml"])
    assert "<script" not in bundle["text/html"]
    assert "<svg" in bundle["text/html"]


def test_pictures_of_a_page_share_no_ids(translator, classifier):
    seen = set()
    for model in (translator, classifier, translator):
        html = model.explain("der mann", method="occlusion")._repr_mimebundle_()["text/html"]
        ids = set(re.findall(r"\bid=['\"]([^'\"]+)", html))
        assert ids and not ids & seen
        assert set(re.findall(r"url\(#([^)]+)\)", html)) <= ids
        seen |= ids


@pytest.mark.parametrize("form, start", [("svg", b"<svg"), ("html", b"<!doctype html"),
                                         ("json", b"{"), ("png", b"\x89PNG")])
def test_saving(translator, tmp_path, form, start):
    path = tmp_path / f"picture.{form}"
    try:
        translator.explain("der mann liest").save(path)
    except heed.ConfigError as error:  # a build without Node or librsvg
        pytest.skip(str(error))
    assert path.read_bytes().startswith(start)


def test_wrong_files(translator, tmp_path):
    e = translator.explain("der mann")
    with pytest.raises(heed.ConfigError, match="does not end in .svg"):
        e.save(tmp_path / "x.gif")
    with pytest.raises(heed.IoError, match="cannot write"):
        e.save(tmp_path / "none" / "x.svg")
    with pytest.raises(heed.ConfigError, match="view"):
        e.draw(view="magic")
    with pytest.raises(heed.ConfigError, match="format"):
        e.draw("gif")


def test_views(translator):
    e = translator.explain("der mann liest")
    assert e.draw(view="lines") != e.draw(view="alignment")
    assert e.draw("text", width=60).count("\n") > 3
    assert json.loads(e.draw("json"))


def test_explanations_outlive_their_model():
    model = heed.train("classify", ["a", "b"], ["x", "y"], units=8, steps=2, progress=False)
    e = model.explain("a")
    model.close()
    assert e.attention.ndim == 4 and "<svg" in e.draw()
    with pytest.raises(heed.Error, match="closed"):
        model.explain("a")


def test_show():
    picture = heed.show(WEIGHTS, ["ein", "Haus"], ["a", "house"], title="Look")
    assert "Haus" in repr(picture) and "Look" in repr(picture)
    xml.dom.minidom.parseString(picture.draw())
    heads = heed.show([WEIGHTS, WEIGHTS], kind="heads")
    assert heads.draw() != heed.show([WEIGHTS, WEIGHTS]).draw()
    assert heed.show(WEIGHTS, kind="lines").draw() != heed.show(WEIGHTS).draw()
    assert heed.show([[WEIGHTS]]).draw() == heed.show(WEIGHTS).draw()
    assert heed.show([[1, 0], [0, 1]]).draw()
    assert heed.show([WEIGHTS, [[0, 1], [0, 1]]], head=1).draw() != heed.show(
        [WEIGHTS, [[0, 1], [0, 1]]], head=0).draw()


def test_titles():
    both = [WEIGHTS, WEIGHTS]
    for kind, title in (("heatmap", "Look"), ("lines", "Look, head 1"), ("heads", "Look")):
        picture = heed.show(both, ["ein", "Haus"], ["a", "house"], kind, title="Look", head=1)
        assert f">{title}</text>" in picture.draw(), kind
        assert "Look" not in heed.show(both, kind=kind, head=1).draw()
    heads = heed.show(both, ["ein", "Haus"], ["a", "house"], "heads", title="Look")
    assert heads.draw("text").startswith("Look\nTarget attends to Source\n")
    assert "Source: attention to itself" in heed.show(both, kind="heads").draw()


def test_weights_over_an_image(tmp_path):
    black, white = [0.0] * 3, [1.0] * 3
    image = [[black] * 8 + [white] * 4] * 12
    weights = [[0.7, 0.1, 0.1, 0.1], [0.0, 0.0, 0.0, 1.0]]
    picture = heed.show(weights, image, ["a", "dog"], kind="overlay", title="Dogs")
    xml.dom.minidom.parseString(picture.draw())
    assert picture.draw().count("<image") == 3  # itself, and one for each target
    for text in ("Dogs", "Image", "a", "dog"):
        assert f">{text}</text>" in picture.draw()
    lines = repr(picture).split("\n")
    assert lines[0] == "Dogs" and lines[1].strip() == "·" * 8 + "█" * 4
    axis = json.loads(picture.draw("json"))["axes"]["source"]
    assert (axis["kind"], len(axis["items"])) == ("image", 4)
    grey = [[0] * 8 + [255] * 4] * 12
    assert heed.show(weights, grey, ["a", "dog"], kind="overlay", title="Dogs").draw() == \
        picture.draw()
    path = ROOT / "tests" / "golden" / "images" / "clear.png"
    by_path = heed.show(weights, path, kind="overlay").draw()
    assert by_path == heed.show([weights], path.read_bytes(), kind="overlay").draw()


def test_wrong_images():
    image = [[0.0] * 9] * 6
    for number, error, match in ((5, heed.ShapeError, "5 weights .* 9 x 6 pixels"),
                                 (7, heed.ShapeError, "leave out")):
        with pytest.raises(error, match=match):
            heed.show([[0.1] * number], image, kind="overlay")
    assert heed.show([[0.1] * 6], image, kind="overlay").draw()  # 2 rows of 3
    weights = [[0.1] * 4]
    for wrong, error, match in ((None, heed.ConfigError, "needs an image"),
                                ("no.png", heed.IoError, "no.png"),
                                (b"no", heed.Error, "neither a PNG nor a JPEG"),
                                ([1.0], heed.ShapeError, "height"), ([[]], heed.ShapeError, "height"),
                                (["a", "b"], heed.ShapeError, "number"),
                                ([[float("nan")]], heed.NumericError, "pixel")):
        with pytest.raises(error, match=match):
            heed.show(weights, wrong, kind="overlay")


@pytest.mark.skipif(torch is None, reason="needs torch")
def test_show_weights_of_torch():
    weights = torch.tensor([[WEIGHTS, WEIGHTS]], requires_grad=True)
    expected = heed.show([WEIGHTS, WEIGHTS], ["a", "b"])
    assert heed.show(weights, ["a", "b"]).draw() == expected.draw()


def test_wrong_weights():
    with pytest.raises(heed.ShapeError, match="3 labels, the weights 2"):
        heed.show(WEIGHTS, ["a", "b", "c"])
    with pytest.raises(heed.ShapeError, match="neither"):
        heed.show([0.5, 0.5])
    with pytest.raises(heed.NumericError, match="nan"):
        heed.show([[float("nan")]])
    with pytest.raises(heed.ShapeError):
        heed.show([[]])
    with pytest.raises(heed.ConfigError, match="heatmap"):
        heed.show(WEIGHTS, kind="cake")
    with pytest.raises(heed.ConfigError, match="head"):
        heed.show([WEIGHTS, WEIGHTS], head=5)


def test_alignments(translator):
    found = heed.align("der mann liest", "the man reads", translator)
    assert found.source == ["der", "mann", "liest"]
    assert found.weights.shape == (3, 3)
    assert all(0 <= s < 3 and 0 <= t < 3 for s, t in found.links)
    assert "<svg" in found._repr_mimebundle_()["text/html"]
    by_counts = heed.align(GERMAN, ENGLISH, "ibm1", iterations=5)
    assert by_counts[0].links == [(0, 0), (1, 1), (2, 2)]
    with pytest.raises(heed.ShapeError):
        heed.align("a", ["b"], translator)
    with pytest.raises(heed.Error):
        heed.align("a", "b", "no-such-model")


def test_self_attention_reorders_nothing():
    """Equal labels on both sides are one sequence, whose words keep their places."""
    weights = [[0.1, 0.9], [0.9, 0.1]]
    for target, marked in ((["a", "b"], False), (["x", "y"], True)):
        picture = heed.show(weights, ["a", "b"], target)
        html = picture._repr_mimebundle_()["text/html"]
        assert ("changed their place" in html) == marked
