"""TritonKernelAgent: the three kinds of problems, tests of the user, and what is left in the session folder."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import program
import pytest
from conftest import PROBLEM, SLOW

import kernelagent
import triton_kernel_agent
from kernelagent import TritonKernelAgent
from kernelagent.agent import _is_program, _named_file

KEYS = {"success", "message", "session_dir", "kernel_code", "kernel_path", "worker_id", "rounds"}
TEST = "import torch\nfrom kernel import kernel_function\n\nx = torch.randn(7, 33, device='cuda')\nassert torch.equal(kernel_function(x), torch.relu(x))\nprint('{}')\n"


@pytest.mark.parametrize(
    ("text", "is_program", "is_file"),
    [
        ("Implement ReLU over a contiguous 1D tensor of length 1024", False, False),
        ("relu", False, False),
        ("import torch", False, False),
        (PROBLEM.read_text(), True, False),
        ("def f(x):\n    return x", True, False),
        ("class Model: pass", True, False),
        ("problem.py", False, True),
        ("folder/problem.py:forward", False, True),
        (str(PROBLEM), False, True),
        ("make this faster: model.py", False, False),
        ("fused bias + gelu for (4096, 11008) bf16", False, False),
        ("a\0b", False, False),
    ],
)
def test_what_a_problem_is(text: str, is_program: bool, is_file: bool) -> None:
    assert _is_program(text) == is_program
    assert (_named_file(text) is not None) == is_file


def test_a_file_with_a_test(tmp_path: Path) -> None:
    with TritonKernelAgent(num_workers=2, max_rounds=3, model_name="gpt-5", log_dir=tmp_path / "logs") as agent:
        result = agent.generate_kernel(PROBLEM, test_code=TEST.format("PASS"))
    assert set(result) == KEYS
    assert result["success"], result
    session = Path(result["session_dir"])
    assert session.parent == (tmp_path / "logs").resolve()
    assert Path(result["kernel_path"]).read_text() == result["kernel_code"]
    assert "@triton.jit" in result["kernel_code"] and "def kernel_function" in result["kernel_code"]
    assert json.loads((session / "result.json").read_text()) == result
    assert (session / "test_0.py").is_file()


def test_a_text_and_a_test_that_does_not_pass() -> None:
    result = triton_kernel_agent.TritonKernelAgent().generate_kernel(PROBLEM.read_text(), TEST.format("fail"))
    assert set(result) == KEYS
    assert not result["success"]
    assert result["message"].startswith("test.failed: ")
    assert result["kernel_code"] is None and result["kernel_path"] is None
    session = Path(result["session_dir"])
    assert session.parent == Path(".fuse/sessions").resolve()
    assert (session / "problem.py").read_text() == PROBLEM.read_text()


def test_what_goes_wrong_is_a_message() -> None:
    agent = TritonKernelAgent()
    missing = agent.generate_kernel("none.py")
    assert (missing["success"], missing["message"]) == (False, "generate: none.py does not exist")
    several = agent.generate_kernel(PROBLEM, test_code=["a", "b"])
    assert not several["success"] and "one test script" in several["message"]
    flag = TritonKernelAgent(target_platform="tpu").generate_kernel(PROBLEM)
    assert not flag["success"] and "tpu" in flag["message"]
    sessions = {result["session_dir"] for result in (missing, several, flag)}
    assert len(sessions) == 3


def test_a_sentence_becomes_a_verified_kernel_without_a_model() -> None:
    with TritonKernelAgent(device="cpu") as agent:
        result = agent.generate_kernel(problem_description="Implement ReLU over a contiguous 1D tensor of length 1024")
    assert set(result) == KEYS
    assert result["success"], result["message"]
    assert "@triton.jit" in result["kernel_code"]
    program_file = Path(result["session_dir"]) / "run" / "problem.py"
    verdict = kernelagent.verify(program_file, result["kernel_path"], device="cpu")
    assert verdict["accepted"], verdict["reason"]
    assert "torch.relu(x)" in program_file.read_text()


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        ("Implement something that no rule knows: frobnicate the quux", "is not understood"),
        ("  ", "the problem is an empty text"),
    ],
)
def test_a_sentence_that_says_nothing_is_a_message(sentence: str, says: str) -> None:
    result = TritonKernelAgent(no_verify=True).generate_kernel(sentence)
    assert set(result) == KEYS
    assert not result["success"] and says in result["message"]


def test_commands_take_sentences_too() -> None:
    outcome = kernelagent.generate(None, "softmax over the last dimension of a 128 x 1000 tensor", no_verify=True)
    assert outcome.success and outcome.output is not None
    assert outcome.output["understood"] == "softmax over dim 1; float32 x (128, 1000); result (128, 1000)"


def test_cleanup_ends_what_runs_in_other_threads(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    agent = TritonKernelAgent()
    results: list[dict] = []
    threads = [threading.Thread(target=lambda: results.append(agent.generate_kernel("slow.py"))) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert program.wait_until(lambda: len(agent._jobs) == 2, 10)
    agent.cleanup()
    for thread in threads:
        thread.join(4)
    assert [result["message"] for result in results] == ["cancelled", "cancelled"]
    assert program.wait_until(lambda: not program.descendants(program.os.getpid()), 2)
