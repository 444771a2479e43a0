"""Denial of service and access control in heed serve."""

import contextlib
import json
import os
import signal
import socket
import stat
import subprocess

import hostile
from harness import TIMEOUT, WORLD, EndToEnd
from server import Server, events, read_answer


class Limits(EndToEnd):
    def test_hostile_requests_hold_nobody(self):
        """Each request gets an answer, and none blocks the event loop."""
        size = 1 << 20
        with Server("--char-limit", 10 ** 9, "--request-timeout", 5) as server:
            for name, path, kind, body in hostile.bodies(size):
                with self.subTest(body=name), server.connect() as connection:
                    self.assertLessEqual(len(body), size)
                    connection.sendall(hostile.request(path, kind, body))
                    self.assertEqual(server.get("/health").status, 200)
                    answer = read_answer(connection.makefile("rb"))
                    self.assertIn(answer.status, (200, 400, 503))
            for name, head in hostile.heads(16000):
                with self.subTest(head=name):
                    self.assertIn(server.raw(head).status, (200, 400, 404))
            body = json.dumps({"q": "1", "source": "zz", "target": "zz"}).encode() + b" " * 50000
            answer = server.raw(hostile.chunked("/translate", hostile.JSON, body))
            self.assertEqual(answer.status, 400)
            # The metric is processor time, independent of the machine's load. Without
            # limits it would be seconds.
            self.assertLess(server.metric("heed_longest_event_seconds"), 0.1)

    def test_parameters_are_few_and_short(self):
        with Server() as server:
            most = {f"p{i}": "1" for i in range(97)}
            self.assertEqual(server.translate("1 2", **most).status, 200)
            for more in ({"more": "1", **most}, {"n" * 101: "1"}):
                for body, kind in ((json.dumps(more | {"q": "1", "a": 0, "b": 0}), hostile.JSON),
                                   ("&".join(f"{k}=1" for k in [*more, "a", "b", "c"]),
                                    hostile.FORM)):
                    answer = server.post("/translate", body, Content_Type=kind)
                    self.assertEqual(answer.status, 400)
                    self.assertIn("more than 100", answer.json()["error"])

    def test_wrong_keys_are_refused_before_the_body_is_read(self):
        keys = self.put("keys", "secret\n")
        with Server("--api-keys", keys) as server:
            for path in ("/translate", "/detect", "/predict", "/explain"):
                answer = server.post(path, "{no JSON", Content_Type=hostile.JSON,
                                     Authorization="Bearer wrong")
                self.assertEqual((answer.status, answer.json()["error"]), (403, "Invalid API key"))
            answer = server.post("/translate?api_key=wrong", "{", Content_Type=hostile.JSON)
            self.assertEqual(answer.status, 403)
            answer = server.post("/translate?api_key=secret", "{", Content_Type=hostile.JSON)
            self.assertEqual(answer.status, 400)
            self.assertEqual(server.translate("1 2", api_key="secret").status, 200)

    def test_guessing_keys_is_slow(self):
        keys = self.put("keys", "secret\n")
        with Server("--api-keys", keys, "--failed-keys-per-minute", 3,
                    "--trust-proxy") as server:
            def ask(key, client):
                call = {"q": "1 2", "source": "source", "target": "target", "api_key": key}
                return server.post("/translate", call, X_Forwarded_For=client)
            self.assertEqual([ask(key, "192.0.2.1").status for key in "abc"], [403] * 3)
            answer = ask("secret", "192.0.2.1")
            self.assertEqual(answer.status, 429, "nor is it said whether a key is right")
            self.assertTrue(0 < int(answer.headers["retry-after"]) <= 60)
            self.assertIn("wrong API keys", answer.json()["error"])
            self.assertEqual(ask("secret", "2001:db8::1").status, 200)
            self.assertEqual([ask(key, f"2001:db8::{key}").status for key in "abc"], [403] * 3)
            self.assertEqual(ask("secret", "2001:db8::ffff").status, 429)
            self.assertEqual(ask("secret", "2001:db8:0:1::1").status, 200)

    def test_a_batch_is_as_many_requests_as_it_has_texts(self):
        with Server("--requests-per-minute", 6) as server:
            self.assertEqual(server.translate(["1"] * 4).status, 200)
            self.assertEqual(server.translate(["1"] * 3).status, 429)
            self.assertEqual(server.translate("1").status, 200)
            self.assertEqual(server.translate("1").status, 429)

    def test_the_last_forwarded_address_counts(self):
        forwarded = "POST /detect HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\nConnection: close\r\n"
        def ask(server, *lines):
            head = forwarded + "".join(f"X-Forwarded-For: {line}\r\n" for line in lines)
            return server.raw(f"{head}Content-Type: {hostile.FORM}\r\n\r\nq=1+2+3".encode()).status
        with Server("--requests-per-minute", 2, "--trust-proxy") as server:
            self.assertEqual([ask(server, f"9.9.9.{i}", "1.1.1.1, 2.2.2.2:7") for i in range(3)],
                             [200, 200, 429])
            self.assertEqual(ask(server, "2.2.2.2", "3.3.3.3"), 200)
            self.assertEqual(ask(server, "2.2.2.2"), 429)
            self.assertEqual([ask(server, f"4.4.4.4, [2001:db8::{i}]:1") for i in range(3)],
                             [200, 200, 429])
        with Server("--requests-per-minute", 2) as server:
            self.assertEqual([ask(server, f"9.9.9.{i}") for i in range(3)], [200, 200, 429])

    def test_transfer_codings(self):
        head = "POST /detect HTTP/1.1\r\nHost: x\r\n{}\r\n\r\n0\r\n\r\n"
        with Server() as server:
            for codings, status in (
                    ("Transfer-Encoding: gzip, chunked", 501),
                    ("Transfer-Encoding: chunked, gzip", 501),
                    ("Transfer-Encoding: identity", 501),
                    ("Transfer-Encoding: chunked, chunked", 400),
                    ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", 400),
                    ("Transfer-Encoding: chunked\r\nContent-Length: 5", 400)):
                answer = server.raw(head.format(codings).encode())
                self.assertEqual(answer.status, status, codings)

    def test_no_answer_is_guessed_at(self):
        with Server("--cors", "none", "--max-connections", 1) as server:
            with server.connect() as first:
                first.sendall(b"POST /detect HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
                              b"Expect: 100-continue\r\n\r\n")
                self.assertIn(b" 100 ", first.makefile("rb").readline(), "it is busy")
                answers = [server.raw(b"")]  # too many connections
            answers += [server.get(path) for path in ("/", "/health", "/nothing", "/metrics",
                                                      "/openapi.json", "/docs", "/models")]
            answers.append(server.ask("HEAD", "/"))
            answers.append(server.ask("OPTIONS", "/translate"))
            answers.append(server.raw(b"nonsense\r\n\r\n"))
            answers.append(server.translate("1 2", stream=True))
            answers.append(server.translate("1 2", beam=1000))
            etag = answers[1].headers.get("etag")
            if etag:
                answers.append(server.get("/", If_None_Match=etag))
                self.assertEqual(answers[-1].status, 304)
            self.assertEqual(answers[0].status, 503)
            for answer in answers:
                self.assertEqual(answer.headers["x-content-type-options"], "nosniff")

    def test_a_stream_that_takes_too_long_says_so(self):
        call = {"source": "source", "target": "target", "stream": True, "beam": 16}
        lines, timeout, name = 3000, 0.5, ""
        while name != "error" and timeout < 20:  # until it has begun but not ended
            with Server("--request-timeout", timeout, "--char-limit", 0) as server:
                answer = server.post("/translate", call | {"q": "1 2 3 4 5 6\n" * lines})
            if answer.headers["content-type"].startswith("text/event-stream"):
                *tokens, (name, data) = events(answer.body)
                lines *= 2
            else:
                self.assertEqual(answer.status, 503)
                timeout *= 2
        self.assertEqual((name, data["status"]), ("error", 503))
        self.assertIn(f"longer than {timeout:g} s", data["error"])
        self.assertTrue(all(name == "token" for name, _ in tokens))

    def test_a_stream_sends_what_is_new(self):
        for lines in (10, 100):
            text = "1 2 3\n" * lines
            with Server() as server:
                whole = server.translate(text).json()["translatedText"]
                *tokens, _ = events(server.translate(text, stream=True).body)
            self.assertEqual("".join(data["text"] for _, data in tokens), whole)
            written = [token for _, data in tokens for token in data["tokens"]]
            self.assertEqual(written, whole.split())
            self.assertEqual({data["sentence"] for _, data in tokens}, set(range(lines)))

    def test_who_may_see_what(self):
        keys = self.put("keys", "secret\n")
        cases = [
            ((), {}, 200, 200),
            ((), {"X_Forwarded_For": "127.0.0.1"}, 403, 200),
            ((), {"Via": "1.1 proxy"}, 403, 200),
            (("--metrics-access", "everyone"), {"X_Forwarded_For": "1.1.1.1"}, 200, 200),
            (("--models-access", "local"), {"Forwarded": "for=1.1.1.1"}, 403, 403),
            (("--metrics-access", "keys", "--models-access", "keys", "--api-keys", keys), {},
             400, 400),
            (("--metrics-access", "keys", "--models-access", "keys", "--api-keys", keys),
             {"Authorization": "Bearer wrong"}, 403, 403),
            (("--metrics-access", "keys", "--models-access", "keys", "--api-keys", keys),
             {"Authorization": "Bearer secret"}, 200, 200),
        ]
        for options, headers, metrics, models in cases:
            with self.subTest(options=options, headers=headers), Server(*options) as server:
                self.assertEqual(server.get("/metrics", **headers).status, metrics)
                self.assertEqual(server.get("/models", **headers).status, models)
                self.assertEqual(server.get("/health", **headers).status, 200)
        self.fails(2, "--api-keys", "serve", WORLD.model, "--port", 0, "--metrics-access", "keys",
                   "--log-level", "off")

    def test_logs_that_nobody_reads_stop_nothing(self):
        server = subprocess.Popen([WORLD.heed, "serve", WORLD.model, "--port", "0"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        port = int(server.stdout.readline().decode().rsplit(":", 1)[1].rstrip("/\n"))
        def ask():
            with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT) as connection:
                connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                return read_answer(connection.makefile("rb")).status
        # The log exceeds the buffer of a pipe without a reader; then the reader closes.
        for _ in range(1200):
            self.assertEqual(ask(), 200)
        server.stderr.close()
        server.stdout.close()
        for _ in range(5):
            self.assertEqual(ask(), 200)
        server.terminate()
        self.assertEqual(server.wait(TIMEOUT), 0)


class UnixServer(Server):
    """A server that listens on a Unix socket."""

    def __init__(self, path, *args):
        self.path = path
        super().__init__("--unix-socket", path, *args)

    def connect(self):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(TIMEOUT)
        connection.connect(str(self.path))
        return connection


class Service(EndToEnd):
    def test_unix_socket(self):
        path = self.folder / "heed.sock"
        with UnixServer(path) as server:
            self.assertEqual(server.announced, f"heed serves on unix:{path}")
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o660)
            self.assertEqual(server.translate("1 2 3").status, 200)
            self.assertEqual(server.get("/metrics").status, 200)
            self.fails(1, ["heed.sock", "another process listens"], "serve", WORLD.model,
                       "--unix-socket", path, "--log-level", "off")
            self.assertEqual(server.get("/health").status, 200)
        self.assertFalse(path.exists())
        self.assertIn(b'"client":"unix"', server.log)

    def test_a_dead_servers_socket_is_replaced(self):
        path = self.folder / "heed.sock"
        dead = socket.socket(socket.AF_UNIX)
        dead.bind(str(path))
        dead.close()
        with UnixServer(path) as server:
            self.assertEqual(server.get("/health").status, 200)
        for taken in (self.put("file", "text"), self.folder / "link"):
            if not taken.exists():
                taken.symlink_to(self.folder / "elsewhere")
            self.fails(1, [taken.name, "no socket"], "serve", WORLD.model, "--unix-socket", taken,
                       "--log-level", "off")
        self.assertFalse((self.folder / "elsewhere").exists())

    def test_tells_systemd_how_it_is(self):
        path = self.folder / "notify"
        with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as systemd:
            systemd.bind(str(path))
            systemd.settimeout(TIMEOUT)
            environment = os.environ | {"NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "100000"}
            def next_state(*skipped):
                while (state := systemd.recv(4096).decode()) in skipped:
                    pass
                return state
            with Server(env=environment) as server:
                self.assertEqual(next_state("WATCHDOG=1"), "READY=1")
                for _ in range(3):
                    self.assertEqual(next_state(), "WATCHDOG=1")
                server.process.send_signal(signal.SIGHUP)
                self.assertRegex(next_state("WATCHDOG=1"), r"^RELOADING=1\nMONOTONIC_USEC=\d+$")
                self.assertEqual(next_state("WATCHDOG=1"), "READY=1")
                server.process.send_signal(signal.SIGTERM)
                self.assertEqual(next_state("WATCHDOG=1"), "STOPPING=1")
