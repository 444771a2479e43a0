#!/usr/bin/env python3
"""Three replicas of heed serve behind the proxies of deploy/: replicas.py HEED [SECONDS]

With nginx, then with HAProxy, each if it is installed: clients ask as often as they
are answered, and then at four fifths of that rate while one replica is killed with SIGKILL and started again, one is drained by SIGTERM
and started again, and one gets a new model by rename and SIGHUP. Not one answer may
be missing, wrong or another status than 200. Prints rates and percentiles. Without
either proxy it exits with 77, which ctest calls skipped.
"""

import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLIENTS = 4


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def status(port, path):
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", path)
        return connection.getresponse().status
    except OSError:
        return None


def wait_for(port, path, expected):
    end = time.monotonic() + 60
    while status(port, path) != expected:
        assert time.monotonic() < end, f"{path} of {port} is not {expected}"
        time.sleep(0.05)


class Replica:
    def __init__(self, heed, model, port):
        self.command = [heed, "serve", f"en-de={model}", "--port", str(port), "--threads", "1",
                        "--drain-seconds", "3", "--log-level", "off", "--trust-proxy"]
        self.port = port
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL)
        wait_for(self.port, "/ready", 200)

    def end(self, sign):
        self.process.send_signal(sign)
        if sign == signal.SIGTERM:
            # /ready must fail at once, while the server still answers.
            wait_for(self.port, "/ready", 503)
            assert status(self.port, "/health") == 200
        self.process.wait(timeout=60)


class Load:
    """Clients on persistent connections. Together they send `rate` requests per second, or each
    sends as soon as it has an answer."""

    def __init__(self, port, text, answer, rate=None):
        self.port, self.text, self.answer = port, text, answer
        self.interval = CLIENTS / rate if rate else 0
        self.seconds, self.wrong, self.over = [], [], False
        self.threads = [threading.Thread(target=self.ask) for _ in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def ask(self):
        connection = None
        body = json.dumps({"q": self.text, "source": "en", "target": "de"})
        due = time.monotonic()
        while not self.over:
            begin = time.monotonic()
            try:
                connection = connection or http.client.HTTPConnection("127.0.0.1", self.port,
                                                                      timeout=30)
                connection.request("POST", "/translate", body,
                                   {"Content-Type": "application/json"})
                response = connection.getresponse()
                said = json.loads(response.read())
                if response.status != 200 or said["translatedText"] != self.answer:
                    self.wrong.append(f"{response.status} {said}")
                if response.will_close:
                    connection.close()
                    connection = None
            except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
                self.wrong.append(repr(error))
                connection = None
            now = time.monotonic()
            self.seconds.append(now - begin)
            due = max(due + self.interval, now - 1)  # at most one second is caught up
            time.sleep(max(0.0, due - now))

    def end(self):
        self.over = True
        for thread in self.threads:
            thread.join()


def run_proxy(name, folder, ports):
    """Starts the proxy with its file of deploy/ at these ports."""
    file = {"nginx": "nginx.conf", "haproxy": "haproxy.cfg"}[name]
    text = (ROOT / "deploy" / file).read_text()
    for i, port in enumerate(ports):
        text, count = re.subn(rf"127\.0\.0\.1:500{i}\b", f"127.0.0.1:{port}", text)
        assert count == 1, (file, i)
    path = folder / file
    path.write_text(text if name == "haproxy" else
                    f"daemon off;\npid {folder}/nginx.pid;\n" + text)
    command = (["haproxy", "-f", path] if name == "haproxy" else
               ["nginx", "-p", folder, "-c", path, "-e", folder / "errors"])
    return subprocess.Popen(list(map(str, command)))


def train(heed, folder):
    lines = "".join(f"{a} {b}\t{b} {a}\n" for a in range(10) for b in range(10))
    (folder / "pairs.tsv").write_text(lines)
    model = folder / "model"
    subprocess.run([heed, "train", "--tsv", folder / "pairs.tsv", "--vocabulary", "words",
                    "--units", "32", "--embedding", "32", "--epochs", "5", "--threads", "1",
                    "--quiet", "--out", model], check=True, stderr=subprocess.DEVNULL)
    return model


def try_proxy(name, heed, folder, model, seconds):
    ports = free_ports(4)
    replicas = [Replica(heed, model, port) for port in ports[1:]]
    proxy = run_proxy(name, folder, ports)
    try:
        wait_for(ports[0], "/health", 200)
        answer = subprocess.run([heed, "translate", model], input="1 2\n", text=True,
                                capture_output=True, check=True).stdout.strip()
        full = Load(ports[0], "1 2", answer)
        time.sleep(seconds / 6)
        full.end()
        most = len(full.seconds) / (seconds / 6)
        load = Load(ports[0], "1 2", answer, 0.8 * most)
        begin = time.monotonic()
        pause = seconds / 3
        time.sleep(pause)
        replicas[0].end(signal.SIGKILL)
        time.sleep(pause / 2)
        replicas[0].start()
        time.sleep(pause / 2)
        replicas[1].end(signal.SIGTERM)
        assert replicas[1].process.returncode == 0
        replicas[1].start()
        # A new model replaces the old one.
        shutil.copytree(model, folder / "new")
        os.rename(model, folder / "old")
        os.rename(folder / "new", model)
        replicas[2].process.send_signal(signal.SIGHUP)
        time.sleep(pause)
        load.end()
        load.wrong += full.wrong
        taken = time.monotonic() - begin
    finally:
        proxy.terminate()
        proxy.wait()
        for replica in replicas:
            replica.process.kill()
            replica.process.wait()
        shutil.rmtree(folder / "old", ignore_errors=True)
    times = sorted(load.seconds)
    print(f"{name}: {len(times)} requests in {taken:.0f} s, {len(times) / taken:.0f} a second "
          f"where {most:.0f} are the most; {len(load.wrong)} lost; "
          f"median {1e3 * times[len(times) // 2]:.1f} ms, "
          f"p99 {1e3 * times[len(times) * 99 // 100]:.1f} ms, slowest {1e3 * times[-1]:.0f} ms",
          flush=True)
    if load.wrong:
        sys.exit("\n".join(load.wrong[:5]))


def main():
    heed, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 12
    proxies = [name for name in ("nginx", "haproxy") if shutil.which(name)]
    if not proxies:
        print("left out, as neither nginx nor haproxy is installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = train(heed, folder)
        for proxy in proxies:
            try_proxy(proxy, heed, folder, model, seconds)


if __name__ == "__main__":
    main()
