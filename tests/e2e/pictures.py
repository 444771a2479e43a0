"""Commands of docs/how-to/pictures.md: runs every command that needs no data and less than a minute,
and checks names and options of the others."""

import pathlib
import re
import sys

from harness import WORLD, UsersBuild, heed

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "documents"))
from run_commands import run  # noqa: E402

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/how-to/pictures.md"
KINDS = range(1, 25)
LONG = re.compile(r"heed demo (?!steps\b)")  # commands of a minute each
OF_DATA = re.compile(r"\b(MODEL|FILE|IMAGE|SOURCE|TARGET)\b")


def sections():
    """Yields headings, each with the commands under it."""
    parts = re.split(r"^#+ (.*)$", PAGE.read_text(encoding="utf-8"), flags=re.M)
    for heading, text in zip(parts[1::2], parts[2::2]):
        blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)
        yield heading, [re.sub(r"\\\n\s*", "", block) for block in blocks]


class Pictures(UsersBuild):
    def bash(self, script):
        strictly = "set -u -o pipefail\n" + script
        return run(strictly, self.folder, pathlib.Path(WORLD.heed).resolve())

    def test_each_kind_of_picture_has_a_command(self):
        headings = {heading: blocks for heading, blocks in sections()}
        for kind in KINDS:
            named = [h for h in headings if re.search(rf"\bV{kind}\b", h)]
            self.assertEqual(len(named), 1, f"V{kind}")
            self.assertTrue(headings[named[0]], named[0])

    def test_commands_that_need_no_data_draw_what_they_name(self):
        drawn = 0
        for heading, blocks in sections():
            for block in blocks:
                if LONG.search(block) or OF_DATA.search(block):
                    continue
                result = self.bash(block)
                self.assertEqual(result.returncode, 0,
                                 f"{heading}\n{block}\n{result.stderr}")
                for name in re.findall(r"--(?:out|by-length) (\S+\.(?:svg|html))", block):
                    start = (self.folder / name).read_text(encoding="utf-8")[:16]
                    self.assertTrue(start.lower().startswith(("<svg", "<!doctype")), name)
                    drawn += 1
        self.assertGreater(drawn, 12)

    def test_other_commands_exist_with_their_options(self):
        for heading, blocks in sections():
            for line in "\n".join(blocks).splitlines():
                if not (LONG.search(line) or OF_DATA.search(line)):
                    continue
                for command in re.findall(r"(?:^|\| *)heed ([^|]*)", line):
                    words = command.split()
                    verb = words[:2] if words[0] == "demo" and len(words) > 1 else words[:1]
                    if words[0] in ("explain", "evaluate", "predict", "translate"):
                        continue  # options depend on the model's task
                    helped = heed(*verb, "--help")
                    self.assertEqual(helped.returncode, 0, f"{heading}: {line}")
                    for option in re.findall(r"--[a-z-]+", command):
                        self.assertIn(option, helped.stdout.decode(), line)
