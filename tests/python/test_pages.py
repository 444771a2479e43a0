"""The code of the documents runs."""

import os
import re

from conftest import ROOT


def test_the_how_to_runs(tmp_path, capsys):
    text = (ROOT / "docs" / "how-to" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert len(blocks) >= 4
    before, names = os.getcwd(), {}
    os.chdir(tmp_path)
    try:
        for block in blocks:
            exec(compile(block, "python.md", "exec"), names)  # pylint: disable=exec-used
    finally:
        os.chdir(before)
    assert (tmp_path / "films" / "config.json").exists()
    assert "<svg" in (tmp_path / "film.svg").read_text(encoding="utf-8")
    assert capsys.readouterr().out
