"""Servers within the process."""

import json
import threading
import urllib.error
import urllib.request

import pytest

import heed


def post(address, path, request):
    asked = urllib.request.Request(address + path, json.dumps(request).encode(),
                                   {"Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=30) as answer:
        return json.loads(answer.read())


def test_answers_are_those_of_the_model(translator, classifier):
    with heed.serve({"de-en": translator, "films": classifier}) as server:
        found = post(server.address, "translate",
                     {"q": "ein mann liest", "source": "de", "target": "en"})
        assert found == {"translatedText": "a man reads"}
        found = post(server.address, "predict", {"text": "a good film", "model": "films"})
        assert found["details"] == classifier("a good film").details


def test_many_clients(classifier):
    answers = []
    with heed.serve(classifier) as server:
        clients = [threading.Thread(target=lambda: answers.append(
            post(server.address, "predict", {"text": "a good film"})["answer"]))
            for _ in range(8)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
    assert answers == ["pos"] * 8


def test_closing(classifier):
    server = heed.serve([classifier.folder])
    address = server.address
    assert address in repr(server) and address in server._repr_html_()
    server.close()
    server.close()
    assert "closed" in repr(server)
    with pytest.raises(urllib.error.URLError):
        post(address, "predict", {"text": "a"})


def test_options(classifier):
    with heed.serve(classifier, char_limit=5) as server:
        with pytest.raises(urllib.error.HTTPError):
            post(server.address, "predict", {"text": "a good film"})
    with pytest.raises(heed.ConfigError, match="char_limit"):
        heed.serve(classifier, char_limitt=5)
    with pytest.raises(heed.ConfigError, match="port"):
        heed.serve(classifier, port=-1)


def test_wrong_models(classifier):
    with pytest.raises(heed.IoError, match="no-such"):
        heed.serve("no-such-model")
    with pytest.raises(heed.FormatError, match="no model and no folder"):
        heed.serve([1])
    with heed.serve(classifier) as server:
        port = int(server.address.rstrip("/").rpartition(":")[2])
        with pytest.raises(heed.IoError, match=str(port)):
            heed.serve(classifier, port=port)
