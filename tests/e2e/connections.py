"""Connections of heed serve: valid and invalid HTTP, slow clients, many clients."""

import contextlib
import gzip
import json
import re
import resource
import signal
import socket
import urllib.parse
import zlib

from harness import TIMEOUT, WORLD, EndToEnd
from server import POST, Server, read_answer, translation


class Connections(EndToEnd):
    def lines(self, text, *options):
        return self.runs("translate", WORLD.model, *options, stdin=text.encode()).splitlines()

    def test_http(self):
        with Server("--max-body-bytes", 2000, "--max-header-bytes", 1000) as server:
            get = b"GET /health HTTP/1.1\r\nHost: x\r\n"
            for data, status in (
                    (b"GET / HTTP/1.1\r\n\r\n", 400),  # no Host
                    (b"GET /health HTTP/1.0\r\n\r\n", 200),
                    (get + b"Host: y\r\n\r\n", 400),
                    (b"GET / HTTP/2.0\r\n\r\n", 505), (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
                    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),  # TLS
                    (b"GET / HTTP/1.1\nHost: x\n\n", 400), (b"hello\r\n\r\n", 400),
                    (get + b" folded: x\r\n\r\n", 200),
                    (get + b"no colon\r\n\r\n", 400), (get + b"A: \x00\r\n\r\n", 400),
                    (get + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
                    (get + b"Content-Length: -1\r\n\r\n", 400),
                    (get + b"Content-Length: 99999999999999999999\r\n\r\n", 400),
                    (get + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
                    (get + b"Transfer-Encoding: gzip\r\n\r\n", 501),
                    (get + b"Transfer-Encoding: chunked\r\n\r\nzzz\r\n", 400),
                    (get + b"Expect: magic\r\n\r\n", 417),
                    (get + b"X: " + b"y" * 2000 + b"\r\n\r\n", 431),
                    (get + b"X: y\r\n" * 1000, 431),
                    (b"GET /" + b"y" * 2000, 414),
                    (POST.format(2001).encode(), 413),
                    (POST.format(10 ** 15).encode(), 413),
                    (b"POST /translate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                     + (b"3e8\r\n" + b"x" * 1000 + b"\r\n") * 3, 413),
                    (b"POST /translate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                     + b"1;" + b"x" * 40000, 400)):
                with self.subTest(data=data[:60]):
                    answer = server.raw(data)
                    self.assertEqual(answer.status, status)
                    if status >= 400:
                        self.assertTrue(answer.json()["error"])
                        self.assertEqual(answer.headers["connection"], "close")
            one = self.lines("1 2\n")[0]
            chunks = translation("1 2").split(b"\r\n\r\n", 1)[1]
            body = b"".join(b"%x\r\n%c\r\n" % (1, c) for c in chunks) + b"0\r\nTrailer: x\r\n\r\n"
            answer = server.raw(b"POST /translate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked"
                                b"\r\nContent-Type: application/json\r\n\r\n" + body)
            self.assertEqual(answer.json(), {"translatedText": one})

    def test_compressed_bodies(self):
        call = {"q": "1 2 3", "source": "source", "target": "target"}
        body = json.dumps(call).encode()
        form = urllib.parse.urlencode(call).encode()
        raw = zlib.compressobj(wbits=-15)
        one = self.lines("1 2 3\n")[0]
        with Server("--max-body-bytes", 5000) as server:
            def ask(coding, data, kind="application/json", path="/translate"):
                return server.post(path, data, Content_Encoding=coding, Content_Type=kind)
            for coding, data in (
                    ("gzip", gzip.compress(body)), ("x-gzip", gzip.compress(body)),
                    ("GZIP", gzip.compress(body)), ("deflate", zlib.compress(body)),
                    ("deflate", raw.compress(body) + raw.flush()), ("identity", body),
                    ("gzip", gzip.compress(body[:9]) + gzip.compress(body[9:])),
                    ("gzip", gzip.compress(body + b" " * (5000 - len(body))))):
                answer = ask(coding, data)
                self.assertEqual((answer.status, answer.json()), (200, {"translatedText": one}))
            plain = "application/x-www-form-urlencoded"
            self.assertEqual(ask("gzip", gzip.compress(form), plain).json(),
                             {"translatedText": one})
            self.assertEqual(ask("gzip", gzip.compress(b'{"text": "1 2 3"}'),
                                 path="/predict").json()["answer"], one)
            for coding in ("br", "zstd", "compress", "gzip, br"):
                answer = ask(coding, body)
                self.assertEqual(answer.status, 415)
                self.assertIn(f"Content-Encoding: {coding}", answer.json()["error"])
                self.assertEqual(answer.headers["accept-encoding"], "gzip, deflate")
            for bad in (body, gzip.compress(body)[:-1], gzip.compress(body) + b"x"):
                answer = ask("gzip", bad)
                self.assertEqual(answer.status, 400)
                self.assertIn("gzip", answer.json()["error"])
            for coding, bomb in (("gzip", gzip.compress(b" " * 4000000)),
                                 ("gzip", gzip.compress(b" " * 3000) * 2),
                                 ("deflate", zlib.compress(b" " * 4000000))):
                self.assertLess(len(bomb), 5000)
                answer = ask(coding, bomb)
                self.assertEqual(answer.status, 413)
                self.assertIn("--max-body-bytes", answer.json()["error"])

    def test_an_empty_line_before_a_request_is_ignored(self):
        one = self.lines("1 2\n")[0]
        health = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
        with Server("--header-timeout", 0.2, "--idle-timeout", 0.6) as server:
            self.assertEqual(server.raw(b"\r\n" + health).status, 200)
            self.assertEqual(server.raw(b"\r\n\r\n" + health).status, 400, "one, not two")
            self.assertEqual(server.raw(b"\n" + health).status, 400)
            with server.connect() as connection:
                stream = connection.makefile("rb")
                # Line breaks after a body (as old browsers send them), between
                # requests, and byte by byte.
                connection.sendall(translation("1 2") + b"\r\n" + translation("1 2"))
                self.assertEqual([read_answer(stream).json() for _ in range(2)],
                                 [{"translatedText": one}] * 2)
                for byte in b"\r\n" + health:
                    connection.sendall(bytes([byte]))
                self.assertEqual(read_answer(stream).status, 200)
                # A line break starts no request, so the header timeout does not apply.
                connection.sendall(b"\r\n")
                self.assertEqual(stream.read(), b"", "idle, and no 408")

    def test_the_last_answer_before_the_end_closes_the_connection(self):
        with Server() as server, contextlib.ExitStack() as stack:
            connections = [stack.enter_context(server.connect()) for _ in range(4)]
            streams = [connection.makefile("rb") for connection in connections]
            for connection, stream in zip(connections[:3], streams):
                connection.sendall(translation("1 2"))
                self.assertNotIn("connection", read_answer(stream).headers)
            server.process.send_signal(signal.SIGTERM)
            server.until(lambda: b"stopping" in server.read_log())
            # A client may send another request before it reads "Connection: close".
            for connection, stream in zip(connections[1:], streams[1:]):
                connection.sendall(translation("3 4"))
                answer = read_answer(stream)
                self.assertEqual((answer.status, answer.headers["connection"]), (200, "close"))
                self.assertEqual(stream.read(), b"")
            self.assertEqual(streams[0].read(), b"", "it sent nothing")
            self.assertEqual(server.process.wait(TIMEOUT), 0)

    def test_below_a_path_of_a_proxy(self):
        one = self.lines("1 2\n")[0]
        for option in ("/mt", "mt/", "/tools/mt"):
            base = "/" + option.strip("/")
            with self.subTest(base=option), Server("--base-path", option) as server:
                call = {"q": "1 2", "source": "source", "target": "target"}
                self.assertEqual(server.post(base + "/translate", call).json(),
                                 {"translatedText": one})
                answer = server.get(base)
                self.assertEqual((answer.status, answer.headers["location"]), (308, base + "/"))
                page = server.get(base + "/").body.decode()
                docs = server.get(base + "/docs").body.decode()
                for html in (page, docs):
                    links = re.findall(r'(?:href|src)="([^"#:]+)"', html)
                    self.assertTrue(links)
                    for link in links:
                        self.assertEqual(server.get(urllib.parse.urljoin(base + "/", link)).status,
                                         200, link)
                        self.assertFalse(link.startswith("/"), "relative, for other proxies too")
                self.assertIn("localhost:5000" + base + "/translate", docs)
                api = server.get(base + "/openapi.json").json()
                self.assertEqual(api["servers"], [{"url": base}])
                self.assertIn("/translate", api["paths"])
                self.assertEqual(server.get("/health").status, 200, "for probes")
                self.assertNotIn("access-control-allow-origin",
                                 server.get(base + "/metrics").headers)
                for other in (base + "x/health", base + base + "/health", base + "//health"):
                    self.assertEqual(server.get(other).status, 404, other)
                self.assertIn("allow", server.ask("DELETE", base + "/translate").headers)
        for wrong in ("/a b", "/a?b", "/a//b", "/../a", "/%61"):
            self.fails(2, "base_path", "serve", WORLD.model, "--port", 0, "--base-path", wrong)

    def test_connections_are_kept(self):
        one, two = self.lines("1 2\n3 4 5\n")
        with Server() as server, server.connect() as connection:
            stream = connection.makefile("rb")
            # The connection pipelines requests, sends bytes one by one, recovers after
            # an error, and uses HTTP/1.0.
            connection.sendall(translation("1 2") + translation("3 4 5") * 2 +
                               b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n" + translation("1 2"))
            answers = [read_answer(stream) for _ in range(5)]
            self.assertEqual([a.status for a in answers], [200, 200, 200, 404, 200])
            self.assertEqual([answers[i].json()["translatedText"] for i in (0, 1, 2, 4)],
                             [one, two, two, one])
            for byte in translation("1 2"):
                connection.sendall(bytes([byte]))
            self.assertEqual(read_answer(stream).json(), {"translatedText": one})
            connection.sendall(b"GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            self.assertEqual(read_answer(stream).headers["connection"], "keep-alive")
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            self.assertEqual(read_answer(stream).status, 200)
            self.assertEqual(stream.read(), b"")

    def test_expect_continue(self):
        head, body = translation("1 2").split(b"\r\n\r\n", 1)
        with Server("--max-body-bytes", 2000) as server:
            with server.connect() as connection:
                stream = connection.makefile("rb")
                connection.sendall(head + b"\r\nExpect: 100-continue\r\n\r\n")
                self.assertEqual(stream.readline(), b"HTTP/1.1 100 Continue\r\n")
                self.assertEqual(stream.readline(), b"\r\n")
                connection.sendall(body)
                self.assertEqual(read_answer(stream).status, 200)
            refused = POST.format(5000).encode()[:-2] + b"Expect: 100-continue\r\n\r\n"
            with server.connect() as connection:
                connection.sendall(refused)
                self.assertEqual(connection.makefile("rb").readline()[:12], b"HTTP/1.1 413")

    def test_half_closed(self):
        with Server() as server:
            with server.connect() as connection:
                connection.sendall(translation("1 2 3"))
                connection.shutdown(socket.SHUT_WR)
                stream = connection.makefile("rb")
                self.assertEqual(read_answer(stream).status, 200)
                self.assertEqual(stream.read(), b"")
            for data in (b"GET /hea", translation("1 2")[:-3]):
                with server.connect() as connection:
                    connection.sendall(data)
                    connection.shutdown(socket.SHUT_WR)
                    answer = read_answer(connection.makefile("rb"))
                    self.assertEqual(answer.status, 400)
                    self.assertIn("too early", answer.json()["error"])
            with server.connect() as connection:
                connection.shutdown(socket.SHUT_WR)
                self.assertEqual(connection.recv(1), b"")

    def test_slow_clients(self):
        with Server("--header-timeout", 0.2, "--body-timeout", 0.2, "--idle-timeout",
                    0.5) as server:
            for data, says in ((b"GET /hea", "headers"), (b"G", "headers"),
                               (translation("1 2")[:-1], "body")):
                answer = server.raw(data)
                self.assertEqual(answer.status, 408)
                self.assertIn(says, answer.json()["error"])
            self.assertIsNone(server.raw(b""))  # idle
            with server.connect() as connection:
                stream = connection.makefile("rb")
                connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
                self.assertEqual(read_answer(stream).status, 200)
                self.assertEqual(stream.read(), b"")
            self.assertEqual(server.translate("1 2").status, 200)

    def test_too_many_connections(self):
        with Server("--max-connections", 4) as server:
            idle = [server.connect() for _ in range(4)]
            for i, connection in enumerate(idle):  # one by one, so that the order is known
                connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
                self.assertEqual(read_answer(connection.makefile("rb")).status, 200, i)
            self.assertEqual(server.get("/health").status, 200)
            self.assertEqual(idle[0].recv(1), b"", "the longest idle one is closed")
            for connection in idle:
                connection.close()
            head, body = translation("1 2").split(b"\r\n\r\n", 1)
            busy = []
            while len(busy) < 4:  # the server may not yet have noticed closed connections
                connection = server.connect()
                connection.sendall(head + b"\r\nExpect: 100-continue\r\n\r\n")
                stream = connection.makefile("rb")
                if stream.readline().startswith(b"HTTP/1.1 100"):
                    busy.append((connection, stream))
                    stream.readline()
                else:
                    connection.close()
            answer = server.get("/health")
            self.assertEqual((answer.status, answer.headers["retry-after"]), (503, "5"))
            for connection, stream in busy:
                connection.sendall(body)
                self.assertEqual(read_answer(stream).status, 200)
                connection.close()

    def test_thousands_of_idle_connections(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        files = hard if hard != resource.RLIM_INFINITY else 2**16
        # The server reserves some file descriptors for other uses.
        connections = 3000 if files > 4000 else files // 2
        with Server() as server, contextlib.ExitStack() as idle:
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(files, 4000)), hard))
            idle.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
            for _ in range(connections):
                idle.enter_context(server.connect())
            self.assertEqual(server.translate("1 2").status, 200)
            self.assertGreater(server.metric("heed_connections"), connections - 1)
            idle.close()
            self.assertEqual(server.get("/health").status, 200)
