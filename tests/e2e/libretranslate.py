"""Features of the LibreTranslate API beyond plain translation."""

import random
import re

from harness import WORLD, EndToEnd
from server import Server, events

MARK = r"<[^>]+>|\{\{\w+\}\}|\{\w+\}|%\w|\[\w+\]|https://[\w./?=-]+"


def marked(words, draw, number):
    """Returns the words with elements around some and placeholders between some."""
    parts, open_tags = [], []
    for word in words:
        while draw.random() < 0.3:
            tag = draw.choice(["b", "em", "a", "span"])
            parts.append(f'<{tag} id="{number()}">')
            open_tags.append(tag)
        parts.append(word)
        while open_tags and draw.random() < 0.4:
            parts.append(f"</{open_tags.pop()}>")
        parts.append(" ")
        if draw.random() < 0.2:
            parts.append(draw.choice(["{{v%d}}", "{%d}", "[X%dX]", "https://x.example/%d",
                                      '<img src="%d">']) % number() + " ")
    return "".join(parts).strip() + "".join(f"</{tag}>" for tag in reversed(open_tags))


class LibreTranslate(EndToEnd):
    def test_clients_without_a_key(self):
        keys = self.put("keys", "often limit=100 anna\nseldom limit=1\nlikeall\n")
        with Server("--api-keys", keys, "--no-require-api-key",
                    "--requests-per-minute", 2) as server:
            settings = server.get("/frontend/settings").json()
            self.assertEqual((settings["apiKeys"], settings["keyRequired"]), (True, False))
            statuses = lambda n, **more: [server.translate("1 2", **more).status for _ in range(n)]
            self.assertEqual(statuses(3), [200, 200, 429])
            self.assertEqual(server.translate("1 2", api_key="wrong").status, 403)
            self.assertEqual(statuses(4, api_key="often"), [200] * 4)
            self.assertEqual(statuses(2, api_key="seldom"), [200, 429])
            self.assertEqual(statuses(3, api_key="likeall"), [200, 200, 429])
        self.fails(2, "limit=some", "serve", WORLD.model, "--port", 0, "--api-keys",
                   self.put("bad", "key limit=some\n"), "--log-level", "error")

    def test_what_is_not_offered_is_refused_in_its_words(self):
        with Server() as server:
            for method, path, status, error in (
                    ("POST", "/suggest", 403, "Suggestions are disabled on this server."),
                    ("POST", "/translate_file", 403,
                     "Files translation are disabled on this server."),
                    ("GET", "/download_file/x.txt", 400,
                     "Files translation are disabled on this server.")):
                answer = server.ask(method, path, b"\xff" if method == "POST" else None)
                self.assertEqual((answer.status, answer.json()), (status, {"error": error}))

    def test_codes_in_any_case_and_by_other_names(self):
        with Server(models=[f"EN:zh={WORLD.model}"]) as server:
            self.assertEqual([language["code"] for language in server.get("/languages").json()],
                             ["en", "zh-Hans"])
            plain = server.post("/translate", {"q": "1 2 3", "source": "en", "target": "zh"})
            for source, target in (("EN", "ZH"), ("en", "zh-Hans"), ("En", "zh-hans"),
                                   ("en", "zh_CN"), ("auto", "zh")):
                answer = server.post("/translate", {"q": "1 2 3", "source": source,
                                                    "target": target})
                self.assertEqual((answer.status, answer.json()["translatedText"]),
                                 (200, plain.json()["translatedText"]))
            answer = server.post("/translate", {"q": "1", "source": "en", "target": "ja"})
            self.assertEqual(answer.json()["error"], "ja is not supported")

    def check_marks(self, plain, q, answer):
        """Checks that every tag and placeholder occurs once, properly nested, and that the words
        equal those of the plain text."""
        marks = re.findall(MARK, q)
        self.assertEqual(sorted(marks), sorted(re.findall(MARK, answer)), (q, answer))
        open_tags = []
        for tag in re.findall(r"<[^>]+>", answer):
            if tag.startswith("</"):
                self.assertTrue(open_tags and open_tags.pop() == tag[2:-1], answer)
            elif not tag.startswith("<img"):
                open_tags.append(re.match(r"\w+", tag[1:]).group())
        self.assertEqual(open_tags, [])
        self.assertEqual(re.sub(MARK, " ", answer).split(), plain.split(), (q, answer))

    def test_marks_survive(self):
        draw, counter = random.Random(3), iter(range(1, 10**6))
        texts = [[draw.choice("0123456789") for _ in range(draw.randint(1, 8))]
                 for _ in range(240)]
        qs = [marked(words, draw, lambda: next(counter)) for words in texts]
        with Server() as server:
            plain = server.translate([" ".join(words) for words in texts]).json()["translatedText"]
            answers = server.translate(qs, format="html").json()["translatedText"]
            for words, q, answer in zip(plain, qs, answers):
                self.check_marks(words, q, answer)
            # Plain text has placeholders, but no tags.
            qs = [re.sub(r"<[^>]+>", "", q) for q in qs]
            answer = server.translate(qs, alternatives=2).json()
            for words, q, text in zip(plain, qs, answer["translatedText"]):
                self.check_marks(words, q, text)
            for q, alternatives in zip(qs, answer["alternatives"]):
                for text in alternatives:
                    self.assertEqual(sorted(re.findall(MARK, text)), sorted(re.findall(MARK, q)))

    def test_streams_of_marked_texts(self):
        q = "<p>1 2 3</p><p>4 <b>5</b> {x} 6</p><p>7 8</p>"
        with Server() as server:
            whole = server.translate(q, format="html").json()
            stream = events(server.translate(q, format="html", stream=True).body)
            self.assertEqual(stream[-1], ("done", whole))
            self.assertIn("<b>", whole["translatedText"])

    def test_what_is_not_translated(self):
        with Server() as server:
            for kept in ('<span translate="no">1 2</span>', "<code>1 2</code>", "<time>3</time>",
                         '<b class="notranslate">4</b>', "<address>1 2</address>",
                         "<script>1 2</script>"):
                answer = server.translate(f"<p>5 6 {kept} 7</p>", format="html").json()
                self.assertEqual(answer["translatedText"].count(kept), 1)
            for translated in ("pre", "textarea"):
                answer = server.translate(f"<{translated}>1 2 3</{translated}>", format="html")
                words = server.translate("1 2 3").json()["translatedText"]
                self.assertEqual(answer.json()["translatedText"],
                                 f"<{translated}>{words}</{translated}>")

    def test_hostile_markup(self):
        with Server("--char-limit", 0) as server:
            for q in ("<b>" * 100000 + "1 2" + "</b>" * 100000, "<b>1 " * 50000,
                      "</i>" * 50000 + "1", "1 <" + "a" * 500000, "1 {{" * 50000,
                      "<!--" * 100000, '<a b="' + "1" * 500000, "\x00<b>\x001</b>",
                      "<![CDATA[1 2", "1 <b><i>2</b></i> 3"):
                answer = server.translate(q, format="html")
                self.assertEqual(answer.status, 200, q[:20])
                self.assertEqual(answer.json()["translatedText"].count("<"), q.count("<"))

    def test_a_text_in_its_own_language_stays_as_it_is(self):
        with Server() as server:
            for q in ("1 <b>2</b> {x} &eacute;.\n <i>3</i>", " 4 %s  5 "):
                for form in ("text", "html"):
                    answer = server.post("/translate", {"q": q, "source": "source",
                                                        "target": "source", "format": form})
                    self.assertEqual(answer.json(), {"translatedText": q})
