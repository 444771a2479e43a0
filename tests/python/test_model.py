"""Training, answers, measuring and saving of models of every task."""

import base64
import json
import os
import pathlib
import pickle
import random
import subprocess

import pytest

import heed
from conftest import ENGLISH, GERMAN, ROOT

SAMPLES = ROOT / "tests" / "samples"
TINY = {"steps": 2, "progress": False}


def files_of(task, folder):
    """The folder of a sample's files."""
    for name, content in json.loads((SAMPLES / f"{task}.json").read_text())["files"].items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(content["base64"]) if isinstance(content, dict)
                         else "".join(line + "\n" for line in content).encode())
    return folder


WORDS = [["Anna", "sleeps"], ["we", "met", "Ben"]]
TAGS = [["B-PER", "O"], ["O", "O", "B-PER"]]
PASSAGES = [("Ben went to the hall.\nAnn went to the yard.", "Where is Ben?"),
            ("Ann went to the hall.\nBen went to the barn.", "Where is Ben?")]
# Task: data, targets, options, an input.
TASKS = {
    "translate": (GERMAN, ENGLISH, {"vocabulary": "words", "units": 8, "embedding": 8},
                  "ein mann"),
    "classify": (["a good film", "a bad film"] * 2, ["pos", "neg"] * 2,
                 {"vocabulary": "words", "units": 8}, "good"),
    "tag": (WORDS, TAGS, {"units": 8, "word_embedding": 8}, "we met Anna"),
    "slots": ([["play", "jazz"], ["stop", "it"]],
              [(["O", "B-style"], "play"), (["O", "O"], "stop")],
              {"units": 8, "word_embedding": 8}, "play it"),
    "lm": (["the cat sat", "the dog ran"], None, {"vocabulary": "words", "units": 8}, "the "),
    "autocomplete": (["the cat sat", "the dog ran"], None, {"units": 8}, "the c"),
    "pretrain": (["A good film. The plot was bad.", "The cast was good. A bad film."], None,
                 {"width": 16, "ff": 32, "heads": 2, "layers": 1, "vocabulary_size": 60,
                  "max_length": 16, "max_positions": 16}, "a [MASK] film"),
    "retrieve": ([("who sleeps", "Anna sleeps"), ("who sleeps", "Ben met us")], [1, 0],
                 {"units": 8}, ("who sleeps", "Anna sleeps", "rain falls")),
    "read": (PASSAGES * 4, ["hall", "barn"] * 4, {"embedding": 8, "units": 8}, PASSAGES[0]),
    "ratings": ([("anna", "guitar", "good strings"), ("ben", "guitar", "dull sound")] * 4,
                [5, 2] * 4,
                {"model": "mpcn", "embedding": 8, "pointers": 1, "read_reviews": 4},
                {"user": "anna", "item": "guitar", "user_reviews": ["good"],
                 "item_reviews": ["dull"]}),
    "visits": ([[["I50", "E11"], ["I10"]], [["I10"]]] * 4, [1, 0] * 4,
               {"embedding": 4, "units": 4}, {"visits": [["I10"], ["E11"]]}),
    "forecast": ([[float(i % 6), float(i % 4)] for i in range(120)], None,
                 {"lookback": 8, "horizon": 2, "patch": 4, "patch_stride": 2},
                 [[float(i % 6), float(i % 4)] for i in range(8)]),
    "nodes": ([[0, 2], [1, 2], [0], [(1, 0.5)]], ["red", "blue", "red", None],
              {"edges": [(0, 1), (1, 2), (2, 3)], "units": 4, "heads": 2}, 3),
}


@pytest.fixture(scope="module")
def models():
    made = {}

    def model(task):
        if task not in made:
            data, targets, options, _ = TASKS[task]
            made[task] = heed.train(task, data, targets, **options, **TINY)
        return made[task]

    return model


@pytest.mark.parametrize("task", TASKS)
def test_every_task_learns_from_lists_and_answers(models, task):
    model, given = models(task), TASKS[task][3]
    assert model.task == task
    answer = model(given)
    assert isinstance(answer, str) and answer.text == str(answer)
    assert isinstance(answer.details, (dict, list))
    assert [str(one) for one in model.predict([given, given])] == [str(answer)] * 2
    assert model.predict([]) == []


@pytest.mark.parametrize("task", [task for task in TASKS if task != "nodes"])
def test_every_task_measures_lists(models, task):
    data, targets, _, _ = TASKS[task]
    measured = models(task).score(data, targets)
    assert any(isinstance(value, (int, float)) for value in measured.values())


def test_nodes_are_measured_by_their_numbers(models):
    with pytest.warns(heed.HeedWarning, match="taught the model"):
        assert models("nodes").score([0, 1])["nodes"] == 2


@pytest.mark.parametrize("task", ["images", "caption", "speech", "order"])
def test_tasks_of_files(task, tmp_path):
    folder = files_of(task, tmp_path)
    says = json.loads((SAMPLES / f"{task}.json").read_text())
    words = [word.replace("{}", str(folder)) for word in says["train"]]
    options = {name[2:].replace("-", "_"): value
               for name, value in zip(words[::2], words[1::2])}
    data, targets = None, None
    if task != "order":
        option = "recordings" if task == "speech" else "images"
        lines = pathlib.Path(options.pop(option)).read_text().splitlines()
        rows = [line.split("\t") for line in lines]
        data, targets = [folder / row[0] for row in rows], [row[1] for row in rows]
    model = heed.train(task, data, targets, **options, **TINY)
    path = folder / says["input_file"]
    answer = model(path)
    assert model(str(path)) == answer == model(path.read_bytes())
    assert model.predict([path, path]) == [answer, answer]
    if data:
        assert model.score(data, targets)
    with pytest.raises(heed.IoError, match="no-such"):
        model("no-such-file.png")


def test_training_from_files(tmp_path):
    folder = files_of("translate", tmp_path)
    options = {"vocabulary": "words", "units": 8, "embedding": 8, **TINY}
    source, target = folder / "train.source", folder / "train.target"
    by_files = heed.train("translate", source, target, valid=(source, target), **options)
    by_lists = heed.train("translate", source.read_text().splitlines(),
                          target.read_text().splitlines(), valid=(GERMAN, ENGLISH), **options)
    assert by_files("der hund").details == by_lists("der hund").details
    table = files_of("classify", tmp_path) / "train.tsv"
    assert heed.train("classify", str(table), vocabulary="words", units=8, **TINY)("good")


def test_algorithms_have_no_data():
    words = json.loads((SAMPLES / "algorithm.json").read_text())["train"]
    options = {name[2:].replace("-", "_"): value
               for name, value in zip(words[::2], words[1::2])}
    assert heed.train("algorithm", **options, **TINY)("random 2")
    with pytest.raises(heed.ConfigError, match="reads no data"):
        heed.train("algorithm", ["a"])


def test_records_may_be_tuples_and_dicts():
    options = {"vocabulary": "words", "units": 8, **TINY}
    texts, labels = ["good", "bad"], ["pos", "neg"]
    dicts = [{"text": text, "label": label} for text, label in zip(texts, labels)]
    answers = [heed.train("classify", data, targets, **options)("good").details
               for data, targets in ((texts, labels), (list(zip(texts, labels)), None),
                                     (dicts, None))]
    assert answers[0] == answers[1] == answers[2]


def test_pairs_of_texts():
    model = heed.train("classify", [("a man sleeps", "a man reads"), ("a man", "a man")],
                       ["no", "yes"], vocabulary="words", units=8, **TINY)
    assert model(("a man", "a dog")) in ("no", "yes")
    assert model.score([("a man", "a man")], ["yes"])["texts"] == 1


def test_several_labels():
    model = heed.train("classify", ["good", "bad", "both"], [["pos"], ["neg"], ["pos", "neg"]],
                       multi_label=True, vocabulary="words", units=8, **TINY)
    assert set(model.probabilities("good")) == {"pos", "neg"}


def test_labels_may_be_numbers():
    model = heed.train("classify", ["good", "bad"], [1, 0], units=8, **TINY)
    assert model("good") in ("0", "1")


def test_texts_may_hold_anything():
    texts = ['a "quoted"\ttext', "two\nlines", "label,text", "日本語 \N{GRINNING FACE}", "\\", ""]
    model = heed.train("classify", texts, list("ababab"), vocabulary="words", units=8, **TINY)
    assert len(model.predict(texts)) == 6
    assert model.score(texts, list("ababab"))["texts"] == 6


def test_validation_can_be_held_out():
    texts, labels = ["a good film", "a bad film"] * 20, ["pos", "neg"] * 20
    options = {"vocabulary": "words", "units": 8, **TINY}
    held = heed.train("classify", texts, labels, valid=0.1, **options)
    assert held.info["score"] != ""
    assert heed.train("classify", texts, labels, **options).info["score"] == ""
    with pytest.raises(heed.ConfigError, match="share"):
        heed.train("classify", texts, labels, valid=1.5)


@pytest.mark.parametrize("task", ["translate", "classify", "tag", "lm", "autocomplete"])
def test_answers_are_those_of_the_command(models, task):
    """Text and scores of 200 inputs, to the last bit."""
    program = pathlib.Path(os.environ.get("HEED_COMMAND", ROOT / "build" / "release" / "heed"))
    if not program.exists():
        pytest.skip("needs the command")
    draw = random.Random(task)
    words = "ein hund liest der a good bad film Anna we met Ben the cat sat ran x 7".split()
    texts = [" ".join(draw.choices(words, k=draw.randint(1, 9))) for _ in range(200)]
    lines = subprocess.run([program, "predict", models(task).folder, "--output", "json"],
                           input="".join(text + "\n" for text in texts), text=True,
                           capture_output=True, check=True).stdout.splitlines()
    assert [answer.details for answer in models(task).predict(texts)] == [
        json.loads(line) for line in lines]


def test_predictions(classifier, translator):
    answer = classifier("a good film")
    assert answer == "pos" and 0.5 < answer.confidence <= 1
    assert answer.score is None and answer.alternatives == []
    copied = pickle.loads(pickle.dumps(answer))
    assert copied == answer and copied.details == answer.details
    best, = translator.translate(["der mann liest"], beam=4, alternatives=2)
    assert best == "the man reads"
    assert len(best.alternatives) == 2 and best.score < 0
    assert best.tokens == ["the", "man", "reads", "</s>"]
    assert 0 < best.confidence <= 1


def test_probabilities(classifier):
    found = classifier.probabilities("a good film")
    assert set(found) == {"neg", "pos"}
    assert sum(found.values()) == pytest.approx(1)
    assert classifier.probabilities(["a good film"]) == [found]


def test_translations(translator):
    assert translator.translate(GERMAN) == ENGLISH
    assert translator.translate("ein mann liest", "de", "en") == "a man reads"
    page = translator.translate("<p>ein mann liest</p>", format="html")
    assert page == "<p>a man reads</p>"
    found, = translator.translate(["ein mann liest"], format="text", alternatives=1)
    assert found.alternatives
    sure = translator.translate("ein mann liest", confidence=True)
    assert 0 < sure.confidence < 1 and not sure.details["calibrated"]
    assert [word["text"] for word in sure.details["words"]] == ["a", "man", "reads"]
    page, = translator.translate(["ein mann liest"], format="text", confidence=True)
    assert page.confidence == pytest.approx(sure.confidence, abs=1e-4)
    assert [word["start"] for word in page.details["words"]] == [0, 2, 6]
    assert [row["code"] for row in translator.languages] == ["de", "en"]
    with pytest.raises(heed.ConfigError, match="fr"):
        translator.translate("ein mann", target="fr")


def test_only_translators_translate(classifier):
    with pytest.raises(heed.ConfigError, match="does not translate"):
        classifier.translate("a")
    assert classifier.languages == []


def test_streams(translator, writer):
    assert "".join(translator.stream("der mann liest")) == "the man reads"
    assert "".join(translator.stream("\n".join(GERMAN))) == "\n".join(ENGLISH)
    assert "".join(translator.stream("der mann liest", format="text")) == "the man reads"
    pieces = list(writer.stream("the", mode="continue", max_tokens=20))
    assert len(pieces) > 1
    assert "".join(pieces) == writer("the", mode="continue", max_tokens=20)


def test_closing_a_stream_stops_it(writer):
    from heed import _library
    stream = writer.stream("the", mode="continue", max_tokens=1000)
    next(stream)
    stream.close()
    assert all(call.ends(0) for call in _library._running)
    assert writer("the")


def test_tokens(translator):
    encoded = translator.encode("der mann")
    assert encoded.tokens == ["der", "mann"]
    assert len(encoded.ids) == 2
    assert isinstance(translator.decode([5, 6]), str)
    with pytest.raises(heed.FormatError, match="token id"):
        translator.decode([10 ** 6])


def test_parameters(classifier):
    parameters = classifier.parameters
    assert parameters["output.bias"].shape == (2,)
    assert "output.bias" in parameters and len(parameters) == len(list(parameters))
    assert parameters._ipython_key_completions_() == list(parameters)
    assert "output.bias: [2]" in repr(parameters)
    with pytest.raises(KeyError):
        parameters["nothing"]
    assert sum(array.size for array in parameters.values()) == classifier.info["parameters"]


def test_saving(classifier, tmp_path):
    folder = tmp_path / "model"
    classifier.save(folder)
    assert not (folder / "training.safetensors").exists()
    loaded = heed.load(folder)
    assert loaded("a good film").details == classifier("a good film").details
    assert heed.load(folder, dtype="int8")("a good film")
    with pytest.raises(heed.ConfigError, match="overwrite=True"):
        classifier.save(folder)
    classifier.save(folder, overwrite=True)
    assert "classify" in repr(loaded)


def test_going_on_with_a_model(classifier, tmp_path):
    before = classifier("a good film").details
    better = classifier.fit(["a good film", "a bad film"], ["pos", "neg"], epochs=1,
                            progress=False, out=tmp_path / "better")
    assert better("a good film").details != before
    assert classifier("a good film").details == before
    longer = heed.train("classify", resume=tmp_path / "better", epochs=2, progress=False)
    assert longer.folder == better.folder


def test_temporary_folders_are_removed():
    model = heed.train("classify", ["a", "b"], ["x", "y"], units=8, **TINY)
    folder = model.folder
    assert os.path.exists(folder)
    model.close()
    assert not os.path.exists(folder)


def test_a_model_is_a_context():
    with heed.train("classify", ["a", "b"], ["x", "y"], units=8, **TINY) as model:
        assert model("a")
    with pytest.raises(heed.Error, match="closed"):
        model("a")


def test_import_and_export(tmp_path):
    bert = heed.import_model(ROOT / "tests" / "golden" / "huggingface_bert")
    assert bert.task == "pretrain"
    assert bert("the [MASK] sat").alternatives is not None
    bert.export("huggingface", tmp_path / "out")
    assert (tmp_path / "out" / "config.json").exists()
    tagger = heed.import_model(ROOT / "tests" / "golden" / "huggingface_tags",
                               tmp_path / "tagger")
    assert tagger("anna sleeps").details["words"] == ["anna", "sleeps"]
    with pytest.raises(heed.IoError):
        heed.import_model(tmp_path / "nothing")


def test_tasks_and_options():
    assert set(TASKS) < set(heed.tasks())
    options = heed.options("classify")
    assert options["epochs"]["type"] == "int" and options["epochs"]["help"]
    assert "bert" not in heed.options("classify", "bert-tiny")["learning_rate"]["default"]
    with pytest.raises(heed.ConfigError, match="must be one of"):
        heed.options("clasify")


def test_yes_and_no_are_booleans():
    model = heed.train("classify", ["a", "b"], ["x", "y"], units=8, bidirectional=False,
                       lowercase=True, **TINY)
    assert model.info["config"]["bidirectional"] == "no"
    assert model.info["config"]["lowercase"] is True


def test_threads():
    heed.threads(1)
    heed.threads(0)
    with pytest.raises(heed.Error, match="threads"):
        heed.threads(-1)
