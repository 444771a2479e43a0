"""Models of other programs that continue texts, from the command line and over HTTP."""

import json
import shutil

from harness import EndToEnd, strict_json
from server import Server, events
from convert import GOLDEN


class Imported(EndToEnd):
    def imported(self, name):
        out = self.folder / name
        self.runs("import", GOLDEN / f"huggingface_{name}", "--out", out)
        return out

    def test_gpt2_continues_texts(self):
        model = self.imported("gpt2")
        lines = b"the old dog\n\nthe"
        text = self.runs("predict", model, "--mode", "continue", stdin=lines)
        dog, empty, the = text.splitlines()
        self.assertTrue(dog.startswith("the old dog"))
        self.assertGreater(len(dog), len("the old dog"))
        self.assertTrue(empty, "an empty text begins with the token that ends texts")
        self.assertTrue(the.startswith("the"))
        rows = self.runs("predict", model, "--mode", "continue", "--output", "json", stdin=lines)
        self.assertEqual([strict_json(row)["continuations"] for row in rows.splitlines()],
                         [[dog], [empty], [the]])
        short = self.runs("predict", model, "--mode", "continue", "--length", 1, stdin=lines)
        self.assertTrue(dog.startswith(short.splitlines()[0]))
        many = self.runs("predict", model, "--mode", "continue", "--no-repeat-ngrams", 1,
                         "--output", "json", stdin=b"the old dog")
        self.assertNotEqual(strict_json(many)["continuations"], [dog])

    def test_info_names_family_and_licence(self):
        source = self.folder / "source"
        shutil.copytree(GOLDEN / "huggingface_gpt2", source)
        out = self.folder / "out"
        self.runs("import", source, "--out", out)
        self.assertIn("imported from Hugging Face, family gpt2; licence: no file came",
                      self.runs("info", out))
        (source / "LICENSE.md").write_text("free\n")
        self.runs("import", source, "--out", out, "--overwrite")
        self.assertIn(f"licence: {out / 'LICENSE'}", self.runs("info", out))
        self.assertEqual((out / "LICENSE").read_text(), "free\n")
        info = strict_json(self.runs("info", out, "--json"))
        self.assertEqual((info["family"], info["imported"]), ("gpt2", "Hugging Face"))

    def test_special_tokens_in_a_text_are_text(self):
        model = self.imported("gpt2")
        score = self.runs("predict", model, "--mode", "score", "--output", "json",
                          stdin=b"a<|endoftext|>b")
        self.assertGreater(strict_json(score)["tokens"], 4)

    def test_long_texts_are_refused_with_both_numbers(self):
        model = self.imported("gpt2")
        self.fails(1, "18", "predict", model, "--mode", "continue", stdin=b"the old dog " * 20)

    def test_answers_stream(self):
        model = self.imported("opt")
        with Server(models=[model]) as server:
            call = {"text": "the old dog\nthe", "mode": "continue", "length": 6}
            plain = server.post("/predict", json.dumps(call)).json()
            answer = server.post("/predict", json.dumps(call | {"stream": True}))
            self.assertTrue(answer.headers["content-type"].startswith("text/event-stream"))
            *tokens, (last, data) = events(answer.body)
            self.assertEqual((last, data), ("done", plain))
            self.assertEqual({name for name, _ in tokens}, {"token"})
            self.assertGreater(len(tokens), 4)
            for line, whole in enumerate(plain["answer"].split("\n")):
                self.assertEqual("".join(token["text"] for _, token in tokens
                                         if token["line"] == line), whole)
            again = server.post("/predict", json.dumps(call), Accept="text/event-stream")
            self.assertEqual(again.body, answer.body)
            wrong = server.post("/predict", json.dumps(call | {"stream": True, "length": -1}))
            self.assertEqual(wrong.status, 400)

    def test_texts_of_many_tokens_can_be_explained(self):
        model = self.imported("gpt2")
        with Server("--explain-limit", 1, models=[model]) as server:
            answer = server.post("/explain", {"text": "the old dog"})
            self.assertEqual(answer.status, 200, answer.body)
            self.assertEqual(server.post("/explain", {"text": "the dog " * 3}).status, 400)

    def test_folders_that_cannot_be_read_leave_nothing(self):
        source = self.folder / "source"
        for name, changes, message in (
                ("config.json", {"model_type": "mamba"}, "'mamba'"),
                ("config.json", {"a_new_key": 3}, "a_new_key"),
                ("config.json", {"n_embd": 0}, "[60, 0]"),
                ("config.json", {"n_embd": 10**10}, "n_embd"),
                ("config.json", {"n_head": 5}, "heads"),
                ("config.json", {"n_layer": 3}, "h.2."),
                ("config.json", {"vocab_size": 59}, "59"),
                ("config.json", {"quantization_config": {"bits": 4}}, "quantization_config"),
                ("config.json", {"auto_map": {"AutoModel": "code.py"}}, "auto_map"),
                ("generation_config.json", {"eos_token_id": 99}, "99")):
            with self.subTest(changes=changes):
                shutil.rmtree(source, ignore_errors=True)
                shutil.copytree(GOLDEN / "huggingface_gpt2", source)
                config = json.loads((source / name).read_text())
                (source / name).write_text(json.dumps(config | changes))
                self.fails(1, message, "import", source, "--out", self.folder / "out")
                self.assertFalse((self.folder / "out").exists())
        (source / "tokenizer.json").unlink()
        self.fails(1, "tokenizer.json", "import", source, "--out", self.folder / "out")
