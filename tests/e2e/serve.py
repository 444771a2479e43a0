"""Responses of heed serve, and their timing."""

import concurrent.futures
import shutil
import signal
import socket
import struct
import urllib.parse

from harness import TIMEOUT, WORLD, EndToEnd, heed, strict_json, train_args
from server import Server, events, read_answer, translation


class Serve(EndToEnd):
    def lines(self, text, *options):
        return self.runs("translate", WORLD.model, *options, stdin=text.encode()).splitlines()

    def test_translates_as_the_command_does(self):
        texts = ["1 2 3", "4 5", "", "  7 8 9\t", "1 2\n\n3 4", "☃ !"]
        one, two, three, four, *_ = self.lines("1 2 3\n4 5\n7 8 9\n1 2\n")
        last = self.lines("3 4\n")[0]
        with Server() as server:
            answer = server.translate(texts)
            self.assertEqual(answer.status, 200, answer.body)
            self.assertEqual(answer.json(), {"translatedText": [
                one, two, "", f"  {three}\t", f"{four}\n\n{last}", "☃ !"]})
            self.assertEqual(server.translate("1 2 3").json(), {"translatedText": one})
            form = urllib.parse.urlencode({"q": "1 2 3", "source": "source", "target": "target"})
            plain = "application/x-www-form-urlencoded"
            self.assertEqual(server.post("/translate", form, Content_Type=plain).json(),
                             {"translatedText": one})
            self.assertEqual(server.post("/translate?" + form, "", Content_Type=plain).json(),
                             {"translatedText": one})
            parts = "".join(
                f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
                for name, value in (("q", "1 2 3"), ("source", "source"), ("target", "target")))
            self.assertEqual(
                server.post("/translate", parts + "--b--\r\n",
                            Content_Type="multipart/form-data; boundary=b").json(),
                {"translatedText": one})
            self.assertEqual(server.translate("<p>1 2 3</p><code>1 2</code>", format="html").json(),
                             {"translatedText": f"<p>{one}</p><code>1 2</code>"})
            answer = server.translate("1 2 3", alternatives=2).json()
            best, *others = [line.split(" ||| ")[1] for line in
                             self.lines("1 2 3\n", "--nbest", "3", "--beam", "5")]
            self.assertEqual(answer, {"translatedText": best, "alternatives": others})
            answer = server.post("/translate", {"q": ["1 2 3"], "source": "auto",
                                                "target": "target"}).json()
            self.assertEqual(answer["translatedText"], [one])
            self.assertEqual(answer["detectedLanguage"][0]["language"], "source")
            self.assertEqual(server.post("/translate", {"q": "1 2", "source": "target",
                                                        "target": "target"}).json(),
                             {"translatedText": "1 2"})
        self.assertNotIn(b"1 2 3", server.log)
        for line in server.log.decode().splitlines():
            self.assertIn("event", strict_json(line))

    def test_says_what_is_wrong_with_a_translation(self):
        whole = {"q": "1", "source": "source", "target": "target"}
        cases = [
            ({"q": None}, 400, "missing q parameter"),
            ({"q": ""}, 400, "missing q parameter"),
            ({"q": []}, 400, "missing q parameter"),
            ({"q": 5}, 400, "q parameter must be a text or a list of texts"),
            ({"q": {"a": 1}}, 400, "of type object"),
            ({"q": ["a", 5]}, 400, "q[1] parameter"),
            ({"source": None}, 400, "missing source parameter"),
            ({"source": 1}, 400, "source parameter must be a text"),
            ({"source": "zz"}, 400, "zz is not supported"),
            ({"target": "zz"}, 400, "zz is not supported"),
            ({"source": "auto", "target": "zz"}, 400, "zz is not supported"),
            ({"source": "target", "target": "source"}, 400, "not available as a target"),
            ({"format": "xml"}, 400, "xml format is not supported"),
            ({"alternatives": "x"}, 400, "alternatives parameter is not a number"),
            ({"alternatives": 1.5}, 400, "alternatives parameter is not a number"),
            ({"alternatives": 10 ** 19}, 400, "alternatives parameter is not a number"),
            ({"alternatives": 11}, 400, "must be <= 10"),
            ({"beam": 1000}, 400, "must be <= 16"),
            ({"stream": "perhaps"}, 400, "stream parameter"),
            ({"model": "other"}, 400, "other"),
            ({"q": "x" * 200}, 400, "request (200) exceeds text limit (99)"),
            ({"q": ["x"] * 5}, 400, "request (5) exceeds text limit (4)"),
        ]
        with Server("--char-limit", 99, "--batch-limit", 4) as server:
            for change, status, says in cases:
                with self.subTest(change=str(change)[:60]):
                    answer = server.post("/translate", whole | change)
                    self.assertEqual(answer.status, status)
                    self.assertIn(says, answer.json()["error"])
                    self.assertEqual(answer.headers["access-control-allow-origin"], "*")
            for path in ("/metrics", "/models", "/metrics?a=b", "/%6dodels"):
                for method in ("GET", "HEAD", "OPTIONS", "POST"):
                    answer = server.ask(method, path, "" if method == "POST" else None)
                    self.assertNotIn("access-control-allow-origin", answer.headers)
            refused = server.get("/metrics", X_Forwarded_For="1.1.1.1")
            self.assertEqual(refused.status, 403)
            self.assertNotIn("access-control-allow-origin", refused.headers)
        with Server("--cors", "https://x.example") as server:
            for path in ("/metrics", "/models", "/health"):
                self.assertEqual(server.get(path).headers["access-control-allow-origin"],
                                 "https://x.example")

    def test_bad_bodies(self):
        deep = "[" * 100000 + "]" * 100000
        bodies = [
            (b'{"q": "a",\n  x}', 400, "line 2, column 3"), (b"", 400, "missing q"),
            (b"[1]", 400, "an object is needed"), (b'{"q": "\xff"}', 400, "line 1, column"),
            (b'{"q": "\\ud800"}', 400, "line 1"), (b"nul", 400, "not valid JSON"),
            (('{"q": ' + deep + "}").encode(), 400, "nested more than"),
            (deep.encode(), 400, "nested more than"), (b'{"q": 1e999}', 400, "number"),
        ]
        with Server() as server:
            for body, status, says in bodies:
                with self.subTest(body=body[:40]):
                    answer = server.post("/translate", body, Content_Type="application/json")
                    self.assertEqual(answer.status, status)
                    self.assertIn(says, answer.json()["error"])
            plain = "application/x-www-form-urlencoded"
            for body, says in ((b"q=%ff&source=source&target=target", "UTF-8"),
                               (b"q=%zz", "percent escape"), (b"q=%4", "percent escape")):
                answer = server.post("/translate", body, Content_Type=plain)
                self.assertEqual(answer.status, 400)
                self.assertIn(says, answer.json()["error"])
            self.assertEqual(server.post("/translate", "<a/>", Content_Type="text/xml").status, 415)
            self.assertEqual(server.post("/translate", "--b\r\n",
                                         Content_Type="multipart/form-data; boundary=b").status,
                             400)

    def test_routes_and_methods(self):
        with Server() as server:
            self.assertEqual(server.get("/health").json(), {"status": "ok"})
            self.assertEqual(server.get("/languages").json(), [
                {"code": "source", "name": "source", "targets": ["target"]},
                {"code": "target", "name": "target", "targets": []}])
            model, = server.get("/models").json()["models"]
            self.assertEqual([model["name"], model["task"], model["sizes"]["source_vocabulary"]],
                             ["model", "translate", 14])
            settings = server.get("/frontend/settings").json()
            self.assertEqual(settings["charLimit"], 10000)
            self.assertFalse(settings["keyRequired"])
            answer = server.get("/")
            self.assertEqual(answer.status, 200)
            self.assertTrue(answer.headers["content-type"].startswith("text/html"))
            paths = server.get("/openapi.json").json()["paths"]
            self.assertEqual(server.get("/spec").json()["paths"], paths)
            docs = server.get("/docs").body.decode()
            for path, methods in paths.items():
                self.assertIn(path, docs)
                for method in methods:
                    status = server.ask(method.upper(), path, "" if method == "post" else None).status
                    self.assertIn(status, (200, 400, 403), path)
            for method, path, status, allow in (
                    ("GET", "/translate", 405, "POST, OPTIONS"),
                    ("DELETE", "/health", 405, "GET, HEAD, OPTIONS"),
                    ("PATCH", "/", 405, "GET, HEAD, OPTIONS"),
                    ("POST", "/health", 405, "GET, HEAD, OPTIONS"),
                    ("OPTIONS", "/translate", 204, "POST, OPTIONS"),
                    ("OPTIONS", "*", 204, "GET, HEAD, POST, OPTIONS")):
                answer = server.ask(method, path, "" if method == "POST" else None)
                self.assertEqual((answer.status, answer.headers["allow"]), (status, allow), path)
            for path in ("/nothing", "/translate/", "//", "/index.php"):
                answer = server.get(path)
                self.assertEqual(answer.status, 404, path)
                self.assertIn("/docs", answer.json()["error"])
            head, whole = server.ask("HEAD", "/health"), server.get("/health")
            self.assertEqual((head.status, head.headers, head.body), (200, whole.headers, b""))

    def test_paths(self):
        with Server() as server:
            for path, status in (
                    ("/../etc/passwd", 400), ("/%2e%2e/etc/passwd", 400), ("/a/..%2fb", 400),
                    ("/%00", 400), ("/a%0ab", 400), ("/%ff", 400), ("/%", 400), ("/%4", 400),
                    ("health", 400), ("/..", 400), ("/.", 400), ("/%5c..%5cx", 404),
                    ("http://elsewhere/health", 200), ("HTTP://x:80/health?a=b#c", 200),
                    ("http://x", 200), ("ftp://x/health", 400), ("x:80", 400),
                    ("/%68ealth", 200), ("/health?x=%ff", 400), ("/health#part", 200)):
                with self.subTest(path=path):
                    self.assertEqual(server.get(path).status, status)

    def test_requests_that_arrive_together_are_batched(self):
        texts = ["1 2", "3 4 5", "6", "7 8"]
        lines = self.lines("\n".join(texts) + "\n")
        with Server("--batch-wait", 1000, "--batch-texts", 4) as server:
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                answers = list(pool.map(server.translate, texts))
            self.assertEqual([a.json()["translatedText"] for a in answers], lines)
            self.assertEqual(server.metric('heed_batch_texts_count{model="model"}'), 1)
            self.assertEqual(server.metric('heed_batch_texts_sum{model="model"}'), 4)
            # Requests with other options are batched separately.
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                answers = list(pool.map(lambda beam: server.translate("3 4 5", beam=beam),
                                        (1, 2, 3, 4)))
            self.assertEqual({a.status for a in answers}, {200})
            self.assertEqual(server.metric('heed_batch_texts_count{model="model"}'), 5)

    def test_long_requests_leave_room(self):
        lines = [f"{i % 10} {i // 10 % 10}" for i in range(200)]
        with Server("--batch-texts", 8) as server:
            answer = server.translate("\n".join(lines)).json()["translatedText"]
            self.assertEqual(answer.split("\n"), self.lines("\n".join(lines) + "\n"))
            self.assertGreaterEqual(server.metric('heed_batch_texts_count{model="model"}'), 25)

    def test_full_queue(self):
        with Server("--queue-limit", 2, "--batch-wait", 1000, "--batch-texts", 100) as server:
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                answers = list(pool.map(lambda _: server.translate("1 2"), range(8)))
            statuses = [answer.status for answer in answers]
            self.assertEqual(sorted(statuses), [200] * 2 + [503] * 6)
            refused = answers[statuses.index(503)]
            self.assertIn("requests wait", refused.json()["error"])
            self.assertGreaterEqual(int(refused.headers["retry-after"]), 1)

    def test_clients_that_went_away_are_not_computed(self):
        with Server("--batch-wait", 1000, "--batch-texts", 3) as server:
            connection = server.connect()
            connection.sendall(translation("1 2 3"))
            server.until(lambda: server.get("/models").json()["models"][0]["queue"] == 1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()  # with a reset
            server.until(lambda: server.metric('heed_abandoned_total{model="model"}') == 1)
            self.assertEqual(server.metric('heed_batch_texts_sum{model="model"}') or 0, 0)

    def test_requests_have_a_time_limit(self):
        with Server("--batch-wait", 1000, "--batch-texts", 3, "--request-timeout", 0.2) as server:
            answer = server.translate("1 2")
            self.assertEqual(answer.status, 503)
            self.assertIn("longer than 0.2 s", answer.json()["error"])
            server.until(lambda: server.metric('heed_abandoned_total{model="model"}') == 1)

    def test_streams(self):
        text = "1 2 3\n4 5"
        call = {"q": text, "source": "source", "target": "target"}
        with Server() as server:
            for beam, least in ((1, 4), (5, 1)):
                plain = server.translate(text, beam=beam).json()
                answer = server.translate(text, stream=True, beam=beam)
                again = server.post("/translate", call | {"beam": beam},
                                    Accept="text/event-stream")
                self.assertEqual(again.body, answer.body)
                self.assertTrue(answer.headers["content-type"].startswith("text/event-stream"))
                *tokens, (last, data) = events(answer.body)
                self.assertEqual((last, data), ("done", plain))
                self.assertGreaterEqual(len(tokens), least)
                self.assertTrue(all(name == "token" and data["text"] for name, data in tokens))
                self.assertEqual("".join(data["text"] for _, data in tokens),
                                 plain["translatedText"], "what is new, and nothing twice")
            answer = server.translate(["1 2", "", "3"], stream=True)
            *tokens, (last, data) = events(answer.body)
            self.assertEqual(data, server.translate(["1 2", "", "3"]).json())
            self.assertEqual({data["index"] for _, data in tokens}, {0, 2})
            body = '{"q": "1 2", "source": "source", "target": "target", "stream": true}'
            answer = server.raw(b"POST /translate HTTP/1.0\r\nContent-Type: application/json\r\n"
                                b"Content-Length: %d\r\n\r\n%s" % (len(body), body.encode()))
            self.assertNotIn("transfer-encoding", answer.headers)
            self.assertEqual(events(answer.body)[-1][0], "done")
            answer = server.translate("1 2", stream=True, beam=99)
            self.assertEqual(answer.status, 400)

    def test_predict(self):
        with Server() as server:
            lines = self.runs("predict", WORLD.model, stdin=b"1 2 3\n4 5\n").splitlines()
            answer = server.post("/predict", {"text": ["1 2 3", "4 5"]}).json()
            self.assertEqual((answer["model"], answer["task"], answer["answer"]),
                             ("model", "translate", lines))
            for parameters, says in (
                    ({}, "missing text"), ({"text": "1", "model": "modle"}, "did you mean 'model'"),
                    ({"text": "1", "bean": 1}, "did you mean 'beam'"),
                    ({"text": "1", "beam": "wide"}, "beam"), ({"text": "1", "beam": 0}, "beam"),
                    ({"text": "1", "beam": 999}, "at most"),
                    ({"text": "1", "ensemble": ["/etc"]}, "operator"),
                    ({"text": "1", "shortlist": "/etc/passwd"}, "operator")):
                answer = server.post("/predict", parameters)
                self.assertEqual(answer.status, 400, parameters)
                self.assertIn(says, answer.json()["error"])

    def test_explain(self):
        with Server() as server:
            explained = server.post("/explain", {"text": "1 2 3", "methods": ["saliency"]}).json()
            self.assertEqual(explained["axes"]["source"]["items"], ["1", "2", "3", "</s>"])
            line = self.lines("1 2 3\n")[0]
            self.assertEqual(explained["answer"], line)
            self.assertEqual(explained["axes"]["target"]["items"], [*line.split(), "</s>"])
            layer = explained["maps"][explained["targets"][0]["map"]]
            for head in layer["weights"]:
                self.assertEqual(len(head), len(explained["targets"]))
                for row in head:
                    self.assertAlmostEqual(sum(row), 1, 4)
            method, = explained["attributions"]
            self.assertEqual(len(method["scores"]), len(explained["targets"]))
            self.assertEqual(explained["panels"], [])
            # Sentences are explained in the batches of /translate.
            text = "1 2 3.\n7 8"
            explained = server.post("/explain", {"text": text}).json()
            self.assertEqual(explained["answer"],
                             server.post("/translate", {"q": text, "source": "source", "target": "target",
                                                        "format": "text"}).json()["translatedText"])
            self.assertEqual([s["text"] for s in explained["segments"]], text.split("\n"))
            explained = server.post("/explain", {"text": "1 2", "layer": layer["name"],
                                                 "head": 0}).json()
            self.assertEqual([p["head"] for p in explained["panels"]], [0])
            for parameters, says in (
                    ({}, "missing text"), ({"text": [1]}, "must be a text"),
                    ({"text": "1", "methods": ["salience"]}, "did you mean 'saliency'"),
                    ({"text": "1", "methods": [1]}, "methods[0]"),
                    ({"text": "1", "layer": "none"}, layer["name"]),
                    ({"text": "1", "steps": 10 ** 6}, "<= 256"),
                    ({"text": "1 2 " * 300, "answer": "1"}, "exceeds text limit")):
                answer = server.post("/explain", parameters)
                self.assertEqual(answer.status, 400, parameters)
                self.assertIn(says, answer.json()["error"])

    def test_several_models(self):
        other = self.folder / "other"
        self.runs(*train_args(other, seed=2, epochs=1))
        texts = self.folder / "texts.tsv"
        texts.write_text("good\ta b\nbad\tc d\n" * 20)
        classes = self.folder / "classes"
        self.runs("train", "--task", "classify", "--texts", texts, "--out", classes, "--epochs", 1, "--vocabulary", "words",
                  "--threads", 1)
        with Server(models=[WORLD.model, f"de-en={other}", classes]) as server:
            self.assertEqual(
                [(x["code"], x["name"], x["targets"]) for x in server.get("/languages").json()],
                [("de", "German", ["en"]), ("en", "English", []), ("source", "source", ["target"]),
                 ("target", "target", [])])
            expected = heed("translate", other, stdin=b"1 2 3\n").stdout.decode().strip()
            self.assertEqual(server.post("/translate", {"q": "1 2 3", "source": "de",
                                                        "target": "en"}).json(),
                             {"translatedText": expected})
            self.assertEqual(server.translate("1 2", model="other").status, 400)
            row = server.get("/models").json()["models"][2]
            self.assertEqual((row["labels"], row["sizes"]["classes"]),
                             ({"input": "Text", "answer": "Label"}, 2))
            answer = server.post("/predict", {"text": ["a b", "c d"], "model": "classes"}).json()
            lines = self.runs("predict", classes, stdin=b"a b\nc d\n").splitlines()
            self.assertEqual(answer["answer"], lines)
            self.assertEqual([d["labels"][0]["label"] for d in answer["details"]], lines)
            answer = server.post("/predict", {"text": "a b", "model": "classes",
                                              "probabilities": True}).json()
            self.assertAlmostEqual(sum(x["probability"] for x in answer["details"]["labels"]), 1, 4)
            self.assertEqual(server.post("/predict", {"text": "a b"}).status, 400)
            detected = server.post("/detect", {"q": "1 2 3"}).json()
            self.assertEqual([x["language"] for x in detected], ["de"])
        self.fails(2, "two languages", "serve", "--port", 0, f"pt-BR-en={other}")
        self.fails(1, "config.json", "serve", "--port", 0, self.folder)
        self.fails(2, "no languages", "serve", "--port", 0, f"de-en={classes}")

    def test_api_keys(self):
        keys = self.put("keys", "# people\nsecret  anna\n\nother bob\n")
        with Server("--api-keys", keys, "--failed-keys-per-minute", 0) as server:
            self.assertEqual(server.get("/languages").status, 200)
            answer = server.translate("1 2")
            self.assertEqual((answer.status, answer.json()["error"]),
                             (400, "Please contact the server operator to get an API key"))
            for wrong in ("secre", "secrets", "anna", "# people", "\u0000"):
                answer = server.translate("1 2", api_key=wrong)
                self.assertEqual((answer.status, answer.json()["error"]), (403, "Invalid API key"))
            self.assertEqual(server.translate("1 2", api_key="secret").status, 200)
            answer = server.post("/detect", {"q": "1"}, Authorization="Bearer other")
            self.assertEqual(answer.status, 200)
            keys.write_text("fresh\n")
            server.until(lambda: server.translate("1 2", api_key="fresh").status == 200)
            self.assertEqual(server.translate("1 2", api_key="secret").status, 403)
            self.assertTrue(server.get("/frontend/settings").json()["keyRequired"])
        for status, says, path in ((2, "holds no API key", self.put("none", "#\n")),
                                   (1, "lost", self.folder / "lost")):
            self.fails(status, says, "serve", WORLD.model, "--port", 0, "--api-keys", path,
                       "--log-level", "error")

    def test_requests_per_minute(self):
        with Server("--requests-per-minute", 2) as server:
            statuses = [server.translate("1 2") for _ in range(4)]
            self.assertEqual([a.status for a in statuses], [200, 200, 429, 429])
            self.assertIn("Slowdown", statuses[2].json()["error"])
            self.assertTrue(0 < int(statuses[2].headers["retry-after"]) <= 60)
            self.assertEqual(server.get("/health").status, 200)

    def test_stops_in_order(self):
        with Server("--batch-wait", 1000, "--batch-texts", 3) as server:
            with server.connect() as waiting, server.connect() as idle:
                waiting.sendall(translation("1 2 3"))
                server.until(lambda: server.get("/models").json()["models"][0]["queue"] == 1)
                server.process.send_signal(signal.SIGTERM)
                answer = read_answer(waiting.makefile("rb"))
                self.assertEqual(answer.status, 200, "what was accepted is answered")
                self.assertEqual(answer.headers["connection"], "close")
                self.assertEqual(idle.recv(1), b"")
            self.assertEqual(server.process.wait(TIMEOUT), 0)
            with self.assertRaises(OSError):
                server.connect()

    def test_reloads(self):
        copy = self.folder / "model"
        shutil.copytree(WORLD.model, copy)
        with Server(models=[copy]) as server:
            first = server.translate("1 2 3 4 5").json()
            for times, name in enumerate(("config.json", "model.safetensors"), 1):
                saved = (copy / name).read_bytes()
                (copy / name).write_bytes(saved[:100])
                server.process.send_signal(signal.SIGHUP)
                failed = 'heed_reloads_total{model="model",result="failed"}'
                server.until(lambda: server.metric(failed) == times)
                self.assertEqual(server.translate("1 2 3 4 5").json(), first)
                (copy / name).write_bytes(saved)
            shutil.rmtree(copy)
            self.runs(*train_args(copy, seed=7, epochs=1))
            server.process.send_signal(signal.SIGHUP)
            done = 'heed_reloads_total{model="model",result="succeeded"}'
            server.until(lambda: server.metric(done) == 1)
            expected = heed("translate", copy, stdin=b"1 2 3 4 5\n").stdout.decode().strip()
            self.assertEqual(server.translate("1 2 3 4 5").json(), {"translatedText": expected})
        self.assertIn(b"config.json", server.log)
        self.assertIn(b"not reloaded", server.log)

    def test_metrics(self):
        with Server() as server:
            server.translate("1 2 3")
            server.get("/nothing")
            server.raw(b"nonsense\r\n\r\n")
            text = server.get("/metrics").body.decode()
            names = set()
            for line in text.splitlines():
                if line.startswith("# TYPE"):
                    self.assertNotIn(line.split()[2], names, "each is described once")
                    names.add(line.split()[2])
                elif not line.startswith("#"):
                    float(line.rsplit(" ", 1)[1])
            for line in ('heed_requests_total{route="/translate",status="200"} 1',
                         'heed_requests_total{route="other",status="404"} 1',
                         'heed_requests_total{route="refused",status="400"} 1',
                         'heed_request_seconds_bucket{route="/translate",le="+Inf"} 1',
                         'heed_tokens_total{model="model",side="source"} 4'):
                self.assertIn(line + "\n", text)
            server.until(lambda: server.metric('heed_queue_depth{model="model"}') == 0)
            self.assertGreater(server.metric("process_resident_memory_bytes"), 1 << 20)

    def test_address(self):
        with Server() as server:
            self.fails(1, [str(server.port), "use"], "serve", WORLD.model, "--port", server.port)
        self.fails(1, "nowhere.invalid", "serve", WORLD.model, "--host", "nowhere.invalid")
        self.fails(2, "port", "serve", WORLD.model, "--port", 70000)
