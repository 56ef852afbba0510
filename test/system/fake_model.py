"""Starts the fake model server (test/fake/fake_model_server.py) and asks it through llm_probe."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unittest
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import program

SERVER = program.ROOT / "test" / "fake" / "fake_model_server.py"
PROBE = program.ROOT / "build" / program.PRESET / "test" / "llm_probe"
KEY = "sk-canary-0123456789abcdef"
# Nothing of the machine's own settings may reach a test.
CLEARED = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API", "OPENAI_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "LLM_RELAY_URL", "LLM_RELAY_TIMEOUT_S",
           "KERNELAGENT_MODELS", "SSL_CERT_FILE", "http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


def clean_environment(extra: Mapping[str, str]) -> dict[str, str]:
    return {**{name: value for name, value in os.environ.items() if name not in CLEARED}, **extra}


def need_client() -> None:
    """For setUpModule: a build without libcurl has nothing to test here."""
    if "no HTTP client" in ask({"model": "gpt-5.2"}, {})["error"]["message"]:
        raise unittest.SkipTest("this build has no HTTP client")


class FakeModel:
    """A server with these rules, in a folder of its own: `with FakeModel([{"answer": "hi"}]) as fake: ...`."""

    def __init__(self, rules: list[dict[str, Any]], *arguments: str | Path) -> None:
        self._folder = program.Folder()
        script = self._folder.write("rules.json", json.dumps({"rules": rules}))
        self.log = self._folder.path / "requests.jsonl"
        self._process = subprocess.Popen([sys.executable, str(SERVER), "--script", str(script), "--log", str(self.log), *map(str, arguments)], stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}"

    def environment(self, **extra: str) -> dict[str, str]:
        """Variables that send every provider here."""
        return {"OPENAI_BASE_URL": self.url + "/v1", "OPENAI_API_KEY": KEY, "ANTHROPIC_BASE_URL": self.url, "ANTHROPIC_API_KEY": KEY, "LLM_RELAY_URL": self.url, **extra}

    def requests(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def ask(self, question: Mapping[str, Any], **extra: str) -> dict[str, Any]:
        return ask(question, self.environment(**extra))

    def __enter__(self) -> FakeModel:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()
        self._folder.remove()


def ask(question: Mapping[str, Any], variables: Mapping[str, str], limit: float = 60) -> dict[str, Any]:
    """The outcome that llm_probe prints; raises when it does not end by itself."""
    done = subprocess.run([str(PROBE)], input=json.dumps(question), env=clean_environment(variables), capture_output=True, text=True, timeout=limit)
    if done.returncode != 0:
        raise AssertionError(f"llm_probe: exit {done.returncode}: {done.stderr[-2000:]}")
    return {**json.loads(done.stdout), "stderr": done.stderr}
