"""Options without effect, metrics selected by name, and the end of runs."""

import os
import re
import subprocess
import unittest

from harness import WORLD, EndToEnd, UsersBuild, heed, strict_json, train_args

CHINESE = {
    "hyp": "今天天气非常好，我们去公园散步。\n他昨天买了一本旧书。\n猫在沙发上睡觉。\n火车晚点了三个小时。\n",
    "ref": "今天天气很好，我们去公园散步。\n他昨天买了一本新书。\n猫在沙发上睡觉。\n火车晚点了两个小时。\n",
}
JAPANESE = {"hyp": "私は昨日東京に行きました。\n猫がソファーで寝ている。\n",
            "ref": "私は昨日大阪へ行きました。\n猫がソファーの上で寝ている。\n"}
THAI = {"hyp": "วันนี้อากาศดีมาก\nผมไปตลาดเมื่อวาน\n", "ref": "วันนี้อากาศดี\nผมไปตลาดเมื่อวานนี้\n"}
SPACED = {"hyp": "今天 天气 非常 好 ， 我们 去 公园 散步 。\n", "ref": "今天 天气 很 好 ， 我们 去 公园 散步 。\n"}


class WithoutEffect(EndToEnd):
    def test_label_smoothing_is_refused_where_a_loss_has_no_labels(self):
        for task in ("read", "retrieve", "forecast", "ratings", "algorithm"):
            with self.subTest(task=task):
                self.fails(2, ["--label-smoothing has no effect", "labels"], "train", "--task", task,
                           "--label-smoothing", 0.1, "--out", self.folder / "m")
                self.assertNotIn("label-smoothing", self.runs("train", "--task", task, "--help"))
        for task in ("translate", "classify", "lm", "images", "visits", "nodes"):
            self.assertIn("--label-smoothing", self.runs("train", "--task", task, "--help"))

    def test_options_name_what_they_need(self):
        out = self.folder / "model"
        for options, needs in ((["--momentum", 0.9], "--optimizer sgd"),
                               (["--rho", 0.5], "--optimizer adadelta"),
                               (["--weight-decay", 0.1], "--optimizer adamw"),
                               (["--halve-after", 5], "--schedule step_halving"),
                               (["--decay-steps", 5], "--schedule linear"),
                               (["--l2-of", "matrices"], "--l2"),
                               (["--guided-alignment-weight", 1], "--guided-alignment"),
                               (["--hard-reward", 2], "--normalizer hard"),
                               (["--shuffle-window", 5], "--token-files")):
            with self.subTest(option=options[0]):
                self.fails(2, [f"{options[0]} has no effect here", needs],
                           *train_args(out), *options)
        self.assertFalse(out.exists())
        self.runs(*train_args(out, epochs=1), "--optimizer", "sgd", "--momentum", 0.9)

    def test_a_default_may_be_said(self):
        self.runs(*train_args(self.folder / "model", epochs=1), "--momentum", 0, "--l2-of", "all")

    def test_a_tagger_smooths_labels_without_a_random_field(self):
        texts = self.put("t.conll", "Anna B-PER\nsleeps O\n\n" * 4)
        args = ["train", "--task", "tag", "--texts", texts, "--word-embedding", 8, "--units", 8,
                "--characters", "none", "--steps", 1, "--quiet", "--label-smoothing", 0.1,
                "--out", self.folder / "m"]
        self.fails(2, "--tag-decoder softmax", *args)
        self.runs(*args, "--tag-decoder", "softmax")


class Described(EndToEnd):
    def test_list_describes_the_options_of_a_training(self):
        for task, model in (("classify", []), ("translate", []), ("classify", ["bert-tiny"])):
            choice = ["--task", task] + [word for name in model for word in ("--model", name)]
            rows = strict_json(self.runs("list", "options", *choice, "--json"))["options"]
            help_ = self.runs("train", *choice, "--help")
            for row in rows:
                name = row["key"].replace("_", "-")
                self.assertRegex(help_, rf"--(\[no-\])?{name}\b")
            self.assertIn("epochs", [row["key"] for row in rows])
        self.assertIn("learning_rate", self.runs("list", "options", "--task", "tag"))

    def test_options_are_those_of_a_task(self):
        self.fails(2, "--task is needed", "list", "options")
        self.fails(2, "only options depend", "list", "tasks", "--task", "tag")


class Measures(EndToEnd):
    def evaluate(self, text, *options):
        folder = self.folder
        for name, lines in text.items():
            (folder / name).write_text(lines)
        source = self.put("src", "1 2\n" * text["ref"].count("\n"))
        result = heed("evaluate", WORLD.model, "--source", source, "--target", folder / "ref",
                      "--translations", folder / "hyp", "--threads", 1, *options)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        out = result.stdout.decode()
        bleu = re.search(r"BLEU +([\d.]+) +(\S+)", out)
        return float(bleu[1]), bleu[2], result.stderr.decode()

    def test_chinese_is_cut_as_sacrebleu_cuts_it(self):
        bleu, signature, note = self.evaluate(CHINESE)
        self.assertEqual(bleu, 76.28)
        self.assertIn("tok:zh", signature)
        self.assertIn("zh", note)
        for tokenizer, expected in (("13a", 0), ("intl", 54.39), ("zh", 76.28), ("char", 76.28),
                                    ("none", 0)):
            bleu, signature, note = self.evaluate(CHINESE, "--tokenize", tokenizer)
            self.assertEqual(bleu, expected, tokenizer)
            self.assertIn(f"tok:{tokenizer}|", signature)
            self.assertEqual("no spaces between words" in note, tokenizer in ("13a", "intl", "none"))

    def test_other_scripts_without_spaces_get_advice(self):
        for text, char in ((JAPANESE, 64.72), (THAI, 89.59)):
            bleu, signature, note = self.evaluate(text)
            self.assertEqual(bleu, 0)
            self.assertIn("tok:13a", signature)
            self.assertIn("--tokenize char", note)
            self.assertEqual(self.evaluate(text, "--tokenize", "char")[0], char)
        bleu, signature, note = self.evaluate(SPACED)
        self.assertIn("tok:13a", signature)
        self.assertNotIn("token", note)

    def test_an_unknown_tokenizer_is_named(self):
        self.fails(2, ["ja-mecab", "13a", "zh"], "evaluate", WORLD.model, "--source", "x", "--target",
                   "y", "--tokenize", "ja-mecab")

    def test_figures_are_chosen_by_name(self):
        files = ["--source", WORLD.work / "valid.source", "--target", WORLD.work / "valid.target"]
        out = strict_json(self.runs("evaluate", WORLD.model, *files, "--json", "--metric",
                                    "chrf,ter,rouge_l,character_error_rate"))
        self.assertTrue({"chrf", "ter", "rouge_l", "character_error_rate"} <= set(out))
        self.assertNotIn("bleu", out)
        shown = self.runs("evaluate", WORLD.model, *files, "--metric", "chrf")
        self.assertIn("chrF2", shown)
        self.assertNotIn("BLEU", shown)
        self.assertNotIn("character", self.runs("evaluate", WORLD.model, *files))
        self.fails(2, ["chfr", "chrf"], "evaluate", WORLD.model, *files, "--metric", "chfr")

    def test_any_measure_of_texts_chooses_weights(self):
        for metric in ("chrf", "rouge2", "character_error_rate"):
            result = heed(*train_args(self.folder / metric, epochs=1, metric=metric))
            self.assertEqual(result.returncode, 0, result.stderr.decode())
            self.assertIn(f"best validation {metric} ", result.stderr.decode())
        out = self.folder / "zh"
        for name, lines in CHINESE.items():
            (self.folder / name).write_text(lines)
        said = heed(*train_args(out, source=self.folder / "hyp", target=self.folder / "ref",
                                valid_source=self.folder / "hyp", valid_target=self.folder / "ref",
                                vocabulary="characters", metric="bleu", epochs=1)).stderr.decode()
        self.assertIn("tokeniser zh", said)
        self.assertIn('"tokenize": "auto"', (out / "config.json").read_text())

    def test_an_ensemble_is_headed_by_all_its_models(self):
        other = self.folder / "other"
        self.runs(*train_args(other, seed=2, epochs=1))
        files = ["--source", WORLD.work / "valid.source", "--target", WORLD.work / "valid.target"]
        said = self.runs("evaluate", WORLD.model, *files, "--ensemble", f"{other},{other}")
        self.assertTrue(said.startswith(f"{WORLD.model} + {other} + {other}: 24 sentences"), said)
        json = strict_json(self.runs("evaluate", WORLD.model, *files, "--json", "--ensemble", other))
        self.assertEqual(json["ensemble"], [str(other)])
        self.assertNotIn(" + ", self.runs("evaluate", WORLD.model, *files))


class Ends(EndToEnd):
    def test_a_run_that_still_improves_says_how_it_goes_on(self):
        out = self.folder / "model"
        result = heed(*train_args(out, epochs=2, learning_rate=0.01))
        said = result.stderr.decode()
        self.assertIn("the last validation was the best one", said)
        command = re.search(r"train --resume \S+ --epochs \d+", said)[0]
        self.assertEqual(command, f"train --resume {out} --epochs 4")
        self.assertIn("epoch 4/4", heed(*command.split()).stderr.decode())

    def test_small_sets_of_images_are_learned_by_default(self):
        help_ = self.runs("train", "--task", "images", "--help")
        self.assertRegex(" ".join(help_.split()), r"--min-steps N .*?default 2000")
        for task in ("caption", "pretrain"):
            self.assertIn("--min-steps", self.runs("train", "--task", task, "--help"))

    def test_epochs_alone_end_a_run(self):
        sample = ["train", "--task", "pretrain", "--texts",
                  self.put("t", "the good film\na bad plot\n\nthe bad scene\na good film\n\n" * 5),
                  "--model", "bert-tiny", "--width", 8, "--ff", 8, "--heads", 2, "--layers", 1]
        said = heed(*sample, "--epochs", 1, "--out", self.folder / "one").stderr.decode()
        self.assertNotIn("3000", said)
        said = heed(*sample, "--epochs", 1, "--min-steps", 9, "--out", self.folder / "more")
        self.assertIn("trained 9 steps", said.stderr.decode())


class ExplainedWithoutAttention(EndToEnd):
    def test_saliency_is_shown_and_named(self):
        fixed = self.folder / "fixed"
        self.runs(*train_args(fixed, model="fixed", epochs=1))
        result = heed("explain", fixed, "--text", "1 2 3")
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        self.assertIn(b"the model has no attention; showing saliency instead", result.stderr)
        self.assertGreater(len(result.stdout), 0)
        picture = self.folder / "look.svg"
        self.runs("explain", fixed, "--text", "1 2 3", "--out", picture)
        self.assertIn("<svg", picture.read_text())
        json = strict_json(self.runs("explain", fixed, "--text", "1 2 3", "--json"))
        self.assertEqual({a["method"] for a in json["attributions"]}, {"saliency"})
        self.fails(2, "no attention", "explain", fixed, "--text", "1 2", "--view", "heads")

    def test_attention_is_shown_where_there_is_some(self):
        result = heed("explain", WORLD.model, "--text", "1 2 3")
        self.assertEqual(result.stderr, b"")

    def test_other_tasks_do_so_too(self):
        texts = self.put("t.tsv", "pos\ta good film\nneg\ta bad film\n" * 4)
        out = self.folder / "rnn"
        self.runs("train", "--task", "classify", "--texts", texts, "--vocabulary", "words", "--units", 8,
                  "--pooling", "mean", "--self-attention", "none", "--steps", 1, "--quiet", "--out", out)
        self.assertIn(b"showing saliency instead", heed("explain", out, "--text", "a good film").stderr)


@unittest.skipIf(os.name != "posix", "memory is measured by wait4")
class DemoMemory(UsersBuild):
    def peak(self, *args):
        """Returns the peak memory of a demo. Units: MiB"""
        with subprocess.Popen([WORLD.heed, "demo", *map(str, args)], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as run:
            run.stderr.read()
            _, status, usage = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(run.returncode, 0)
        return usage.ru_maxrss / 1024

    def test_small_demonstrations_need_little(self):
        out = ["--out", self.folder / "out"]
        self.assertLess(self.peak("saturation", *out), 200)
        self.assertLess(self.peak("steps", *out, "--epochs", 1, "--threads", 1), 200)
        self.assertLess(self.peak("cost", *out, "--longest", 1024), 200)
        self.assertLess(self.peak("cost", *out, "--decode", "--longest", 1024), 200)
