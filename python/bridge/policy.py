"""The source policy: reads a kernel file without running it and says what in it is not allowed.

A kernel file may compute with Triton only. Everything it refers to, after all aliases are resolved, has to be in policy_lists.py or
defined in the file; what cannot be resolved is refused. Referring is the offence, not calling: a function that may not be named
cannot be passed along either. The policy is the first of three locks (the dispatcher guard and the sandbox are the others).

    text -> tree -> unused (what nothing uses goes) -> policy_captured (the class Captured goes) -> policy_scan (bindings) -> policy_names (resolution) -> policy_walk, policy_defs, policy_rules (judgement)
"""

from __future__ import annotations

import ast
import os
import re
import sys
import warnings
from typing import Any

from ka_bridge import policy_captured, unused
from ka_bridge.conn import Conn, error_answer, one_line, read_all
from ka_bridge.policy_defs import Judge
from ka_bridge.policy_names import Names, interpreter_names
from ka_bridge.policy_known import libdevice_names, module_names, risky_names, tensor_names
from ka_bridge.policy_scan import Scan
from ka_bridge.policy_scope import ClassInfo, FuncInfo

MAX_SOURCE_BYTES = 4096 * 1024  # whole networks; reading one takes some three seconds per MiB
RECURSION_LIMIT = 3000
MAX_VIOLATIONS = 60
# Python's tokenizer, str.splitlines and text files disagree about which of these end a line; Triton reads kernels by line number.
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029]|\r(?!\n)")
CODING = re.compile(r"[ \t]*#.*?coding[:=][ \t]*([-\w.]+)")
UTF8 = frozenset({"utf-8", "utf8", "utf_8", "u8"})
BOM = "\ufeff"


class Unreadable(Exception):
    """The text is no Python that we would run: (sentence, line)."""

    def __init__(self, sentence: str, line: int = 1):
        super().__init__(sentence)
        self.line = line


def check_source(source: str, filename: str, allow_random: bool, entry: str | None = None) -> dict[str, Any]:
    """{"ok", "violations", "facts"} of the protocol. Never executes the source, never raises because of it."""
    limit = sys.getrecursionlimit()
    try:
        tree, lines = parse(source, entry)
        sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
        return judge(tree, lines, allow_random, entry)
    except Unreadable as problem:
        return unreadable(str(problem), problem.line)
    except (RecursionError, MemoryError):
        return unreadable("the source is nested too deeply")
    finally:
        sys.setrecursionlimit(limit)


def parse(source: str, entry: str | None = None) -> tuple[ast.Module, list[str]]:
    """The tree and the lines of the text that would be run: without what nothing uses."""
    source = source.removeprefix(BOM)
    try:
        size = len(source.encode())
    except UnicodeEncodeError as problem:
        raise Unreadable("the source holds a lone surrogate, which no text file can hold",
                         source.count("\n", 0, problem.start) + 1) from None
    if size > MAX_SOURCE_BYTES:
        raise Unreadable(f"the source has {size} bytes, more than {MAX_SOURCE_BYTES}")
    odd = CONTROL.search(source)
    if odd:
        raise Unreadable(f"control character U+{ord(odd[0]):04X} in the source", source.count("\n", 0, odd.start()) + 1)
    for number, line in enumerate(source.split("\n", 2)[:2], 1):
        coding = CODING.match(line)
        if coding and coding[1].lower() not in UTF8:
            raise Unreadable(f"encoding {coding[1]}; the source has to be UTF-8", number)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source, "kernel.py")
            text = unused.trimmed(source, tree, (entry,))
            if text != source:
                tree = ast.parse(text, "kernel.py")
    except SyntaxError as problem:
        raise Unreadable(one_line(f"{problem.msg}", 200), problem.lineno or 1) from None
    except (RecursionError, MemoryError):
        raise Unreadable("the source is nested too deeply") from None
    except (ValueError, OverflowError, SystemError) as problem:
        raise Unreadable(one_line(f"not readable as Python: {problem}", 200)) from None
    return tree, text.split("\n")


def unreadable(sentence: str, line: int = 1) -> dict[str, Any]:
    facts = {"kernels": [], "device_functions": [], "entry": [], "atomics": False, "captures": False, "autotune": [], "signature": None}
    return {"ok": True, "violations": [{"rule": "policy.syntax", "line": line, "what": sentence}], "facts": facts}


def judge(tree: ast.Module, lines: list[str], allow_random: bool, entry: str | None) -> dict[str, Any]:
    captures, refused = policy_captured.read(tree)
    scan = Scan(tree)
    names = Names(scan)
    reader = Judge(names, lines, allow_random and not captures)  # a graph would hold the numbers that were drawn
    reader.read(tree)
    reader.found.update(dict.fromkeys(refused))
    jit = [info for info in scan.functions.values() if info.jit]
    device = [info for info in jit if info in reader.in_kernels and info not in reader.on_host]
    kernels = [info for info in jit if info not in device]
    if not jit:
        reader.refuse("policy.no_kernel", tree, "no function decorated with @triton.jit")
    entries = [name for name in dict.fromkeys([*([entry] if entry else []), *unused.ENTRIES]) if name in scan.module.names]
    violations = [{"rule": rule, "line": line, "what": what} for rule, line, what in reader.found]
    violations.sort(key=lambda v: (v["line"], v["rule"], v["what"]))
    return {
        "ok": True,
        "violations": violations[:MAX_VIOLATIONS],
        "facts": {
            "kernels": unique(info.name for info in kernels),
            "device_functions": unique(info.name for info in device),
            "entry": entries,
            "atomics": reader.atomics,
            "captures": captures,
            "autotune": unique(info.name for info in jit if info.tuned),
            "signature": signature(names, entries[0]) if entries else None,
        },
    }


def unique(names: Any) -> list[str]:
    return list(dict.fromkeys(names))


def signature(names: Names, entry: str) -> dict[str, Any] | None:
    """How the entry can be called: a function's own arguments, or those of `forward` without self."""
    own = [ref for ref in names.lookup(entry, names.scan.module) if ref[0] in ("func", "class")]
    if not own:
        return None
    kind, what = max(own, key=lambda ref: ref[1].node.lineno)  # of several definitions the last one holds
    return arguments(what, 0) if kind == "func" else forward_arguments(names, what)


def forward_arguments(names: Names, cls: ClassInfo) -> dict[str, Any] | None:
    for item in names.family(cls):
        if "forward" in item.methods:
            return arguments(item.methods["forward"], 0 if item.methods["forward"].static else 1)
    return None


def arguments(info: FuncInfo, skip: int) -> dict[str, Any]:
    args = info.node.args
    positional = [arg.arg for arg in [*args.posonlyargs, *args.args]]
    optional = positional[len(positional) - len(args.defaults):] if args.defaults else []
    optional += [arg.arg for arg, default in zip(args.kwonlyargs, args.kw_defaults) if default is not None]
    return {
        "positional": positional[skip:],
        "positional_only": [arg.arg for arg in args.posonlyargs][skip:],
        "keywords": [arg.arg for arg in args.kwonlyargs],
        "optional": optional,
        "varargs": args.vararg is not None,
        "varkw": args.kwarg is not None,
    }


def warm() -> None:
    """Looks up what the installed PyTorch and Triton define; once, when the warm interpreter imports this, not in every
    process that is forked from it."""
    for table in (tensor_names, risky_names, module_names, libdevice_names, interpreter_names):
        table()


def answer(request: dict[str, Any], fds: list[int]) -> dict[str, Any]:
    if request.get("cmd") != "check" or len(fds) != 1:
        return error_answer("protocol", None, message='the policy answers {"cmd": "check"} with one file descriptor')
    data = read_all(fds[0], MAX_SOURCE_BYTES + 1)
    if len(data) > MAX_SOURCE_BYTES:
        return unreadable(f"the source has more than {MAX_SOURCE_BYTES} bytes")
    try:
        source = data.decode("utf-8")
    except UnicodeDecodeError as problem:
        return unreadable("the source is not UTF-8", data.count(b"\n", 0, problem.start) + 1)
    return check_source(source, str(request.get("filename", "kernel.py")), bool(request.get("allow_random")), request.get("entry"))


def main(conn: Conn) -> None:
    while (packet := conn.recv()) is not None:
        request, fds = packet
        try:
            reply = answer(request, fds)
        except Exception as problem:  # a defect of the policy must not look like an accepted file
            reply = error_answer("internal", problem)
        finally:
            for fd in fds:
                os.close(fd)
        conn.send(reply)


warm()
