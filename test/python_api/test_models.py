"""The documented Python programs and commands with a language model: the fake server stands for it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import program
import pytest
from conftest import EXAMPLES, PROBLEM
from fake_model import FakeModel, need_client

import kernelagent
from triton_kernel_agent import TritonKernelAgent

GOOD = f"```python\n{program.RELU_KERNEL.strip()}\n```\n"
WRONG = GOOD.replace("x < 0, 0.0, x", "x < 0, 0.5, x")


@pytest.fixture(scope="module", autouse=True)
def _client() -> None:
    need_client()


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    with FakeModel([{"times": 1, "answer": WRONG}, {"answer": GOOD}]) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        yield server


def test_the_agent_of_the_documentation(fake: FakeModel) -> None:
    agent = TritonKernelAgent(num_workers=1, max_rounds=8, model_name="gpt-5")
    result = agent.generate_kernel(problem_description="Implement ReLU over a contiguous 1D tensor of length 1024")
    assert result["success"], result
    assert "kernel_function" in Path(result["kernel_path"]).read_text()
    assert Path(result["session_dir"]).is_dir()
    prompts = [request["prompt"] for request in fake.requests()]
    assert "torch.relu" in prompts[0]
    assert len(prompts) == 2


def test_who_wrote_it_is_told(fake: FakeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("c.yml").write_text("producers: model\n")
    outcome = kernelagent.auto(PROBLEM, model="gpt-5", workers=1, config="c.yml")
    assert outcome["success"], outcome
    assert (outcome["details"]["producer"], outcome["details"]["worker_id"], outcome["details"]["rounds"]) == ("model", 1, 2)


@pytest.mark.parametrize(
    "words",
    [
        ("Fuser.auto_agent", "--no-router-cache", "--ka-model", "gpt-5", "--ka-workers", "1", "--ka-rounds", "2"),
        ("Fuser.pipeline", "--extract-model", "gpt-5", "--dispatch-model", "o4-mini", "--dispatch-jobs", "auto", "--compose-model", "o4-mini", "--workers", "1", "--max-iters", "2"),
    ],
)
def test_documented_commands(fake: FakeModel, words: tuple[str, ...]) -> None:
    module, *flags = words
    done = subprocess.run([sys.executable, "-m", module, "--problem", str(EXAMPLES / "softmax_rows.py"), *flags, "--verify"], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)
    assert fake.requests()
