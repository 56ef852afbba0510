"""The commands and names of the earlier KernelAgent, as its documents have them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import EXAMPLES, PROBLEM

import kernelagent
from Fuser._entries import ENTRIES, parse, rows
from Fuser.auto_agent import AutoKernelRouter
from Fuser.pipeline import run_pipeline

# All documented flags of each command; a switch has a "?" behind it.
DOCUMENTED = {
    "auto_agent": "problem test-paths config ka-model ka-workers ka-rounds no-ka-high-reasoning? test-timeout-s router-model no-router-high-reasoning? router-temp "
    "router-max-tokens extract-model dispatch-model compose-model workers max-iters llm-timeout-s run-timeout-s compose-max-iters verify? dispatch-jobs "
    "no-fallback? ignore-router-config? no-router-cache? target-platform no-cusolver?",
    "pipeline": "problem extract-model dispatch-model dispatch-jobs compose-model workers max-iters llm-timeout-s run-timeout-s out-root verify? compose-max-iters "
    "target-platform test-timeout-s",
    "cli": "problem model workers max-iters llm-timeout-s run-timeout-s stream store-responses? isolated? deny-network? enable-reasoning-extras? target-platform",
    "subgraph_extractor": "problem model workers max-iters llm-timeout-s run-timeout-s target-platform",
    "dispatch_kernel_agent": "subgraphs out-dir agent-model jobs test-timeout-s target-platform no-cusolver?",
    "compose_end_to_end": "problem subgraphs kernels-summary out-dir model verify? max-iters target-platform",
}


def run_module(module: str, *words: str | Path) -> tuple[int, str, str]:
    done = subprocess.run([sys.executable, "-m", module, *map(str, words)], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("entry", DOCUMENTED)
def test_every_documented_flag_is_accepted_and_known_to_the_program(entry: str) -> None:
    wanted = {word.rstrip("?"): word.endswith("?") for word in DOCUMENTED[entry].split()}
    table = {row.name: row for row in rows(entry)}
    assert {name: row.switch for name, row in table.items()} == wanted
    words = [word for name, switch in wanted.items() for word in ([f"--{name}"] if switch else [f"--{name}", "1"])]
    flags, _ = parse(entry, words)
    assert set(flags.values()) == {"1", True} or set(flags.values()) == {"1"}
    listed = kernelagent.run(ENTRIES[entry].command, help=True).text
    for flag in flags:
        assert f"  --{flag.replace('_', '-')} " in listed


def test_auto_agent_as_documented() -> None:
    code, out, err = run_module("Fuser.auto_agent", "--problem", EXAMPLES / "softmax_rows.py", "--no-router-cache", "--verify")
    assert code == 0, err
    answer = json.loads(out)
    assert list(answer) == ["route", "success", "details", "kernel_code"]
    assert (answer["route"], answer["success"]) == ("kernelagent", True)
    assert not Path(".fuse/router_cache.json").exists()


def test_pipeline_as_documented() -> None:
    models = ("--extract-model", "gpt-5", "--dispatch-model", "o4-mini", "--dispatch-jobs", "auto", "--compose-model", "o4-mini", "--workers", "4", "--max-iters", "5")
    code, out, err = run_module("Fuser.pipeline", "--problem", EXAMPLES / "linear_gelu.py", *models, "--verify", "--out-root", "runs")
    assert code == 0, err
    answer = json.loads(out)
    assert list(answer) == ["run_dir", "subgraphs", "kernels_summary", "composition"]
    assert Path(answer["run_dir"]).parent == Path("runs").resolve()
    assert answer["composition"]["verified"]
    run = Path(answer["run_dir"])
    for name in ("orchestrator/code.py.tgz", "subgraphs.json", "kernels_out/summary.json", "compose_out/composed_kernel.py", "compose_out/summary.json"):
        assert (run / name).is_file(), name


def test_the_stages_one_by_one() -> None:
    problem = EXAMPLES / "linear_gelu.py"
    code, subgraphs, err = run_module("Fuser.subgraph_extractor", "--problem", problem, "--model", "gpt-5", "--workers", "2")
    assert code == 0, err
    assert Path(subgraphs.strip()).is_file()
    code, summary, err = run_module("Fuser.dispatch_kernel_agent", "--subgraphs", subgraphs.strip(), "--agent-model", "o4-mini", "--jobs", "auto")
    assert code == 0, err
    assert Path(summary.strip()) == Path("kernels_out/summary.json").resolve()
    code, out, err = run_module("Fuser.compose_end_to_end", "--problem", problem, "--subgraphs", subgraphs.strip(), "--kernels-summary", summary.strip())
    assert code == 0, err
    composed = json.loads(out)
    assert composed["success"] and Path(composed["composed_path"]).is_file() and composed["verify_passed"] is None


@pytest.mark.parametrize(
    ("module", "words", "code"),
    [
        ("Fuser.auto_agent", ("--problem", "none.py"), 2),
        ("Fuser.auto_agent", (), 2),
        ("Fuser.pipeline", ("--problem", "none.py", "--verify"), 2),
        ("Fuser.cli", ("run", "--problem", "none.py", "--stream", "none", "--deny-network"), 2),
        ("Fuser.cli", (), 2),
        ("Fuser.dispatch_kernel_agent", ("--subgraphs", "none.json"), 2),
    ],
)
def test_exit_codes_of_bad_usage(module: str, words: tuple[str, ...], code: int) -> None:
    assert run_module(module, *words)[0] == code


def test_all_arguments_of_the_router_are_flags_of_the_program() -> None:
    router = AutoKernelRouter(
        ka_model="m", ka_num_workers=4, ka_max_rounds=10, ka_high_reasoning=False, router_model="gpt-5", router_high_reasoning=False, router_temperature=0.2, router_max_tokens=700,
        extract_model="gpt-5", dispatch_model="o4-mini", compose_model="o4-mini", workers=4, max_iters=5, llm_timeout_s=1200, run_timeout_s=1200, compose_max_iters=5, verify=True,
        dispatch_jobs=2, allow_fallback=False, target_platform="cuda", ignore_router_config=True, use_router_cache=False, no_cusolver=True, test_timeout_s=30, test_code=None,
        config="c.yml",
    )
    listed = kernelagent.run("auto", help=True).text
    assert len(router._flags) == 24
    for flag, value in router._flags.items():
        assert f"  --{flag.replace('_', '-')} " in listed and value not in (None, False)


def test_router_and_pipeline_as_functions() -> None:
    router = AutoKernelRouter(ka_model=None, ka_num_workers=2, ka_high_reasoning=False, allow_fallback=True, use_router_cache=False, verify=True, no_verify=True, dispatch_jobs=2)
    result = router.solve(PROBLEM)
    assert (result.route, result.success) == ("kernelagent", True)
    assert result.kernel_code and "kernel_function" in result.kernel_code
    assert not Path(".fuse/router_cache.json").exists()
    with pytest.raises(kernelagent.KernelAgentError, match="does not exist"):
        run_pipeline("none.py", extract_model="gpt-5", dispatch_jobs="auto", out_root="runs")
