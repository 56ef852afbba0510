"""kernelagent models: the table, what is usable with which variables, and why not."""

import json
import socket
import unittest
from typing import Any

import program
from fake_model import CLEARED, KEY, FakeModel, need_client

# Names that must stay, and their providers when nothing is set.
PROMISED = {"o4-mini": "openai", "gpt-5.2": "openai", "gpt-5": "relay, openai", "gpt-5-2": "relay", "gcp-claude-4-sonnet": "relay", "claude-opus-4.5": "relay",
            "claude-opus-4-6": "anthropic", "claude-sonnet-4-6": "anthropic", "claude-opus-4-1-20250805": "anthropic", "claude-sonnet-4-20250514": "anthropic",
            "claude-sonnet-4-5-20250929": "anthropic"}


def models(**variables: str) -> program.Finished:
    return program.run("models", *(["--json"] if variables.pop("json", "1") else []), env={**dict.fromkeys(CLEARED, ""), **variables})


def rows(done: program.Finished) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in done.json()["models"]}


def setUpModule() -> None:
    need_client()


class Models(unittest.TestCase):
    def test_nothing_is_usable_without_variables(self):
        listed = rows(models())
        for name, provider in PROMISED.items():
            with self.subTest(name):
                self.assertEqual((listed[name]["provider"], listed[name]["usable"]), (provider, False))
                self.assertTrue(listed[name]["reason"])
        self.assertIn("OPENAI_API_KEY is not set", listed["gpt-5.2"]["reason"])
        self.assertIn("LLM_RELAY_URL is not set", listed["gpt-5-2"]["reason"])
        self.assertIn("nor is LLM_RELAY_URL", listed["gpt-5"]["reason"])

    def test_a_key_makes_its_models_usable(self):
        done = models(OPENAI_API_KEY=KEY)
        listed = rows(done)
        self.assertTrue(listed["gpt-5.2"]["usable"])
        self.assertEqual((listed["gpt-5"]["provider"], listed["gpt-5"]["usable"]), ("openai", True))
        self.assertEqual((listed["gpt-5.2"]["address"], listed["gpt-5.2"]["wire"]), ("https://api.openai.com/v1", "openai responses"))
        self.assertFalse(listed["claude-opus-4-6"]["usable"])
        self.assertNotIn(KEY, done.out + done.err)

    def test_the_placeholder_is_no_key(self):
        self.assertFalse(rows(models(ANTHROPIC_API_KEY="your-api-key-here"))["claude-opus-4-6"]["usable"])

    def test_the_relay_is_asked_once_when_it_is_set(self):
        with FakeModel([]) as fake:
            listed = rows(models(LLM_RELAY_URL=fake.url))
            self.assertTrue(listed["gpt-5-2"]["usable"] and listed["gpt-5"]["usable"])
            self.assertEqual([request["method"] for request in fake.requests()], ["GET"])
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            row = rows(models(LLM_RELAY_URL=f"http://127.0.0.1:{closed.getsockname()[1]}"))["gpt-5-2"]
        self.assertFalse(row["usable"])
        self.assertIn("connect", row["reason"])

    def test_a_file_of_ones_own(self):
        folder = program.Folder()
        path = folder.write("mine.json", json.dumps({"models": [{"name": "mine", "providers": ["openai"], "base_url": "http://h/v1", "output_tokens": 5}]}))
        row = rows(models(KERNELAGENT_MODELS=str(path)))["mine"]
        self.assertEqual((row["usable"], row["address"], row["output_tokens"], row["price"]), (True, "http://h/v1", 5, None))
        bad = folder.write("bad.json", '{"models": [{"name": "x"}]}')
        done = models(KERNELAGENT_MODELS=str(bad))
        self.assertEqual((done.code, done.out), (2, ""))
        self.assertIn("bad.json: row 1: missing field \"providers\"", done.err)
        folder.remove()

    def test_the_table_for_people(self):
        done = models(json="", OPENAI_BASE_URL="http://127.0.0.1:1/v1")
        self.assertEqual((done.code, done.err), (0, ""))
        lines = done.out.splitlines()
        self.assertRegex(lines[0], r"^model +provider +context +output +.*usable$")
        self.assertRegex(done.out, r"(?m)^o4-mini +openai +200k +100k +1\.1 / 0\.275 / 4\.4 +yes, http://127.0.0.1:1/v1$")
        self.assertRegex(done.out, r"(?m)^claude-opus-4-6 +anthropic .* no: no key for claude-opus-4-6: ANTHROPIC_API_KEY is not set")

    def test_bad_usage(self):
        for words, says in [(("models", "x"), 'unexpected argument "x"'), (("models", "--jsn"), 'did you mean "--json"')]:
            done = program.run(*words)
            self.assertEqual((done.code, done.out), (2, ""))
            self.assertIn(says, done.err)


if __name__ == "__main__":
    unittest.main()
