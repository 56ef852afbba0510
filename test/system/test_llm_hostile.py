"""A server that means harm: it cannot hang us, crash us, fill our memory, lead us elsewhere or make us show the key."""

import json
import time
import unittest

import program
from fake_model import KEY, FakeModel, need_client

MODELS = [("a-local-model", {}), ("gpt-5.2", {"OPENAI_API": "responses"}), ("claude-opus-4-6", {})]
MOST_KIB = 96 * 1024
MOST_KIB_OF_JSON = 256 * 1024  # eight megabytes of it, as values
PLAIN_KEY = "canary0123456789abcdef"  # of no shape that anybody knows

# What it does, what the sentence says.
ACTS = [
    ("endless", "sent more than"),
    ("huge_line", "an event of the stream has more than"),
    ("redirect", "redirects to \"file:///etc/passwd\"; redirects are not followed"),
    ("header_injection", "sent a header that is none"),
    ("endless_headers", "bytes of headers"),
    ("gzip_bomb", "compressed answer"),
    ("json_bomb", "has no answer in it"),
    ("no_http", "does not answer in HTTP"),
    ("malformed", "no JSON"),
    ("html", "a page of HTML"),
]


def setUpModule() -> None:
    need_client()


class Hostile(unittest.TestCase):
    def test_each_is_one_sentence_in_bounded_time_and_memory(self):
        for act, words in ACTS:
            for model, extra in MODELS:
                with self.subTest(act, model=model), FakeModel([{"answer": "text " * 50, "act": act}]) as fake:
                    begin = time.monotonic()
                    reply = fake.ask({"model": model, "retry": {"attempts": 2, "first_wait": 10}}, **extra)
                    self.assertIn("error", reply, act)
                    self.assertIn(words, reply["error"]["message"])
                    self.assertEqual(reply["error"]["kind"], "network")
                    self.assertNotIn("\n", reply["error"]["message"])
                    if program.PRESET not in ("asan", "tsan"):  # a sanitizer keeps what was freed
                        self.assertLess(reply["rss_kib"], MOST_KIB_OF_JSON if act == "json_bomb" else MOST_KIB)
                    self.assertEqual(reply["fds_left"], 0)
                    self.assertLess(time.monotonic() - begin, 20)

    def test_a_redirect_to_another_server_is_not_followed(self):
        with FakeModel([{"answer": "stolen"}]) as other, FakeModel([{"act": "redirect", "location": other.url + "/v1/chat/completions?key=1"}]) as fake:
            reply = fake.ask({"model": "a-local-model"})
            self.assertIn("redirects are not followed", reply["error"]["message"])
            self.assertEqual(other.requests(), [])

    def test_a_wrong_type_of_content_is_no_matter(self):
        with FakeModel([{"answer": "fine", "act": "wrong_type"}]) as fake:
            self.assertEqual(fake.ask({"model": "a-local-model"})["answers"][0]["text"], "fine")

    def test_an_endless_refusal(self):
        with FakeModel([{"status": 400, "body": "no " * 1_000_000}]) as fake:
            reply = fake.ask({"model": "a-local-model"})
        self.assertEqual(reply["error"]["kind"], "invalid input")
        self.assertLess(len(reply["error"]["message"]), 500)


class Keys(unittest.TestCase):
    def test_no_key_in_what_we_show(self):
        for key in (KEY, PLAIN_KEY):
            rules = [
                {"status": 401, "body": json.dumps({"error": {"message": f"Incorrect API key provided: {key}"}})},
                {"status": 400, "body": f"<html><title>{key}</title></html>"},
                {"status": 500, "body": f"header was Authorization: Bearer {key}"},
                {"act": "redirect", "location": f"http://127.0.0.1/{key}"},
                {"act": "echo_key"},
            ]
            for rule in rules:
                for model, extra in MODELS:
                    with self.subTest(model=model, **rule), FakeModel([rule]) as fake:
                        reply = fake.ask({"model": model, "retry": {"attempts": 1}}, OPENAI_API_KEY=key, ANTHROPIC_API_KEY=key, **extra)
                        self.assertNotIn(key, json.dumps(reply))
                        self.assertIn("[redacted]", json.dumps(reply))
                        self.assertIn(key, json.dumps(fake.requests()))


if __name__ == "__main__":
    unittest.main()
