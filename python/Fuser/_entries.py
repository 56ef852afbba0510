"""One table: every flag of the earlier commands, and what becomes of it in ours."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kernelagent import KernelAgentError, Outcome
from kernelagent.commands import run_json

# A flag is "NAME" (takes a value), "NAME!" (must be given), or "NAME?" (a switch). Behind -> stands our flag, where it has another name; "-> -" is accepted and has
# nothing to do: our program does it in any case, or has no such step.
_MODEL = "target-platform llm-timeout-s run-timeout-s workers max-iters"
_ROUTER = (
    "ka-model ka-workers ka-rounds no-ka-high-reasoning? router-model no-router-high-reasoning? router-temp router-max-tokens "
    "no-fallback? ignore-router-config? no-router-cache?"
)
_STAGES = "extract-model dispatch-model compose-model compose-max-iters dispatch-jobs verify? test-timeout-s"


@dataclass(frozen=True)
class Entry:
    command: str  # of our program
    flags: str
    summary: str


ENTRIES = {
    "auto_agent": Entry("auto", f"problem! test-paths config no-cusolver? {_ROUTER} {_STAGES} {_MODEL}", "chooses a route for a problem and follows it"),
    "pipeline": Entry("pipeline", f"problem! out-root->- {_STAGES} {_MODEL}", "extracts, dispatches and composes"),
    "subgraph_extractor": Entry("extract", f"problem! model {_MODEL}", "cuts a problem into subgraphs"),
    "dispatch_kernel_agent": Entry("dispatch", "subgraphs! out-dir agent-model jobs test-timeout-s target-platform no-cusolver?", "writes a kernel for each subgraph"),
    "compose_end_to_end": Entry("compose", "problem! subgraphs! kernels-summary! out-dir model verify? max-iters target-platform", "joins kernels into one program"),
    "cli": Entry(
        "extract",
        f"problem! model stream->- store-responses?->- isolated?->- deny-network?->- enable-reasoning-extras?->- {_MODEL}",
        "rewrites a problem as modules that can be fused",
    ),
}


@dataclass(frozen=True)
class FlagRow:
    name: str  # without its dashes
    ours: str | None  # None: accepted, nothing to do
    switch: bool
    required: bool


def rows(entry: str) -> list[FlagRow]:
    """The flags of an entry of the table."""
    out = []
    for word in ENTRIES[entry].flags.split():
        theirs, _, ours = word.partition("->")
        name = theirs.rstrip("?!")
        out.append(FlagRow(name, None if ours == "-" else ours or name, theirs.endswith("?"), theirs.endswith("!")))
    return out


def parse(entry: str, arguments: Sequence[str] | None) -> tuple[dict[str, str | bool | None], argparse.Namespace]:
    """Flags for our program, and all that was given. Bad usage ends the process with 2, as argparse has it."""
    parser = argparse.ArgumentParser(prog=f"python -m Fuser.{entry}", description=ENTRIES[entry].summary + f" (kernelagent {ENTRIES[entry].command})")
    for row in rows(entry):
        if row.switch:
            parser.add_argument("--" + row.name, action="store_true")
        else:
            parser.add_argument("--" + row.name, required=row.required)
    given = parser.parse_args(arguments)
    values = vars(given)
    return {row.ours.replace("-", "_"): values[row.name.replace("-", "_")] for row in rows(entry) if row.ours is not None}, given


def perform(entry: str, flags: Mapping[str, str | bool | None]) -> Outcome:
    """Runs our command. What it complains about goes to stderr."""
    try:
        outcome = run_json(ENTRIES[entry].command, flags)
    except KernelAgentError as error:
        print(f"{entry}: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print(f"{entry}: interrupted", file=sys.stderr)
        return Outcome(ENTRIES[entry].command, 130, "interrupted", None, "", 0.0, cancelled=True)
    if outcome.message:
        print(f"{entry}: {outcome.message}", file=sys.stderr)
    return outcome
