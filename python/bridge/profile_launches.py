"""The child that finds out what a kernel file launches at the given sizes: its host code runs, its kernels do not, and no GPU is needed.

One request, one answer. The program's arguments have shapes and no data (cost.py), the kernel file is imported as for the judge and called as
in dry.py. Nothing is judged here: what comes out describes this file, and a file that lies about its launches lies about itself alone.
"""

from __future__ import annotations

import ast
import os
from typing import Any

import torch

from ka_bridge import candidate, cost, dry, entry as entries, module_loader, weights
from ka_bridge.conn import Conn, error_answer, read_all
from ka_bridge.loading import plain
from ka_bridge.problem import ProblemError, derived_seed
from ka_bridge.reference import SOURCE_LIMIT
from ka_bridge.sizes import SizedSource
from ka_bridge.tensors import describe

ENTRIES = ("kernel_function", "ModelNew")


def entry_of(text: bytes, asked: str) -> str:
    """The entry that is asked for, else the first usual one that the file defines."""
    if asked:
        return asked
    try:
        defined = {node.name for node in ast.parse(text).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        defined = set()
    return next((name for name in ENTRIES if name in defined), ENTRIES[0])


def arguments_at_given_sizes(request: dict[str, Any], text: str) -> dict[str, Any]:
    """What the entry is called with. Constructors that read the values of tensors need more than shapes: the second way has them."""
    source = SizedSource(text, request["filename"])
    asked = cost.Request(request.get("name"), request["mode"], "cpu")
    for way in cost.WAYS[:2]:
        try:
            with cost.dataless(way) as device:
                program = asked.execute(source, source.given(), 0, device)
                model = program.build(derived_seed(0, cost.WEIGHTS_SEED))
                inputs = program.inputs(derived_seed(0, cost.INPUTS_SEED))
                found = weights.collect(model)
                return {
                    "inputs": [describe(v) if isinstance(v, torch.Tensor) else {"scalar": v} for v in inputs],
                    "weights": {w.argument: describe(w.tensor) for w in found},
                    "names": [{"name": w.name, "argument": w.argument} for w in found],
                    "init_args": plain(program.init_args()),
                    "input_names": program.input_names(model, len(inputs)),
                }
        except ProblemError:
            if way == cost.WAYS[1]:
                raise
    raise AssertionError("unreachable")


def launches(request: dict[str, Any], fds: list[int]) -> dict[str, Any]:
    given = arguments_at_given_sizes(request, read_all(fds[0], SOURCE_LIMIT).decode("utf-8-sig"))
    entry = entry_of(read_all(fds[1], SOURCE_LIMIT), request["entry"])
    about = {"device": "cpu", "interpret": True, "filename": request["kernel_filename"], "entry": entry, "mode": request["mode"],
             "inputs": len(given["inputs"]), "input_names": given["input_names"], "weights": given["names"],
             "init_args": given["init_args"] or [], "random": True}
    subject, answer = candidate.do_import(about, [os.dup(fds[1])])
    if subject is None:
        return answer
    try:
        found = dry.run(subject, {"inputs": given["inputs"], "weights": given["weights"], "init_args": given["init_args"]}, [])
    except BaseException as exc:
        return module_loader.failure("raised", exc, subject.path)
    if found["ok"]:
        if request.get("sequence"):
            found["sequence"] = subject.recorder.sequence if subject.recorder.count == len(subject.recorder.sequence) else None  # too long to be kept
        found |= {"launched": subject.recorder.count, "foreign": sorted(set(subject.recorder.foreign))[:16], "entry": entry}
    return found


def answer_to(request: dict[str, Any], fds: list[int]) -> dict[str, Any]:
    try:
        return launches(request, fds)
    except ProblemError as exc:
        return error_answer(exc.kind, exc.cause, request["filename"], exc.message)
    except entries.Unfit as exc:
        return error_answer(exc.kind, None, message=str(exc))
    except BaseException as exc:
        return error_answer("harness", exc)


def main(conn: Conn) -> None:
    packet = conn.recv()
    if packet is not None:
        conn.send(answer_to(*packet))
        conn.recv()
    module_loader.remove_scratch()
