"""What clients of LibreTranslate count on beyond plain translations."""

from harness import WORLD, EndToEnd
from serve import Server


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
                   self.put("bad", "key limit=some\n"), "--log-level", "warning")

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
            answer = server.post("/translate", {"q": "1", "source": "en", "target": "zh-TW"})
            self.assertEqual(answer.json()["error"], "zh-Hant is not supported")
