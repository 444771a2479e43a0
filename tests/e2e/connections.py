"""heed serve and its connections: HTTP as it should be, as it should not, slow and many."""

import contextlib
import resource
import socket

from harness import WORLD, EndToEnd
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

    def test_connections_are_kept(self):
        one, two = self.lines("1 2\n3 4 5\n")
        with Server() as server, server.connect() as connection:
            stream = connection.makefile("rb")
            # Several at once, in order; byte by byte; after a refusal; HTTP/1.0.
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
            for i, connection in enumerate(idle):  # so that the order is known
                connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
                self.assertEqual(read_answer(connection.makefile("rb")).status, 200, i)
            self.assertEqual(server.get("/health").status, 200)
            self.assertEqual(idle[0].recv(1), b"", "the longest idle one is closed")
            for connection in idle:
                connection.close()
            head, body = translation("1 2").split(b"\r\n\r\n", 1)
            busy = []
            while len(busy) < 4:  # the server may not know yet that others are gone
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
        # Of few files the server keeps some for others.
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
