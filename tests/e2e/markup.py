"""Documents with markup and names, through the server and the command."""

from harness import WORLD, EndToEnd
from server import Server

MARKDOWN = """---
title: 1 2
---

# 1 2 3

- 4 5
- [x] 6 7
  1. 8 9

> 1 **2** 3
> 4 [5 6](https://x.example/a_b "7 8")

| 1 2 | 3 |
| --- | :-: |
| 4 | `5` |

```
1 2 3
```
"""


class Markup(EndToEnd):
    def test_markdown_keeps_its_marks(self):
        with Server() as server:
            answer = server.translate(MARKDOWN, format="markdown").json()["translatedText"]
            for kept in ("---\ntitle: 1 2\n---\n\n# ", "\n\n- ", "\n- [x] ", "\n  1. ",
                         "\n\n> ", '](https://x.example/a_b "7 8")',
                         " |\n| --- | :-: |\n| ", " | `5` |\n\n```\n1 2 3\n```\n"):
                self.assertEqual(answer.count(kept), 1, answer)
            self.assertEqual(answer.count("**"), 2, answer)
            answer = server.translate("1", format="pdf")
            self.assertEqual((answer.status, answer.json()),
                             (400, {"error": "pdf format is not supported"}))

    def test_the_command_cuts_as_the_server_does(self):
        with Server() as server:
            for form, text in (("markdown", MARKDOWN),
                               ("html", "<p>1 <b>2 3</b>.&nbsp;4 5!</p>\n<code>6</code> 7"),
                               ("text", "1. 2 3\n- 4 @m\u00fcller 5!\u00a06 7\n\n Dr. 8 9\n")):
                own = self.runs("translate", WORLD.model, "--format", form, "--beam", 1,
                                "--threads", 1, stdin=text.encode())
                served = server.translate(text, format=form, beam=1).json()
                self.assertEqual(own, served["translatedText"])

    def test_names_and_emoji_survive(self):
        with Server() as server:
            for name in ("#Stra\u00dfenbahn", "#\u6771\u4eac", "@m\u00fcller", "@a@b.example",
                         "$gr\u00f6\u00dfe", "{\u00dcbername}", "user_gr\u00f6\u00dfe", "<@123>",
                         "\U0001F606", "\U0001F469\u200d\U0001F469\u200d\U0001F467",
                         "\U0001F44D\U0001F3FD", "\U0001F1E9\U0001F1EA", "1\ufe0f\u20e3"):
                plain, marked = server.translate(["1 2 3", f"1 2 {name} 3"]).json()[
                    "translatedText"]
                self.assertEqual(marked.count(name), 1)
                self.assertEqual(marked.replace(name, " ").split(), plain.split())

    def test_white_space_between_sentences_survives(self):
        with Server() as server:
            first, second = server.translate(["1 2!", "3 4!"]).json()["translatedText"]
            for space in (" ", "\u00a0", "\u3000", "\u2003", "\u2028", "\t", "\r\n", "  "):
                answer = server.translate(f"1 2!{space}3 4!").json()["translatedText"]
                self.assertEqual(answer, first + space + second)

    def test_documents_have_no_lines_to_number(self):
        for option in (("--nbest", 2), ("--output", "json"), ("--show-attention",)):
            self.fails(2, "leave --format out", "translate", WORLD.model, "--format", "text",
                       *option)
        self.fails(1, "not UTF-8", "translate", WORLD.model, "--format", "html",
                   stdin=b"\xff")
