"""Cancellation of requests in heed serve: clients that leave, and clients that stay."""

import json
import socket
import struct

from harness import EndToEnd
from server import Server, read_answer

# A long input, even for a small model.
WORDS = " ".join("12345" for _ in range(150))
LONG = {"text": WORDS, "answer": WORDS, "methods": ["saliency", "integrated_gradients", "smooth_grad"],
        "steps": 256, "samples": 256}


def post(path, body):
    text = json.dumps(body)
    return (f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(text)}\r\n\r\n{text}").encode()


def depth(server):
    return server.get("/models").json()["models"][0]["queue"]


class Cancel(EndToEnd):
    def test_who_leaves_frees_the_model(self):
        with Server("--request-timeout", 3600) as server:
            for reset in (False, True):
                with self.subTest(reset=reset):
                    connection = server.connect()
                    connection.sendall(post("/explain", LONG))
                    server.until(lambda: depth(server) == 1)
                    if reset:
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                              struct.pack("ii", 1, 0))
                    connection.close()
                    server.until(lambda: depth(server) == 0)
                    self.assertEqual(server.translate("1 2").status, 200)
            self.assertEqual(server.metric('heed_abandoned_total{model="model"}'), 2)

    def test_who_only_closes_its_half_gets_its_answer(self):
        with Server("--request-timeout", 3600) as server, server.connect() as connection:
            connection.sendall(post("/explain", {**LONG, "text": "1 2 3 4", "answer": "4 3 2 1"}))
            connection.shutdown(socket.SHUT_WR)
            self.assertEqual(read_answer(connection.makefile("rb")).status, 200)

    def test_the_time_limit_frees_the_model(self):
        with Server("--request-timeout", 1) as server:
            for path, body in (
                    ("/explain", {**LONG, "steps": 32, "samples": 32}),
                    ("/predict", {"text": [WORDS] * 256, "beam": 32,
                                  "max_length_factor": 10, "length_penalty": 5,
                                  "coverage_penalty": 2})):
                with self.subTest(path=path):
                    self.assertEqual(server.post(path, body).status, 503)
                    server.until(lambda: depth(server) == 0)
                    self.assertEqual(server.translate("1 2").status, 200)

    def test_short_requests_pass_long_ones(self):
        with Server("--request-timeout", 3600) as server:
            connections = [server.connect() for _ in range(5)]
            for connection in connections:
                connection.sendall(post("/explain", LONG))
            server.until(lambda: depth(server) == 5)
            for text in ("1 2", "3 4 5", "6"):
                self.assertEqual(server.translate(text).status, 200)
                answer = server.post("/explain", {"text": text})
                self.assertEqual(answer.status, 200)
            self.assertEqual(depth(server), 5)
            for connection in connections:
                connection.close()
            server.until(lambda: depth(server) == 0)

    def test_what_cannot_be_done_in_time_is_refused(self):
        with Server("--request-timeout", 0.05) as server:
            answer = server.post("/explain", LONG)
            self.assertEqual(answer.status, 400)
            self.assertIn("a request has 0.05 s", answer.json()["error"])
            self.assertEqual(server.metric('heed_abandoned_total{model="model"}') or 0, 0)
