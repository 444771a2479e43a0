"""The command line: names and numbers of options, help, missing arguments."""

import json
import os
import platform
import re
import subprocess

from harness import WORLD, EndToEnd, heed, is_sanitized, strict_json, train_args, users_build

TASKS = ("translate", "lm", "classify", "tag", "slots", "pretrain", "retrieve", "forecast",
         "autocomplete")


def sections(text):
    """Returns the headings of a help text and the options under each."""
    found, title = {}, ""
    for line in text.splitlines():
        if re.match(r"^[A-Z]", line):
            title = line
        if option := re.match(r"^  (--[^ ]+)", line):
            found.setdefault(title, []).append(option[1])
    return found


class FilesAddUp(EndToEnd):
    def halves(self, name):
        lines = (WORLD.work / name).read_text().splitlines(keepends=True)
        cut = len(lines) // 2
        return (self.put(name + ".1", "".join(lines[:cut])),
                self.put(name + ".2", "".join(lines[cut:])))

    def test_source_and_target_given_twice_train_the_same_model(self):
        whole = self.folder / "whole"
        self.runs(*train_args(whole))
        source, target = self.halves("train.source"), self.halves("train.target")
        out = self.folder / "out"
        args = train_args(out, source=None, target=None)
        self.runs(*args, "--source", source[0], "--target", target[0], "--source", source[1],
                  "--target", target[1])
        self.assertEqual((out / "model.safetensors").read_bytes(),
                         (whole / "model.safetensors").read_bytes())
        held = json.loads((out / "config.json").read_text())
        self.assertEqual(held["source"], [str(path) for path in source])
        commas = self.folder / "commas"
        self.runs(*train_args(commas, source=f"{source[0]},{source[1]}",
                              target=f"{target[0]},{target[1]}"))
        self.assertEqual(json.loads((commas / "config.json").read_text())["source"],
                         held["source"])
        self.assertIn("nothing left", heed("train", "--resume", out).stderr.decode())

    def test_evaluation_reads_all_files(self):
        source, target = self.halves("valid.source"), self.halves("valid.target")
        files = [word for pair in zip(source, target)
                 for word in ("--source", pair[0], "--target", pair[1])]
        self.assertEqual(strict_json(self.runs("evaluate", WORLD.model, *files,
                                               "--json"))["sentences"], 24)
        self.fails(2, ["--source names 2 files but --target 1"], "evaluate", WORLD.model,
                   *files[:6])

    def test_a_file_may_have_a_comma_in_its_name(self):
        source = self.put("a,b", (WORLD.work / "valid.source").read_bytes())
        self.runs("evaluate", WORLD.model, "--source", source, "--target",
                  WORLD.work / "valid.target")

    def test_one_value_is_not_two(self):
        args = train_args(self.folder / "out")
        self.fails(2, ["--epochs is given twice, as '3' and as '5'"], *args, "--epochs", 5)
        self.fails(2, ["--overwrite and --no-overwrite contradict"], *args, "--overwrite",
                   "--no-overwrite")
        self.runs(*args, "--epochs", 3)


class Names(EndToEnd):
    def test_other_names_of_options(self):
        out = self.folder / "out"
        args = train_args(out, source=None, target=None, units=None, batch_sentences=None)
        self.runs(*args, "--src", WORLD.work / "train.source", "--tgt",
                  WORLD.work / "train.target", "--hidden", 16, "--bs=40", "--lr", "0.01",
                  "--max-len", 50)
        held = json.loads((out / "config.json").read_text())
        self.assertEqual([held[key] for key in ("units", "batch_sentences", "learning_rate",
                                                "max_length")], [16, 40, 0.01, 50])
        self.assertNotIn("lr", held)
        self.assertIn("also --lr", self.runs("train", "--help"))
        config = self.put("c.json", '{"lr": 0.5}')
        other = self.folder / "other"
        self.runs(*train_args(other, epochs=1), "--config", config)
        self.assertEqual(json.loads((other / "config.json").read_text())["learning_rate"], 0.5)
        self.fails(2, "given twice", *train_args(other), "--lr", 1, "--learning-rate", 2)

    def test_underscores_are_dashes(self):
        out = self.folder / "out"
        self.runs(*train_args(out, batch_sentences=None, epochs=1), "--batch_size", 20,
                  "--learning_rate=0.5", "--no_lowercase")
        held = json.loads((out / "config.json").read_text())
        self.assertEqual([held["batch_sentences"], held["learning_rate"]], [20, 0.5])
        answers = [self.runs("translate", WORLD.model, option, 2, stdin=b"1 2\n")
                   for option in ("--max_length", "--max-length")]
        self.assertEqual(*answers)

    def test_an_option_is_no_value(self):
        out = self.folder / "out"
        self.fails(2, "--source needs a value, but --target follows", "train", "--source",
                   "--target", "b", "--out", out)
        self.fails(2, "--texts needs a value, but --no_quiet follows", "train", "--task", "lm",
                   "--texts", "--no_quiet", "--out", out)
        self.fails(2, "--target needs a value", "train", "--source", "a", "--target")

    def test_an_unknown_option_is_told_the_nearest_few(self):
        for args, nearest in ((["train", "--epoch", 3], "--epochs"),
                              (["train", "--lerning-rate", 3], "--learning-rate"),
                              (["translate", WORLD.model, "--beem", 3], "--beam")):
            error = self.fails(2, [f"unknown option '{args[-2]}'", nearest], *args).stderr
            self.assertLess(len(error), 200, error)
        error = self.fails(2, "unknown option '--zzzzzz'", "train", "--zzzzzz").stderr.decode()
        self.assertNotIn("did you mean", error)
        self.fails(2, ["'--texts' of a model for task 'translate'"], "evaluate", WORLD.model,
                   "--texts", "x")

    def test_completion_knows_other_names(self):
        self.assertIn("--lr\t", self.runs("__complete", "train", "--l"))
        self.assertIn("--learning-rate\t", self.runs("__complete", "train", "--"))
        self.assertNotIn("--lr\t", self.runs("__complete", "train", "--"))


class Help(EndToEnd):
    def test_help_is_a_command(self):
        self.assertEqual(self.runs("help"), self.runs("--help"))
        self.assertEqual(self.runs("help", "train"), self.runs("train", "--help"))
        self.assertEqual(self.runs("help", "train", "--task", "tag"),
                         self.runs("train", "--task", "tag", "--help"))
        self.assertEqual(self.runs("help", "demo", "gallery"),
                         self.runs("demo", "gallery", "--help"))
        self.fails(2, "did you mean 'train'", "help", "trian")

    def test_train_begins_with_the_options_that_matter(self):
        for task in TASKS:
            found = sections(self.runs("help", "train", "--task", task))
            title, main = next(iter(found.items()))
            self.assertEqual(title, "Main options", task)
            self.assertLessEqual(len(main), 10, task)
            self.assertTrue({"--task", "--model", "--out", "--epochs",
                             "--learning-rate"} <= set(main), (task, main))
            rest = [option for name, options in found.items() if name != title
                    for option in options]
            self.assertFalse(set(main) & set(rest), task)
        self.assertEqual(len(sections(self.runs("help", "train"))["Main options"]), 10)

    @users_build
    def test_train_shows_examples_of_its_task(self):
        self.put("model", "in the way: what is refused before a file is read or drawn\n")
        tasks = [row["task"] for row in strict_json(self.runs("list", "tasks", "--json"))["tasks"]]
        for task in tasks:
            help_lines = self.runs("help", "train", "--task", task).splitlines()
            lines = [line.split()[1:] for line in help_lines
                     if line.startswith("  heed train ") and "--resume" not in line]
            self.assertTrue(lines, task)
            for line in lines:
                self.assertEqual("--task" in line, task != tasks[0], line)
                self.assertIn(task if "--task" in line else "train", line)
                self.fails(1, "cannot write to the folder model", *line, cwd=self.folder)


class OwnName(EndToEnd):
    """A program with another name that calls heed::Main."""

    def says(self, *args):
        program = self.folder / "my-heed.x"
        if not program.exists():
            program.symlink_to(WORLD.heed)
        return subprocess.run([program, *args], capture_output=True, text=True, check=False)

    def test_help_and_hints_say_what_to_type(self):
        for args, says in ((["--help"], "Usage: my-heed.x COMMAND [options]"),
                           (["help"], "  my-heed.x translate model < test.de > test.out"),
                           (["predict", "--help"], "Usage: my-heed.x predict DIR [options]"),
                           (["__complete", "hel"], "explain a command: my-heed.x help train")):
            result = self.says(*args)
            self.assertIn(says, result.stdout)
            self.assertNotRegex(result.stdout, r"(?<!-)\bheed\s+[a-z]")
        wrong = self.says("train", "--lerning-rate", "1").stderr
        self.assertRegex(wrong, r"^my-heed\.x: .*\(see my-heed\.x train --help\)\n$")
        self.assertRegex(self.says("--version").stdout, r"^heed \d")

    def test_completion_is_for_it(self):
        for shell, bound in (("bash", "complete -o nosort -F _my_heed_x my-heed.x\n"),
                             ("zsh", "#compdef my-heed.x\n"),
                             ("fish", "complete -c my-heed.x -f -k -a '(__my_heed_x_complete)'\n")):
            script = self.says("completion", shell).stdout
            self.assertIn(bound, script)
            self.assertNotRegex(script, r"(?<!my[-_])heed")


class Start(EndToEnd):
    def test_what_few_runs_need_is_not_loaded_at_each_start(self):
        loaded = subprocess.run([WORLD.heed], env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"},
                                capture_output=True, check=True, timeout=60).stdout.decode()
        self.assertIn("libfmt", loaded)
        late = ["rsvg", "gdk_pixbuf", "glib", "cairo", "sndfile", "vorbis", "samplerate"]
        if platform.machine() == "x86_64" and not is_sanitized():
            late.append("hwy")
        for name in late:
            self.assertNotIn(f"lib{name}", loaded)


class Missing(EndToEnd):
    def test_all_that_is_missing_is_said_at_once(self):
        self.fails(2, ["--source FILE and --target FILE, or --tsv FILE", "--out DIR"], "train")
        self.fails(2, ["--texts FILE", "--out DIR"], "train", "--task", "tag")
        self.fails(2, ["--corpus FILE and --relevant FILE, or --corpus FILE and "
                       "--candidates FILE, or --answers FILE", "--out DIR"],
                   "train", "--task", "retrieve")
        self.fails(2, ["DIR (model folder", "--source FILE"], "align")
        self.fails(2, ["DIR (model folder)", "--out DIR"], "quantize")
        self.fails(2, ["SOURCE", "--out DIR"], "import")
        self.fails(2, ["DIR (model folder"], "translate")
        self.fails(2, ["--source FILE and --target"], "evaluate", WORLD.model)

    def test_a_folder_that_is_none_is_blamed_before_options(self):
        none = self.folder / "none"
        for command in ("evaluate", "predict", "explain"):
            for args in ([none, "--texts", "x"], ["--threads", 1, none, "--bogus", "x"]):
                self.fails(1, f"{none}: not a folder with a model", command, *args)
        self.fails(1, f"{none}: not a folder with a model", "evaluate", "--texts", "x", none)
        self.fails(1, f"{none}: not a folder with a model", "evaluate", WORLD.model, none,
                   "--source", "x", "--target", "x")
        self.fails(1, f"{none}: not a folder with a model", "evaluate", WORLD.model, none,
                   "--bogus", "x")
        for command in ("align", "shortlist", "quantize", "export", "info", "translate"):
            self.fails(1, f"{none}: not a folder with a model", command, none)
        self.fails(1, f"{none}: not a folder with a model", "train", "--resume", none, "--bogus",
                   "x")
        self.assertIn("Usage", self.runs("evaluate", none, "--help"))
        none.mkdir()
        self.fails(1, f"{none}: not a folder with a model (it has no config.json)", "predict",
                   none)
        (none / "config.json").write_text('{"model_type": "bert"}')
        self.fails(1, [f"{none}/config.json", "heed import"], "predict", none)
        self.fails(2, "unknown option '--bogus'", "predict", "--bogus", "x", WORLD.model)
