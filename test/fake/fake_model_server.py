"""A fake of a language model's server for tests: OpenAI Chat Completions, OpenAI Responses, Anthropic Messages and the relay, on loopback.

    fake_model_server.py --script RULES.json [--log REQUESTS.jsonl] [--port 0] [--cert CERT.pem --key KEY.pem]

prints its port as the first line and serves until it is killed. The end of the path chooses the wire form: /chat/completions, /responses, /messages, and / for the
relay. So OPENAI_BASE_URL=http://127.0.0.1:PORT/v1, ANTHROPIC_BASE_URL=http://127.0.0.1:PORT, LLM_RELAY_URL=http://127.0.0.1:PORT. It also answers as an HTTP proxy.

RULES.json is {"rules": [RULE, ...]}; the first rule that matches answers. All fields are optional:

    which calls         "match": text that the prompt contains (or a list: all of them)   "path": end of the path   "model": name
                        "call": only the n-th call of the server, from 1                  "times": only so many calls, then the rule is used up
    what it says        "answer": text   "answers": [texts]: one after the other for each further sample or call, the last one again and again
                        "answer_file", "answer_files": the same as paths, relative to RULES.json
                        "thinking": text   "finish": "stop" | "length" | "refusal"   "usage": {"input", "cached", "output", "reasoning"}
    how                 "until": a file; nothing is answered before it is there
                        "delay": seconds before the first token   "pace": seconds between chunks   "chunk": characters per chunk (20)
                        "bytes": bytes per write to the socket    "stream": false answers in one JSON document   "samples": false ignores n
    instead of that     "status": number, with "headers": {name: value} and "body": text
    misbehaviour        "act", where "after" says after how many chunks of text (0):
                        cut stall malformed error_event endless huge_line redirect ("location") header_injection endless_headers gzip_bomb json_bomb wrong_type html empty
                        echo_key (the answer holds the key) no_http

The log has one JSON object per line: n, method, path, headers (authorization too), body, prompt, model, rule (its number, or null).
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import fake_model_wires as wires

RAW_ACTS = {
    "no_http": b"\x00\x01garbage without any head\r\n\r\n",
    "header_injection": b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Note: a\rSet-Cookie: b=\x01c\r\nConnection: close\r\n\r\ndata: [DONE]\n\n",
    "html": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 46\r\n\r\n<html><head><title>Log in</title></head></html>"[:-1],
    "empty": b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 0\r\n\r\n",
}
ENDLESS_S = 60.0


class Script:
    """The rules, and which of them are used up."""

    def __init__(self, path: Path) -> None:
        self.rules: list[dict[str, Any]] = json.loads(path.read_text())["rules"]
        self.folder = path.parent
        self.lock = threading.Lock()
        self.calls = 0
        self.used = [0] * len(self.rules)
        self.said = [0] * len(self.rules)

    def choose(self, path: str, model: str, prompt: str, samples: int) -> tuple[int, int | None, list[str]]:
        """Number of the call, number of the rule, and its answers."""
        with self.lock:
            self.calls += 1
            for index, rule in enumerate(self.rules):
                if self._matches(index, rule, path, model, prompt):
                    self.used[index] += 1
                    return self.calls, index, [self._answer(index, rule) for _ in range(samples)]
            return self.calls, None, []

    def _matches(self, index: int, rule: dict[str, Any], path: str, model: str, prompt: str) -> bool:
        words = rule.get("match", [])
        return (all(word in prompt for word in ([words] if isinstance(words, str) else words)) and path.endswith(rule.get("path", ""))
                and rule.get("model", model) == model and rule.get("call", self.calls) == self.calls and self.used[index] < rule.get("times", 1 << 60))

    def _answer(self, index: int, rule: dict[str, Any]) -> str:
        texts = rule.get("answers") or [rule.get("answer", "hello")]
        if "answer_file" in rule or "answer_files" in rule:
            texts = [(self.folder / name).read_text() for name in rule.get("answer_files") or [rule["answer_file"]]]
        self.said[index] += 1
        return texts[min(self.said[index], len(texts)) - 1]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each small write waits for an acknowledgement
    server: "Server"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.server.note({"method": "GET", "path": self.path, "headers": dict(self.headers)})
        self.whole(200, {}, "ready")

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode("utf-8", "replace")
        try:
            body = json.loads(text)
        except ValueError:
            return self.whole(400, {}, '{"error": {"message": "the body is no JSON", "type": "invalid_request_error"}}')
        path = self.path.split("?")[0]
        prompt, model = wires.prompt_of(body), str(body.get("model", ""))
        samples = int(body.get("n", 1))
        number, index, answers = self.server.script.choose(path, model, prompt, samples)
        self.server.note({"n": number, "method": "POST", "path": self.path, "headers": dict(self.headers), "body": body, "prompt": prompt, "model": model, "rule": index})
        if index is None:
            return self.whole(404, {}, '{"error": {"message": "no rule of the script matches", "type": "not_found_error"}}')
        rule = self.server.script.rules[index]
        if rule.get("samples") is False:
            answers = answers[:1]
        try:
            self.answer(rule, path, model, answers, number)
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
            self.close_connection = True

    def answer(self, rule: dict[str, Any], path: str, model: str, answers: list[str], number: int) -> None:
        act = rule.get("act", "")
        while "until" in rule and not os.path.exists(rule["until"]):
            time.sleep(0.01)
        if "status" in rule:
            time.sleep(rule.get("delay", 0))
            return self.whole(rule["status"], rule.get("headers", {}), rule.get("body", '{"error": {"message": "as scripted", "type": "scripted_error"}}'))
        if act in RAW_ACTS:
            self.close_connection = True
            self.wfile.write(RAW_ACTS[act])
            return None
        if act == "redirect":
            return self.whole(307, {"Location": rule.get("location", "file:///etc/passwd")}, "")
        if act == "gzip_bomb":
            return self.whole(200, {"Content-Encoding": "gzip", "Content-Type": "text/event-stream"}, gzip.compress(b"data: " + b"\0" * (1 << 26)))
        if act == "json_bomb":
            return self.whole(200, {}, "[" + "[]," * 2_700_000 + "[]]")
        if act == "endless_headers":
            return self.endless(b"HTTP/1.1 200 OK\r\n", lambda n: b"X-Header-%d: %s\r\n" % (n, b"x" * 1000))
        if act == "echo_key":
            key = self.headers.get("x-api-key") or self.headers.get("Authorization", "").removeprefix("Bearer ")
            answers = [f"your key is {key}" for _ in answers]
        reply = wires.reply_for(path, rule, model, answers, number)
        if not reply.streams or rule.get("stream") is False:
            time.sleep(rule.get("delay", 0))
            return self.whole(200, {"Content-Type": "application/json"}, json.dumps(reply.document))
        return self.stream(rule, reply, act)

    def stream(self, rule: dict[str, Any], reply: wires.Reply, act: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream" if act == "wrong_type" else "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        for name, value in rule.get("headers", {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.piece("".join(reply.before), rule)
        time.sleep(rule.get("delay", 0))
        for index, frame in enumerate([*reply.text, *reply.after]):
            if act and index == min(rule.get("after", 0), len(reply.text)) and self.misbehave(act, reply):
                return
            self.piece(frame, rule)
            if rule.get("pace"):
                time.sleep(rule["pace"])
        self.wfile.write(b"0\r\n\r\n")

    def misbehave(self, act: str, reply: wires.Reply) -> bool:
        """True when the answer ends here."""
        if act == "cut":
            self.close_connection = True
        elif act == "stall":
            self.server.stopped.wait(ENDLESS_S)
        elif act == "malformed":
            self.piece("data: {\"choices\": [}\n\n", {})
        elif act == "error_event":
            self.piece(reply.error, {})
            self.wfile.write(b"0\r\n\r\n")
        elif act == "huge_line":
            self.endless(b"", lambda n: b"10000\r\n" + b"x" * 65536 + b"\r\n")
        elif act == "endless":
            frame = (reply.text[0] if reply.text else ": nothing\n\n").encode() * 64
            self.endless(b"", lambda n: b"%x\r\n%s\r\n" % (len(frame), frame))
        else:
            return False
        return True

    def endless(self, head: bytes, make: Any) -> None:
        self.close_connection = True
        self.wfile.write(head)
        end, number = time.monotonic() + ENDLESS_S, 0
        while time.monotonic() < end:
            number += 1
            self.wfile.write(make(number))

    def piece(self, text: str, rule: dict[str, Any]) -> None:
        data = text.encode()
        size = rule.get("bytes", 1 << 20)
        for at in range(0, len(data), size):
            part = data[at:at + size]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))

    def whole(self, status: int, headers: dict[str, str], body: str | bytes) -> None:
        data = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def __init__(self, port: int, script: Script, log: Path | None) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.script, self.stopped = script, threading.Event()
        self._log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600) if log else None

    def note(self, request: dict[str, Any]) -> None:
        if self._log is not None:
            os.write(self._log, (json.dumps(request) + "\n").encode())

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # clients of tests go away on purpose


def main() -> None:
    parser = argparse.ArgumentParser(description="a fake of a language model's server")
    parser.add_argument("--script", type=Path, required=True)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--cert", type=Path)
    parser.add_argument("--key", type=Path)
    options = parser.parse_args()
    server = Server(options.port, Script(options.script), options.log)
    if options.cert:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.cert, options.key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
