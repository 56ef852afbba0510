"""What goes wrong between a question and its answer: limits, failures, cuts, stalls, cancellation, proxies, certificates."""

import select
import shutil
import socket
import socketserver
import subprocess
import threading
import time
import unittest
from typing import Any

import program
from fake_model import KEY, FakeModel, need_client

MODELS = {"chat": ("a-local-model", {}), "responses": ("gpt-5.2", {"OPENAI_API": "responses"}), "anthropic": ("claude-opus-4-6", {}), "relay": ("gcp-claude-4-sonnet", {})}
FAST = {"first_wait": 20, "longest_wait": 50}
GOOD = {"answer": "good " * 20}


def ask(fake: FakeModel, wire: str = "chat", **question: Any) -> dict[str, Any]:
    model, extra = MODELS[wire]
    return fake.ask({"model": model, "retry": FAST, **question, "times": {"total": 10_000, **question.get("times", {})}}, **extra)


def setUpModule() -> None:
    need_client()


class Retries(unittest.TestCase):
    def test_what_goes_away_is_retried(self):
        rules = {
            "408": {"status": 408}, "409": {"status": 409}, "429": {"status": 429}, "503": {"status": 503, "body": ""}, "529": {"status": 529},
            "500": {"status": 500, "body": "<html><title>Oops</title></html>"}, "cut before text": {"act": "cut"},
            "cut after text": {"answer": "lost " * 30, "act": "cut", "after": 3}, "error event": {"act": "error_event", "after": 1},
            "malformed": {"act": "malformed"}, "empty": {"act": "empty"},
        }
        for wire in ("chat", "responses", "anthropic"):
            for name, rule in rules.items():
                with self.subTest(name, wire=wire), FakeModel([{**rule, "times": 2}, GOOD]) as fake:
                    reply = ask(fake, wire)
                    self.assertEqual([answer["text"] for answer in reply.get("answers", [])], [GOOD["answer"]], reply)
                    self.assertEqual((reply["retries"], len(fake.requests())), (2, 3))

    def test_what_stays_is_not(self):
        rows = [
            ({"status": 400, "body": '{"error": {"message": "bad temperature", "type": "invalid_request_error"}}'}, "invalid input",
             "refuses the question (status 400): bad temperature"),
            ({"status": 401, "body": '{"error": "wrong key"}'}, "environment", "does not accept the key of OPENAI_API_KEY (status 401): wrong key"),
            ({"status": 404, "body": "<html><head><title>Not Found</title></head></html>"}, "invalid input", "a page of HTML titled \"Not Found\""),
            ({"status": 413, "body": ""}, "invalid input", "it gave no reason"),
            ({"status": 429, "body": '{"error": {"message": "pay", "code": "insufficient_quota"}}'}, "network", "status 429"),
            ({"status": 500, "headers": {"x-should-retry": "false"}}, "network", "status 500"),
            ({"act": "html"}, "network", "a page of HTML"),
        ]
        for rule, kind, words in rows:
            with self.subTest(words), FakeModel([rule]) as fake:
                error = ask(fake)["error"]
                self.assertEqual(error["kind"], kind)
                self.assertIn(words, error["message"])
                self.assertEqual(len(fake.requests()), 1)

    def test_a_storm_of_limits_is_waited_out(self):
        with FakeModel([{"status": 429, "headers": {"Retry-After": "1"}, "times": 8}, GOOD]) as fake:
            begin = time.monotonic()
            reply = ask(fake, "anthropic", parallel=8)
            seconds = time.monotonic() - begin
        self.assertTrue(all("answers" in outcome for outcome in reply["outcomes"]), reply)
        self.assertEqual(sum(outcome["retries"] for outcome in reply["outcomes"]), 8)
        self.assertGreaterEqual(seconds, 1.0)
        self.assertLess(seconds, 4.0)

    def test_a_long_wait_is_cut(self):
        with FakeModel([{"status": 429, "headers": {"Retry-After": "3600"}, "times": 1}, GOOD]) as fake:
            reply = ask(fake, retry={**FAST, "longest_asked_wait": 100})
        self.assertEqual(reply["retries"], 1)

    def test_it_gives_up(self):
        with FakeModel([{"status": 500}]) as fake:
            error = ask(fake, retry={**FAST, "attempts": 3})["error"]
            self.assertEqual((error["kind"], len(fake.requests())), ("network", 3))
            self.assertIn("(after 2 retries)", error["message"])
        with FakeModel([{"status": 429, "headers": {"Retry-After": "30"}}]) as fake:
            begin = time.monotonic()
            error = ask(fake, times={"total": 2000})["error"]
            self.assertIn("after the time for the question", error["message"])
            self.assertLess(time.monotonic() - begin, 1.5)

    def test_tokens_of_a_lost_answer_are_counted(self):
        with FakeModel([{"answer": "lost " * 30, "act": "cut", "after": 3, "times": 1, "usage": {"input": 70}}, {**GOOD, "usage": {"input": 70, "output": 9}}]) as fake:
            usage = ask(fake, "anthropic")["usage"]
        self.assertEqual((usage["input"], usage["output"]), (140, 10))


class TimeOuts(unittest.TestCase):
    def test_each_of_them(self):
        once = {**FAST, "attempts": 1}
        rows = [
            ("stall before text", {"act": "stall"}, {"first_text": 300}, "no text came within 0.3 s"),
            ("silence", {"delay": 5}, {"first_text": 300}, "no text came within 0.3 s"),
            ("stall after text", {"answer": "x" * 200, "act": "stall", "after": 2}, {"idle": 300}, "nothing came for 0.3 s"),
            ("all of it", {"answer": "x" * 2000, "pace": 0.05}, {"total": 400}, "did not finish its answer"),
        ]
        for wire in ("chat", "responses", "anthropic"):
            for name, rule, times, words in rows:
                with self.subTest(name, wire=wire), FakeModel([rule]) as fake:
                    begin = time.monotonic()
                    error = ask(fake, wire, times=times, retry=once)["error"]
                    self.assertEqual(error["kind"], "timeout")
                    self.assertIn(words, error["message"])
                    self.assertLess(time.monotonic() - begin, 1.5)

    def test_the_relay_has_its_own(self):
        with FakeModel([{"delay": 5}]) as fake:
            error = fake.ask({"model": "gcp-claude-4-sonnet"}, LLM_RELAY_TIMEOUT_S="0.3")["error"]
        self.assertEqual(error["kind"], "timeout")

    def test_an_address_that_swallows_everything(self):
        with FakeModel([GOOD]) as fake:
            error = fake.ask({"model": "m", "times": {"connect": 300}, "retry": {"attempts": 1}}, OPENAI_BASE_URL="http://192.0.2.1/v1")["error"]
        self.assertIn(error["kind"], ("timeout", "network"))


class Cancel(unittest.TestCase):
    def test_within_a_fifth_of_a_second(self):
        rules = {"in the middle": ({"answer": "x" * 500, "act": "stall", "after": 3}, {"cancel_on_text": True}),
                 "before text": ({"act": "stall"}, {"cancel_after": 200}),
                 "before the head": ({"status": 200, "delay": 5}, {"cancel_after": 200}),
                 "while it waits": ({"status": 503, "headers": {"Retry-After": "5"}}, {"cancel_after": 300})}
        for wire in ("chat", "responses", "anthropic"):
            for name, (rule, how) in rules.items():
                with self.subTest(name, wire=wire), FakeModel([rule]) as fake:
                    reply = ask(fake, wire, **how)
                    self.assertEqual(reply["error"]["kind"], "cancelled")
                    self.assertLess(reply["cancel_seconds"], 0.2)
                    self.assertEqual(reply["fds_left"], 0)

    def test_many_at_once(self):
        with FakeModel([{"answer": "x" * 500, "act": "stall", "after": 3}]) as fake:
            reply = ask(fake, "anthropic", cancel_after=1000, parallel=32)
        self.assertEqual({outcome["error"]["kind"] for outcome in reply["outcomes"]}, {"cancelled"})
        self.assertLess(reply["cancel_seconds"], 0.2)
        self.assertEqual(reply["fds_left"], 0)


class Tunnel(socketserver.ThreadingTCPServer):
    """A proxy for https: answers CONNECT, then passes bytes on."""

    daemon_threads = True

    def __init__(self) -> None:
        self.targets: list[str] = []
        super().__init__(("127.0.0.1", 0), TunnelHandler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class TunnelHandler(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.request.recv(1)
        target = head.split()[1].decode()
        self.server.targets.append(head.decode())
        host, port = target.split(":")
        with socket.create_connection((host, int(port))) as other:
            self.request.sendall(b"HTTP/1.1 200 Connection established\r\nX-Proxy: 1\r\n\r\n")
            ends = {self.request: other, other: self.request}
            while ready := select.select(list(ends), [], [], 30)[0]:
                for end in ready:
                    data = end.recv(65536)
                    if not data:
                        return
                    ends[end].sendall(data)


class Roundabout(unittest.TestCase):
    def test_proxy_variables(self):
        with FakeModel([GOOD]) as fake:
            for name in ("http_proxy", "all_proxy", "ALL_PROXY"):
                with self.subTest(name):
                    reply = fake.ask({"model": "m"}, OPENAI_BASE_URL="http://model.invalid/v1", **{name: fake.url})
                    self.assertIn("answers", reply, reply)
                    self.assertEqual(fake.requests()[-1]["path"], "http://model.invalid/v1/chat/completions")
            self.assertIn("answers", fake.ask({"model": "m"}, http_proxy="http://127.0.0.1:9", no_proxy="127.0.0.1"))
            error = fake.ask({"model": "m", "retry": {"attempts": 1}}, http_proxy="http://127.0.0.1:9")["error"]
            self.assertEqual(error["kind"], "network")

    @unittest.skipUnless(shutil.which("openssl"), "openssl makes the certificate")
    def test_certificates_are_checked(self):
        folder = program.Folder()
        cert, key = folder.path / "cert.pem", folder.path / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=fake", "-addext", "subjectAltName=IP:127.0.0.1",
                        "-keyout", key, "-out", cert], check=True, capture_output=True)
        with FakeModel([GOOD], "--cert", cert, "--key", key) as fake:
            url = fake.url.replace("http:", "https:") + "/v1"
            error = fake.ask({"model": "m"}, OPENAI_BASE_URL=url)["error"]
            self.assertIn("certificate", error["message"])
            self.assertEqual(fake.requests(), [])
            self.assertIn("answers", fake.ask({"model": "m"}, OPENAI_BASE_URL=url, SSL_CERT_FILE=str(cert)))
            named = url.replace("127.0.0.1", "localhost")
            self.assertIn("certificate", fake.ask({"model": "m"}, OPENAI_BASE_URL=named, SSL_CERT_FILE=str(cert))["error"]["message"])
            with Tunnel() as proxy:
                for name in ("https_proxy", "HTTPS_PROXY"):
                    variables = {"OPENAI_BASE_URL": url, "SSL_CERT_FILE": str(cert), name: f"http://127.0.0.1:{proxy.server_address[1]}"}
                    self.assertIn("answers", fake.ask({"model": "m"}, **variables))
                self.assertEqual(len(proxy.targets), 2)
                self.assertNotIn(KEY, "".join(proxy.targets))
                proxy.shutdown()
        folder.remove()


if __name__ == "__main__":
    unittest.main()
