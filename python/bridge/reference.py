"""The child that executes the problem: `load` describes it, `draw` makes inputs, weights and expected outputs.

The problem file is foreign code; this process is sandboxed before main() is called.
"""

from __future__ import annotations

import json
import os
from typing import Any

from ka_bridge import draws, forks, given_sizes, loading
from ka_bridge.conn import Conn, error_answer, read_all, write_all
from ka_bridge.modes import Stop
from ka_bridge.problem import ProblemError
from ka_bridge.tensors import lacks_memory

SOURCE_LIMIT = 8 * 1024 * 1024
CAUSE_LIMIT = 160  # characters of what is said about missing memory


def main(conn: Conn) -> None:
    """Answers requests until the other end closes."""
    state: loading.Loaded | None = None
    filename = "problem.py"
    while (packet := conn.recv()) is not None:
        request, fds = packet
        try:
            if request.get("cmd") == "load":
                filename = str(request.get("filename") or filename)
                forks.watch(filename)
                text = read_all(fds[0], SOURCE_LIMIT).decode("utf-8-sig")
                state, answer = loading.load(request, text, filename)
            elif request.get("cmd") == "draw":
                if state is None:
                    raise ProblemError("unsupported", "draw came before a successful load")
                answer = draws.draw(state, request, fds[0])
            elif request.get("cmd") == "export" and state is not None:
                from ka_bridge import export  # only in children that were forked for it (exporter.py)
                write_all(fds[0], json.dumps(export.export(state, frozenset(request.get("operators") or ()))).encode(), 0)
                answer = {"ok": True}
            elif request.get("cmd") == "given_draw" and state is not None:
                answer = given_sizes.draw(state, request, fds[0])
            elif request.get("cmd") == "given_answers" and state is not None:
                answer = given_sizes.answers(state, request, *fds)
            elif request.get("cmd") == "source" and state is not None:
                from ka_bridge import source_answer
                answer = source_answer.about(state.source.text, state.request.name or "Model")
            elif request.get("cmd") == "parse":
                from ka_bridge import source_answer
                answer = source_answer.parse(read_all(fds[0], SOURCE_LIMIT).decode())
            elif request.get("cmd") == "refactored" and state is not None:
                from ka_bridge import refactored
                answer = refactored.compare(state, read_all(fds[0], SOURCE_LIMIT).decode(), request)
            else:
                raise ProblemError("unsupported", f"unknown command {request.get('cmd')!r}")
        except UnicodeDecodeError as exc:
            answer = error_answer("syntax", exc, filename, "the file is not UTF-8 text")
        except ProblemError as exc:
            extra = {"need": exc.need, "line": exc.line}
            answer = error_answer(exc.kind, exc.cause, filename, exc.message, **{k: v for k, v in extra.items() if v})
        except (Stop, BaseException) as exc:
            answer = unforeseen(exc, filename)
        finally:
            for fd in fds:
                os.close(fd)
        conn.send(answer)


def unforeseen(exc: BaseException, filename: str) -> dict[str, Any]:
    """Memory that is not there, an object of the file that raises when it is looked at, or a defect of ours."""
    if lacks_memory(exc):
        lacking = str(exc).partition("\n")[0][:CAUSE_LIMIT]
        return error_answer("memory", exc, filename, f"the program needs more memory than it is given (--memory): {lacking or type(exc).__name__}")
    answer = error_answer("internal", exc, filename)
    if answer["error"]["line"] is not None:
        answer["error"]["kind"] = "unsupported"
        answer["error"]["message"] = f"an object of the file raises {type(exc).__name__} when it is looked at"
    return answer
