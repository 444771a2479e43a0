"""Help texts, manual pages and shell completion."""

import re
import shutil
import subprocess
import unittest

from harness import TIMEOUT, WORLD, UsersBuild, heed

# Bash script that prints the completions of a command line, one per line.
BASH = """
source "$1"
shift
compopt() { :; }
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_heed "$1"
printf '%s\\n' "${COMPREPLY[@]}"
"""

# Zsh script that prints kinds of paths, or candidates with descriptions.
ZSH = """
compdef() { :; }
compset() { [[ $1 == -P && $PREFIX == $~2* ]] && PREFIX=${PREFIX##$~2}; }
_files() { print -r -- files "$PREFIX" "$@"; }
_describe() { print -rl -- "${candidates[@]}"; }
source "$1"
shift
words=("$@")
CURRENT=$#
PREFIX=${words[CURRENT]}
_heed
"""


def run(*args, **options):
    return subprocess.run(args, capture_output=True, text=True, timeout=TIMEOUT, check=False,
                          **options)


class SelfDescription(UsersBuild):
    def commands(self):
        """Returns all commands with their parts, such as ["demo", "gallery"]."""
        commands = []
        for name, _ in self.answer(""):
            if name.startswith("-"):
                continue
            commands.append([name])
            if name in ("bench", "demo", "generate"):  # their first words are commands
                commands += [[name, part] for part, _ in self.answer(name, "")]
        return commands

    def answer(self, *words, kind="words"):
        lines = self.runs("__complete", *words).splitlines()
        self.assertEqual(lines[0], kind, words)
        return [tuple(line.split("\t")) for line in lines[1:]]

    def options(self, *command):
        """Returns the options in --help. A flag --[no-]x counts as two options."""
        found = set()
        for line in self.runs(*command, "--help").splitlines():
            match = re.match(r"  (?:-h, )?--(\[no-\])?([a-z0-9-]+)", line)
            if match:
                found.add("--" + match[2])
                if match[1]:
                    found.add("--no-" + match[2])
        self.assertIn("--help", found)
        return found


class Manual(SelfDescription):
    def plain(self, page):
        return re.sub(r"\\f.", "", page).replace("\\-", "-")

    def test_pages_name_every_command_and_option(self):
        out = self.folder / "pages"
        self.runs("manual", "--out", out)
        commands = self.commands()
        self.assertGreater(len(commands), 15)
        main = self.plain((out / "heed.1").read_text())
        self.assertEqual(main, self.plain(self.runs("manual")))
        for command in commands:
            name = "-".join(command)
            self.assertIn(f"\nheed {' '.join(command)}\n", main)
            self.assertIn(f"heed-{name} (1)", main)
            page = self.plain((out / f"heed-{name}.1").read_text())
            self.assertEqual(page, self.plain(self.runs("manual", name)))
            for option in self.options(*command):
                self.assertRegex(page, rf"(\n|, )--(\[no-\])?{option[2:].removeprefix('no-')}\b")
        self.assertEqual(len(list(out.iterdir())), len(commands) + 1)

    def test_help_names_every_command(self):
        text = self.runs()
        for command in self.commands():
            if len(command) == 1:
                self.assertRegex(text, rf"\n  {command[0]} +\w")
                self.assertIn(f"Usage: heed {command[0]} ", self.runs(*command, "--help"))

    @unittest.skipUnless(shutil.which("groff"), "needs groff")
    def test_pages_are_right_for_roff(self):
        out = self.folder / "pages"
        self.runs("manual", "--out", out)
        for page in sorted(out.iterdir()):
            result = run("groff", "-man", "-Kutf8", "-Tutf8", "-ww", "-z", "-rCHECKSTYLE=3", page)
            self.assertEqual((result.returncode, result.stderr), (0, ""), page)

    def test_wrong_names_are_refused(self):
        self.fails(2, "did you mean 'train'?", "manual", "trian")
        self.fails(1, "cannot make the folder", "manual", "--out", "/dev/null/pages")
        self.fails(2, ["one of bash, zsh, fish"], "completion", "csh")
        self.fails(2, "missing: SHELL", "completion")


class Completion(SelfDescription):
    def words(self, *words):
        return [word for word, *_ in self.answer(*words)]

    def test_every_command_and_option(self):
        for command in self.commands():
            self.assertEqual(set(self.words(*command, "-")), self.options(*command), command)
            prefix = command[-1][:-1]
            self.assertIn(command[-1], self.words(*command[:-1], prefix))

    def test_choices_of_a_value(self):
        tasks = self.words("train", "--task", "")
        self.assertIn("translate", tasks)
        self.assertEqual(self.words("train", "--task=t"),
                         ["--task=" + task for task in tasks if task.startswith("t")])
        self.assertIn("additive", self.words("train", "--score", "add"))
        self.assertIn("sparsemax", self.words("demo", "gallery", "--only", "sp"))
        self.assertIn("tasks", self.words("list", ""))
        self.assertEqual(self.words("list", "tasks", "--j"), ["--json"])
        self.assertEqual(self.words("train", "--score", "add", "--epochs", ""), [])

    def test_options_of_the_task_and_of_a_folders_model(self):
        self.assertNotIn("--word-column", self.words("train", "--"))
        self.assertIn("--word-column", self.words("train", "--task", "tag", "--"))
        self.assertIn("--word-column", self.words("train", "--task=tag", "--"))
        self.assertIn("--beam", self.words("predict", WORLD.model, "--"))
        # An unknown value is ignored.
        self.assertIn("--epochs", self.words("train", "--task", "nonsense", "--"))
        self.assertIn("--threads", self.words("predict", "/no/such/folder", "--"))

    def test_paths(self):
        self.answer("predict", "", kind="directories")
        self.answer("evaluate", "a", "b", "", kind="directories")
        self.answer("train", "--source", "x", kind="files")
        self.answer("train", "--source=x", kind="files")
        self.answer("train", "--config", "", kind="files")
        self.answer("import", "", kind="files")
        # The value of an option is not a positional argument. After all positional
        # arguments, options are offered.
        self.answer("predict", "--threads", "1", "", kind="directories")
        self.assertIn("--beam", self.words("predict", "model", ""))

    def test_odd_lines_are_answered(self):
        for words in ([], ["no-such-command", ""], ["train", "--task"], ["train", "=", ""],
                      ["demo", "none", ""], ["train", "--nonsense", ""], ["bench", "-"],
                      ["train", "--config", "/no/such/file", "--"], ["\x1f", "\x1f"],
                      ["train", "--source", "\x1f"], ["train", b"\xff", b"--\xfe"]):
            result = subprocess.run([WORLD.heed, "__complete", *words], capture_output=True,
                                    timeout=TIMEOUT, check=False)
            self.assertEqual((result.returncode, result.stderr), (0, b""), words)

    def bash(self, *words):
        script = self.put("heed.bash", heed("completion", "bash").stdout)
        result = run("bash", "-c", BASH, "bash", script, WORLD.heed, *words, cwd=self.folder)
        self.assertEqual(result.stderr, "")
        return result.stdout.splitlines()

    def test_bash(self):
        self.put("a file.txt", "")
        (self.folder / "model").mkdir()
        self.assertEqual(self.bash("tr"), ["train", "translate"])
        # Bash splits words at = and expects the part after it.
        self.assertEqual(self.bash("train", "--task", "=", "t"), ["translate", "tag"])
        self.assertIn("tag", self.bash("train", "--task", "="))
        self.assertIn("--word-column", self.bash("train", "--task", "=", "tag", "--word"))
        self.assertEqual(self.bash("train", "--source", "=", "a"), ["a file.txt"])
        self.assertEqual(self.bash("info", ""), ["model"])

    @unittest.skipUnless(shutil.which("zsh"), "needs zsh")
    def test_zsh(self):
        script = self.put("_heed", heed("completion", "zsh").stdout)

        def zsh(*words):
            result = run("zsh", "-f", "-c", ZSH, "zsh", script, WORLD.heed, *words,
                         cwd=self.folder)
            self.assertEqual(result.stderr, "")
            return result.stdout.splitlines()

        self.assertEqual([line.split(":")[0] for line in zsh("tr")], ["train", "translate"])
        self.assertIn(":", zsh("tr")[0])
        self.assertEqual(zsh("list", ""), ["tasks", "models", "attentions", "scores",
                                            "timeline", "options"])
        self.assertEqual(zsh("train", "--task=tr"), ["--task=translate"])
        self.assertEqual(zsh("train", "--source=a"), ["files a"])
        self.assertEqual(zsh("info", ""), ["files  -/"])

    @unittest.skipUnless(shutil.which("fish"), "needs fish")
    def test_fish(self):
        script = self.put("heed.fish", heed("completion", "fish").stdout)
        self.put("a file.txt", "")
        folder = str(WORLD.heed).rpartition("/")[0]

        def fish(line):
            result = run("fish", "--no-config", "-c",
                         'set -x PATH $argv[1] $PATH; source $argv[2]; complete -C $argv[3]',
                         folder, script, line, cwd=self.folder)
            self.assertEqual(result.stderr, "")
            return [row.split("\t")[0] for row in result.stdout.splitlines()]

        self.assertEqual(fish("heed tr"), ["train", "translate"])
        self.assertEqual(fish("heed train --task=tr"), ["--task=translate"])
        self.assertEqual(fish("heed train --source=a"), ["--source=a file.txt"])
