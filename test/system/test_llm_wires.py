"""Language models over the network, against the fake server: each wire form, several samples, counting, which provider a name leads to."""

import socket
import unittest
from typing import Any

import program
from fake_model import KEY, FakeModel, ask, need_client

TEXT = "Ein Kernel für alle: \u4f60\u597d \U0001f600 \"quoted\" \\ and\nlines.\n" * 3

# Name, variables beside the fake's own, path that must have been asked, provider.
ROADS = [
    ("a-local-model", {}, "/v1/chat/completions", "openai"),
    ("o4-mini", {}, "/v1/chat/completions", "openai"),
    ("gpt-5.2", {"OPENAI_API": "responses"}, "/v1/responses", "openai"),
    ("claude-opus-4-6", {}, "/v1/messages", "anthropic"),
    ("claude-sonnet-4-20250514", {}, "/v1/messages", "anthropic"),
    ("gpt-5", {}, "/", "relay"),
    ("gpt-5", {"LLM_RELAY_URL": ""}, "/v1/chat/completions", "openai"),
    ("gcp-claude-4-sonnet", {}, "/", "relay"),
    ("a-local-model", {"OPENAI_BASE_URL": ""}, "/", "relay"),
]


def texts(reply: dict[str, Any]) -> list[str]:
    return [answer["text"] for answer in reply.get("answers", [])]


def setUpModule() -> None:
    need_client()


class Roads(unittest.TestCase):
    def test_each_name_reaches_its_provider(self):
        with FakeModel([{"answer": TEXT, "bytes": 3, "thinking": "let me see", "usage": {"input": 100, "cached": 40, "output": 50}}]) as fake:
            for name, variables, path, provider in ROADS:
                with self.subTest(name, **variables):
                    reply = fake.ask({"model": name, "effort": "high"}, **variables)
                    self.assertEqual(texts(reply), [TEXT], reply)
                    self.assertEqual((reply["provider"], reply["answers"][0]["finish"], reply["retries"]), (provider, "complete", 0))
                    self.assertEqual(fake.requests()[-1]["path"], path)
                    if provider != "relay":
                        self.assertEqual((reply["usage"]["input"], reply["usage"]["cached"], reply["usage"]["output"]), (100, 40, 50))
                        self.assertEqual(reply["text_bytes"], len(TEXT.encode()))

    def test_the_key_is_sent_and_only_as_a_header(self):
        with FakeModel([{"answer": "ok"}]) as fake:
            for name, header, value in [("a-local-model", "Authorization", "Bearer " + KEY), ("claude-opus-4-6", "x-api-key", KEY), ("gcp-claude-4-sonnet", "Authorization", None)]:
                with self.subTest(name):
                    reply = fake.ask({"model": name})
                    request = fake.requests()[-1]
                    self.assertEqual(request["headers"].get(header), value)
                    self.assertNotIn(KEY, str(request["body"]) + request["path"] + str(reply))

    def test_a_server_that_does_not_stream_is_understood(self):
        with FakeModel([{"answer": TEXT, "stream": False}]) as fake:
            for name, extra in [("a-local-model", {}), ("gpt-5.2", {"OPENAI_API": "responses"}), ("claude-opus-4-6", {})]:
                with self.subTest(name):
                    self.assertEqual(texts(fake.ask({"model": name}, **extra)), [TEXT])

    def test_ends_are_told_apart(self):
        for finish, expected in [("stop", "complete"), ("length", "truncated"), ("refusal", "refused")]:
            with FakeModel([{"answer": "no more", "finish": finish}]) as fake:
                for name, extra in [("a-local-model", {}), ("gpt-5.2", {"OPENAI_API": "responses"}), ("claude-opus-4-6", {})]:
                    with self.subTest(name, finish=finish):
                        reply = fake.ask({"model": name}, **extra)
                        self.assertEqual(reply["answers"], [{"text": "no more", "finish": expected}])


class Samples(unittest.TestCase):
    def check(self, rule: dict[str, Any], model: str, calls: int, **extra: str) -> dict[str, Any]:
        with FakeModel([{"answers": ["one", "two", "three", "four"], **rule}]) as fake:
            reply = fake.ask({"model": model, "samples": 3}, **extra)
            self.assertEqual(sorted(texts(reply)), ["one", "three", "two"], reply)
            self.assertEqual(len(fake.requests()), calls)
            return reply

    def test_in_one_call_where_the_wire_has_them(self):
        self.assertEqual(self.check({"usage": {"output": 30}}, "a-local-model", 1)["usage"]["output"], 30)
        self.check({}, "gcp-claude-4-sonnet", 1)

    def test_side_by_side_where_it_has_not(self):
        reply = self.check({"usage": {"output": 30, "input": 7}}, "claude-opus-4-6", 3)
        self.assertEqual((reply["usage"]["output"], reply["usage"]["input"]), (90, 21))
        self.check({}, "gpt-5.2", 3, OPENAI_API="responses")

    def test_a_server_that_ignores_the_number_is_asked_for_the_rest(self):
        with FakeModel([{"answers": ["one", "two", "three"], "samples": False}]) as fake:
            self.assertEqual(len(texts(fake.ask({"model": "a-local-model", "samples": 3}))), 3)
            self.assertEqual(len(fake.requests()), 3)

    def test_many_at_once_leave_no_descriptor(self):
        for parallel in (64, 200):
            with self.subTest(parallel), FakeModel([{"answer": TEXT, "chunk": 9}]) as fake:
                reply = fake.ask({"model": "claude-opus-4-6", "parallel": parallel})
                self.assertEqual([texts(outcome) for outcome in reply["outcomes"]], [[TEXT]] * parallel)
                self.assertEqual(reply["fds_left"], 0)
                self.assertEqual(len({request["n"] for request in fake.requests()}), parallel)

    @unittest.skipIf(program.PRESET == "asan", "the sanitizer needs a descriptor for its own checks, and reports errors without one")
    def test_few_descriptors_are_waited_for(self):
        with FakeModel([{"answer": "text"}]) as fake:
            reply = fake.ask({"model": "claude-opus-4-6", "parallel": 60, "descriptors": 50, "retry": {"attempts": 30, "first_wait": 20, "longest_wait": 200}})
            self.assertEqual([texts(outcome) for outcome in reply["outcomes"]], [["text"]] * 60)
            self.assertEqual(reply["fds_left"], 0)


class Cost(unittest.TestCase):
    def test_dollars_by_the_table(self):
        with FakeModel([{"answer": "x", "usage": {"input": 1_000_000, "cached": 400_000, "output": 100_000, "reasoning": 5}}]) as fake:
            usage = fake.ask({"model": "gpt-5.2"})["usage"]
        self.assertAlmostEqual(usage["dollars"], 0.6 * 1.75 + 0.4 * 0.175 + 0.1 * 14)
        self.assertEqual(usage["reasoning"], 5)


class Unusable(unittest.TestCase):
    def test_one_clear_sentence(self):
        rows = [
            ("gpt-5.2", {}, "environment", "OPENAI_API_KEY is not set"),
            ("gpt-5.2", {"OPENAI_API_KEY": "your-api-key-here"}, "environment", "OPENAI_API_KEY is not set"),
            ("claude-opus-4-6", {}, "environment", "ANTHROPIC_API_KEY is not set"),
            ("gpt-5", {}, "environment", "OPENAI_API_KEY is not set"),
            ("", {}, "invalid input", "no model is named"),
            ("gpt-5.2", {"OPENAI_API_KEY": KEY + "\r\nX-Evil: 1"}, "environment", "control character"),
            ("gpt-5.2", {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "file:///etc/passwd"}, "invalid input", "http:// and https://"),
            ("gpt-5.2", {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://me:secretword@host/v1"}, "invalid input", "user or a password"),
            ("gpt-5.2", {"OPENAI_API_KEY": KEY, "OPENAI_API": "soap"}, "invalid input", "accepted: responses, chat"),
            ("gpt-5.2", {"KERNELAGENT_MODELS": "/nonexistent.json"}, "not found", "KERNELAGENT_MODELS"),
            ("gpt-5-2", {"LLM_RELAY_TIMEOUT_S": "soon"}, "invalid input", "number of seconds"),
        ]
        for name, variables, kind, words in rows:
            with self.subTest(name, **variables):
                error = ask({"model": name}, variables)["error"]
                self.assertEqual(error["kind"], kind)
                self.assertIn(words, error["message"])
                self.assertNotIn("\n", error["message"])
                self.assertNotIn("secretword", error["message"])
                self.assertNotIn(KEY, error["message"])

    def test_a_misspelt_name_ends_at_a_relay_that_is_not_there(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{closed.getsockname()[1]}"
            error = ask({"model": "gpt-55", "retry": {"attempts": 2, "first_wait": 10}}, {"LLM_RELAY_URL": url})["error"]
        self.assertEqual(error["kind"], "network")
        self.assertIn("not in the table of models", error["message"])
        self.assertIn("(after 1 retry)", error["message"])


if __name__ == "__main__":
    unittest.main()
