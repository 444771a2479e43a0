"""Languages of heed serve, and their names for clients of LibreTranslate."""

import shutil
import urllib.parse

from harness import WORLD, EndToEnd, heed, reversed_digits, strict_json, train_args
from server import Server, events


class LibreTranslateClient:
    """A client that lists the languages first and then sends forms with their codes."""

    def __init__(self, server, path=""):
        self.server = server
        self.path = path

    def languages(self):
        answer = self.server.get(self.path + "/languages", Accept="application/json")
        assert answer.status == 200, answer.body
        return {row["code"]: row["targets"] for row in answer.json()}

    def ask(self, q, source, target):
        form = urllib.parse.urlencode({"q": q, "source": source, "target": target,
                                       "format": "text"})
        return self.server.post(self.path + "/translate", form,
                                Content_Type="application/x-www-form-urlencoded")

    def translate(self, q, source, target):
        answer = self.ask(q, source, target)
        assert answer.status == 200, answer.body
        return answer.json()["translatedText"]


class Languages(EndToEnd):
    def trained(self, source, target, *options, name="model"):
        """Trains a model of this version on files of these names."""
        text = reversed_digits(60, 1)
        paths = [self.folder / source, self.folder / target]
        for path, lines in zip(paths, text):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(lines)
        out = self.folder / name
        self.runs(*train_args(out, source=paths[0], target=paths[1], epochs=1), *options)
        return out

    def offers(self, model, languages):
        """Checks the languages of a server, and that its translations equal the command's."""
        line = self.runs("translate", model, stdin=b"1 2 3\n").strip()
        with Server(models=[model]) as server:
            client = LibreTranslateClient(server)
            self.assertEqual(client.languages(), languages)
            (source, (target, *_)), = [row for row in languages.items() if row[1]]
            self.assertEqual(client.translate("1 2 3", source, target), line)
            self.assertEqual(client.translate("1 2 3", "auto", target), line)
            shown, = server.get("/models").json()["models"]
            self.assertEqual((shown["source"], shown["target"]), (source, target))
        self.assertNotIn(b"languages unknown", server.log)

    def test_are_told_by_the_files_that_a_model_was_trained_on(self):
        for number, (source, target) in enumerate((
                ("train.en", "train.de"), ("de-en/a.en.txt", "de-en/a.de.txt"),
                ("en/train.txt", "de/train.txt"), ("train_eng.txt", "train_deu.txt"))):
            with self.subTest(source=source):
                model = self.trained(source, target, name=f"model{number}")
                self.offers(model, {"de": [], "en": ["de"]})

    def test_of_several_files_and_of_tables(self):
        first = self.trained("a.en", "a.pt_BR", name="first")
        shutil.copy(self.folder / "a.en", self.folder / "b.en")
        shutil.copy(self.folder / "a.pt_BR", self.folder / "b.pt_BR")
        self.offers(first, {"en": ["pt-BR"], "pt-BR": []})
        several = self.folder / "several"
        files = lambda ending: ",".join(str(self.folder / f"{name}.{ending}") for name in "ab")
        self.runs(*train_args(several, source=files("en"), target=files("pt_BR"), epochs=1))
        self.offers(several, {"en": ["pt-BR"], "pt-BR": []})
        rows = zip((self.folder / "a.en").read_text().splitlines(),
                   (self.folder / "a.pt_BR").read_text().splitlines())
        table = self.put("pairs.fr-it.tsv", "".join(f"{a}\t{b}\n" for a, b in rows))
        of_table = self.folder / "of_table"
        self.runs(*train_args(of_table, source=None, target=None, tsv=table, epochs=1))
        self.offers(of_table, {"fr": ["it"], "it": []})

    def test_that_the_training_was_told_come_first(self):
        model = self.trained("train.en", "train.de", "--source-language", "FR",
                             "--target-language", "zho")
        self.offers(model, {"fr": ["zh-Hans"], "zh-Hans": []})
        with Server(models=[f"it-es={model}"]) as server:
            self.assertEqual(LibreTranslateClient(server).languages(), {"es": [], "it": ["es"]})
        self.fails(2, ["source_language", "'English'", "de or pt-BR"],
                   *train_args(self.folder / "x"), "--source-language", "English")

    def test_that_nobody_tells_are_said_at_the_start(self):
        with Server() as server:
            client = LibreTranslateClient(server)
            self.assertEqual(client.languages(), {"source": ["target"], "target": []})
            own = client.translate("1 2 3", "source", "target")
            for source, target in (("en", "de"), ("auto", "fr"), ("pt-BR", "zh-Hans")):
                self.assertEqual(client.translate("1 2 3", source, target), own)
            self.assertEqual(client.translate("1 2 3", "en", "en-GB"), "1 2 3")
            for source, target in (("xx", "de"), ("en", "qqz")):
                answer = client.ask("1", source, target)
                self.assertEqual(answer.status, 400)
                self.assertIn("is not supported", answer.json()["error"])
        warning, = [strict_json(line) for line in server.log.decode().splitlines()
                    if "languages unknown" in line]
        for words in ("en-de=DIR", "--source-language"):
            self.assertIn(words, warning["advice"])
        # The target model is ambiguous.
        with Server(models=[f"one={WORLD.model}", f"two={WORLD.model}"]) as server:
            client = LibreTranslateClient(server)
            self.assertEqual(client.ask("1", "en", "de").status, 400)
            self.assertEqual(client.translate("1 2 3", "source", "target"), own)

    def test_regions_fall_back_to_the_language(self):
        with Server(models=[f"en-pt={WORLD.model}"]) as server:
            client = LibreTranslateClient(server)
            own = client.translate("1 2 3", "en", "pt")
            for source, target in (("en-US", "pt"), ("en_GB", "pt-PT"), ("EN-us", "PT_br"),
                                   ("en", "pb"), ("eng", "por"), ("auto", "pt-BR")):
                self.assertEqual(client.translate("1 2 3", source, target), own)
            self.assertEqual(client.translate("1 2 3", "en-US", "en-GB"), "1 2 3")
            for source, target in (("eo", "pt"), ("en", "es-419"), ("fr-CA", "pt")):
                self.assertEqual(client.ask("1", source, target).status, 400)
            named = server.post("/translate", {"q": "1 2 3", "source": "en-AU", "target": "pt",
                                               "model": "model"})
            self.assertEqual(named.json()["translatedText"], own)

    def test_exact_regions_come_first(self):
        other = self.folder / "other"
        self.runs(*train_args(other, seed=2, epochs=1))
        texts = [self.runs("translate", model, stdin=b"1 2 3 4\n").strip()
                 for model in (WORLD.model, other)]
        with Server(models=[f"en-pt={WORLD.model}", f"en:pt-BR={other}"]) as server:
            client = LibreTranslateClient(server)
            self.assertEqual(client.languages(), {"en": ["pt", "pt-BR"], "pt": [], "pt-BR": []})
            for target, expected in (("pt", texts[0]), ("pt-PT", texts[0]), ("pt-BR", texts[1]),
                                     ("PT_BR", texts[1])):
                self.assertEqual(client.translate("1 2 3 4", "en-US", target), expected)

    def test_chinese_by_all_its_names(self):
        with Server(models=[f"zh-en={WORLD.model}"]) as server:
            client = LibreTranslateClient(server)
            own = client.translate("1 2 3", "zh", "en")
            for source in ("zh-Hans", "zh-CN", "zh_cn", "cmn_Hans", "zh-TW", "zh-Hant"):
                self.assertEqual(client.translate("1 2 3", source, "en"), own)


class ModelNames(EndToEnd):
    def test_two_folders_of_one_name(self):
        for folder in "ab":
            shutil.copytree(WORLD.model, self.folder / folder / "model")
        paths = [self.folder / folder / "model" for folder in "ab"]
        with Server(models=paths) as server:
            names = [row["name"] for row in server.get("/models").json()["models"]]
            self.assertEqual(names, ["a/model", "b/model"])
            for name in names:
                answer = server.post("/predict", {"text": "1 2", "model": name})
                self.assertEqual((answer.status, answer.json()["model"]), (200, name))
            self.assertEqual(server.post("/predict", {"text": "1", "model": "model"}).status, 400)

    def test_that_are_given(self):
        models = [f"best={WORLD.model}", f"mine=en-de={WORLD.model}", WORLD.model]
        with Server(models=models) as server:
            rows = server.get("/models").json()["models"]
            self.assertEqual([row["name"] for row in rows], ["best", "mine", "model"])
            self.assertEqual([row["source"] for row in rows], ["source", "en", "source"])
            for row in rows:
                for key in ("parameters", "step", "score", "queue"):
                    self.assertIn(type(row[key]), (int, float), key)
        for wrong, says in ((f"={WORLD.model}", "neither"), (f"a:b={WORLD.model}", "neither"),
                            (f"pt-BR-en={WORLD.model}", "pt-BR:en=DIR")):
            self.fails(2, says, "serve", "--port", 0, wrong)
        self.fails(2, "two models are called 'x'", "serve", "--port", 0, f"x={WORLD.model}",
                   f"x={WORLD.model}", "--log-level", "off")


def multi_target_text(pairs):
    """Returns pairs with target marks: reversed digits for >>fra<<, the digits for >>deu<<,
    reversed twice for >>cmn_Hant<<."""
    source, target = (text.splitlines() for text in reversed_digits(pairs, 5))
    lines = {">>fra<<": target, ">>deu<<": source,
             ">>cmn_Hant<<": [f"{line} {line}" for line in source]}
    return ("".join(f"{mark} {line}\n" for mark in lines for line in source),
            "".join(f"{line}\n" for mark in lines for line in lines[mark]))


class MultiTarget(EndToEnd):
    @classmethod
    def setUpClass(cls):
        source, target = multi_target_text(40)
        paths = [WORLD.work / "marked.source", WORLD.work / "marked.target"]
        for path, text in zip(paths, (source, target)):
            path.write_text(text)
        cls.model = WORLD.work / "multi"
        heed(*train_args(cls.model, source=paths[0], target=paths[1], valid_source=None,
                         valid_target=None, metric=None, epochs=3)).check_returncode()

    def lines(self, text, *options):
        return self.runs("translate", self.model, *options, stdin=text.encode()).splitlines()

    def read(self, text, *options):
        """Returns the source tokens of each line."""
        return [strict_json(line)["source_tokens"]
                for line in self.lines(text, "--output", "json", *options)]

    def test_the_option_puts_the_mark_in_front(self):
        for code, mark in (("fra", ">>fra<<"), ("fr", ">>fra<<"), ("FR-ca", ">>fra<<"),
                           ("de", ">>deu<<"), ("zh-TW", ">>cmn_Hant<<"),
                           ("zho_Hant", ">>cmn_Hant<<")):
            self.assertEqual(self.read("1 2\n", "--to", code), [[mark, "1", "2", "</s>"]])
            self.assertEqual(self.lines("1 2\n", "--to", code), self.lines(f"{mark} 1 2\n"))
        self.assertEqual(self.lines("\n1\n", "--to", "fr")[0], "")
        self.fails(2, ["it", "de, fr"], "translate", self.model, "--to", "it", stdin=b"1\n")
        self.fails(2, "no marks", "translate", WORLD.model, "--to", "fr", stdin=b"1\n")

    def test_a_written_mark_needs_no_space_and_goes_before_the_option(self):
        expected = [[">>fra<<", "1", "2", "</s>"]]
        for line in (">>fra<<1 2", ">>fra<< 1 2", " >>fra<<  1 2"):
            self.assertEqual(self.read(line + "\n"), expected)
            self.assertEqual(self.read(line + "\n", "--to", "de"), expected)

    def test_every_sentence_of_a_long_line_has_it(self):
        line = ">>fra<<" + "1 2 3! " * 8
        first, second = self.read(line + "\n", "--max-line", "20")[0], self.read(">>fra<< 1 2 3!\n")[0]
        self.assertEqual(first.count(">>fra<<"), 8)
        self.assertEqual(first[:len(second) - 1], second[:-1])

    def test_predict_and_evaluate_know_it(self):
        line = self.lines(">>deu<< 1 2 3\n")[0]
        self.assertEqual(self.runs("predict", self.model, "--to", "de", stdin=b"1 2 3\n").strip(),
                         line)
        source, target = self.put("s", "1 2 3\n"), self.put("t", line + "\n")
        figures = strict_json(self.runs("evaluate", self.model, "--source", source, "--target",
                                        target, "--to", "deu", "--json"))
        self.assertEqual(figures["exact_match"], 100)

    def test_the_server_offers_all_targets(self):
        for model, source, more in ((self.model, "source", []), (f"en-fr={self.model}", "en", []),
                                    (f"en-it={self.model}", "en", ["it"])):
            with Server(models=[model]) as server:
                client = LibreTranslateClient(server)
                self.assertEqual(client.languages()[source],
                                 sorted(["de", "fr", "zh-Hant", *more]))
                shown, = server.get("/models").json()["models"]
                self.assertEqual(sorted(shown["targets"]), client.languages()[source])

    def test_the_server_marks_every_sentence(self):
        with Server(models=[f"en-fr={self.model}"]) as server:
            client = LibreTranslateClient(server)
            parts = ["1 2 3.", "4 5.", "6"]
            for target, mark in (("fr", ">>fra<<"), ("de", ">>deu<<"), ("fr-CA", ">>fra<<"),
                                 ("zt", ">>cmn_Hant<<")):
                own = self.lines("".join(f"{mark} {part}\n" for part in parts))
                text = "\n".join(parts)
                self.assertEqual(client.translate(text, "en", target), "\n".join(own))
                # A mark in the user's text applies to all sentences, whatever the
                # target option.
                for text in (f"{mark} {text}", mark + text):
                    self.assertEqual(client.translate(text, "en", "fr"), "\n".join(own))
                    stream = events(server.post("/translate", {
                        "q": text, "source": "en", "target": "fr", "stream": True}).body)
                    self.assertEqual(stream[-1][1]["translatedText"], "\n".join(own))
            own = self.lines(">>deu<< 1 2\n>>fra<< 3\n")
            batch = server.post("/translate", {"q": [">>deu<<1 2", "3"], "source": "en",
                                               "target": "fr"}).json()
            self.assertEqual(batch["translatedText"], own)
            self.assertEqual(client.ask("1", "en", "ja").status, 400)

    def test_tags_stand_around_the_words_without_the_mark(self):
        with Server(models=[f"en-fr={self.model}"]) as server:
            ask = lambda q: server.post("/translate", {
                "q": q, "source": "en", "target": "fr", "format": "html"}).json()["translatedText"]
            plain = self.lines(">>fra<< 1 2 3\n")[0]
            self.assertEqual(ask("<b>1 2 3</b>"), f"<b>{plain}</b>")
            self.assertEqual(ask("<p>&gt;&gt;fra&lt;&lt;<i>1 2 3</i></p>"), f"<p><i>{plain}</i></p>")

    def test_explanations_are_of_what_was_read(self):
        tokens = lambda explained: [axis["items"] for name, axis in explained["axes"].items()
                                    if name.startswith("source")]
        with Server(models=[f"en-fr={self.model}"]) as server:
            for body, mark in (({"text": "1 2\n3", "target": "de"}, ">>deu<<"),
                               ({"text": ">>fra<<1 2\n3"}, ">>fra<<"),
                               ({"text": ">>fra<< 1 2\n3", "target": "de"}, ">>fra<<")):
                explained = server.post("/explain", body).json()
                self.assertEqual(tokens(explained), [[mark, "1", "2", "</s>"], [mark, "3", "</s>"]])
            self.assertEqual(tokens(server.post("/explain", {"text": "1"}).json()), [["1", "</s>"]])
            answer = server.post("/explain", {"text": "1", "target": "ja"})
            self.assertEqual(answer.status, 400)
            self.assertIn("ja", answer.json()["error"])
