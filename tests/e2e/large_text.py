"""Text larger than memory, many files, and several corpora in parts."""

import gzip
import json

from harness import TIMEOUT, WORLD, UsersBuild, heed, reversed_digits, train_args, weights
from mpirun import is_usable, launch


class LargeText(UsersBuild):
    def model(self, name, **changes):
        """Returns the weights of a training."""
        out = self.folder / name
        self.runs(*train_args(out, **changes))
        return weights(out)

    def tokens(self):
        """Returns the folder of the only token set."""
        folders = list((self.folder / "store").glob("tokens-*"))
        self.assertEqual(len(folders), 1)
        return folders[0]

    def test_token_files_give_the_weights_of_text_in_memory(self):
        store = self.folder / "store"
        for number, changes in enumerate((
                {}, {"vocabulary": "unigram", "source_vocabulary_size": 30},
                {"vocabulary": "bpe", "source_vocabulary_size": 30, "bpe_dropout": 0.2,
                 "validate_every": 4})):
            memory = self.model(f"memory-{number}", **changes)
            self.assertEqual(self.model(f"files-{number}", token_files=store, **changes), memory)

    def test_a_language_model_too(self):
        text = self.put("text", "".join(f"{i} {i + 1} {i % 7}\n" for i in range(300)))
        for unit in ("lines", "stream"):
            args = ["train", "--task", "lm", "--texts", text, "--valid-texts", text, "--vocabulary",
                    "words", "--epochs", 2, "--batch-tokens", 300, "--unit", unit, "--overwrite"]
            self.runs(*args, "--out", self.folder / "memory")
            self.runs(*args, "--out", self.folder / "files", "--token-files", self.folder / "store")
            self.assertEqual(weights(self.folder / "files"), weights(self.folder / "memory"))

    def test_training_goes_on_from_them(self):
        store = self.folder / "store"
        whole = self.model("whole", validate_every=4)
        args = train_args(self.folder / "parts", validate_every=4, token_files=store, steps=5)
        self.runs(*args)
        made = {path: path.stat().st_mtime_ns for path in self.tokens().glob("*.tokens")}
        self.runs("train", "--resume", self.folder / "parts", "--steps", 0)
        self.assertEqual(weights(self.folder / "parts"), whole)
        self.assertEqual(made, {path: path.stat().st_mtime_ns
                                for path in self.tokens().glob("*.tokens")})

    def test_several_processes_make_and_use_them(self):
        if not is_usable(WORLD.heed):
            self.skipTest("no Open MPI here")
        whole = self.model("whole", shards=4)
        args = train_args(self.folder / "three", shards=4, token_files=self.folder / "store")
        with launch(WORLD.heed, 3, *args) as run:
            said = run.communicate(timeout=TIMEOUT)[1].decode()
        self.assertEqual(run.returncode, 0, said)
        self.assertEqual(weights(self.folder / "three"), whole)

    def test_a_window_leaves_nothing_out(self):
        source, target = reversed_digits(9000, 3)
        args = {"source": self.put("s", source), "target": self.put("t", target), "epochs": 1,
                "batch_sentences": 100, "token_files": self.folder / "store"}
        self.model("all", **args)
        self.model("windows", shuffle_window=4096, **args)
        steps = lambda name: json.loads((self.folder / name / "run.json").read_text())["step"]
        self.assertGreaterEqual(steps("windows"), steps("all"))
        self.assertLess(steps("windows"), steps("all") + 30)

    def test_files_that_are_damaged_or_changed(self):
        store = self.folder / "store"
        source, target = (self.put(name, (WORLD.work / f"train.{name}").read_text())
                          for name in ("source", "target"))
        args = train_args(self.folder / "model", source=source, target=target, token_files=store,
                          steps=3)
        self.runs(*args)
        file = self.tokens() / "00000.tokens"
        whole = file.read_bytes()
        for damaged, says in ((whole[:-1], "cut short"), (whole[:100], "cut short"),
                              (whole[:-1] + b"\xff", "check sum"), (b"", "empty"),
                              (b"text", "is not a file of tokens")):
            file.write_bytes(damaged)
            self.fails(1, ["00000.tokens", says], *args, "--overwrite")
        file.unlink()  # the file is created again
        self.runs(*args, "--overwrite")
        self.assertEqual(file.read_bytes(), whole)
        # A changed text differs from the examples at the start of the run.
        source.write_text(source.read_text().replace("1", "2"))
        result = heed("train", "--resume", self.folder / "model", "--steps", 0)
        self.assertEqual(result.returncode, 1)
        self.assertIn("the examples are not what this run began with", result.stderr.decode())

    def test_what_cannot_be_stored_is_refused(self):
        store = self.folder / "store"
        links = self.put("links", "0-0\n" * 240)
        self.fails(2, "guided_alignment", *train_args(self.folder / "model", token_files=store,
                                                      guided_alignment=links))
        self.fails(1, "cannot write to the folder", *train_args(self.folder / "model",
                                                                token_files=links))
        self.assertFalse((self.folder / "model").exists())

    def test_patterns_stand_for_many_files(self):
        for side in ("source", "target"):
            lines = (WORLD.work / f"train.{side}").read_text().splitlines(keepends=True)
            self.put(f"1.{side}", "".join(lines[:100]))
            self.put(f"2.{side}.gz", gzip.compress("".join(lines[100:101]).encode()))
            self.put(f"3.{side}", "".join(lines[101:]))
        whole = self.model("whole")
        many = {"source": self.folder / "*.source*", "target": self.folder / "*.target*"}
        self.assertEqual(self.model("many", **many), whole)
        self.assertEqual(self.model("stored", token_files=self.folder / "store", **many), whole)
        self.fails(2, ["--source", "no file is called like"],
                   *train_args(self.folder / "model", source=self.folder / "*.none"))

    def test_corpora_have_their_parts(self):
        files = [self.put(str(i), "".join("\t".join(pair) + "\n" for pair in zip(
            *(side.splitlines() for side in reversed_digits(pairs, i)))))
            for i, pairs in enumerate((30, 400))]
        mixed = {"source": None, "target": None, "tsv": ",".join(map(str, files)),
                 "shards": 2}
        for number, stored in enumerate(({}, {"token_files": self.folder / "store"})):
            out = self.folder / f"model-{number}"
            self.runs(*train_args(out, mix="1,1", **mixed, **stored))
        self.assertEqual(weights(self.folder / "model-0"), weights(self.folder / "model-1"))
        self.assertNotEqual(weights(self.folder / "model-0"), self.model("plain", **mixed))
        for mix, says in (("1", "1 numbers for 2 files"), ("1,-2", "'-2' is not a weight"),
                          ("0,0", "all weights are 0"), ("1,x", "'x' is not a weight")):
            self.fails(2, says, *train_args(self.folder / "model", mix=mix, **mixed))
