"""What the fake server writes: one function per wire form, from a rule and its answers to the events of a stream and to one whole document."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

FINISH = {"chat": {"stop": "stop", "length": "length", "refusal": "content_filter"},
          "anthropic": {"stop": "end_turn", "length": "max_tokens", "refusal": "refusal"}}


@dataclass
class Reply:
    """Frames of the stream: before the text, with text, after it; the frame of an error; the same as one document."""

    document: Any
    before: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    error: str = ""
    streams: bool = True


def prompt_of(body: dict[str, Any]) -> str:
    """All text of the question, whatever the wire form."""
    parts = [body.get("system", ""), body.get("instructions", "")]
    for message in body.get("messages") or body.get("input") or []:
        content = message.get("content", "")
        parts += [content] if isinstance(content, str) else [part.get("text", "") for part in content]
    return "\n".join(str(part) for part in parts if part)


def pieces(text: str, rule: dict[str, Any]) -> list[str]:
    size = rule.get("chunk", 20)
    return [text[at:at + size] for at in range(0, len(text), size)]


def usage_of(rule: dict[str, Any], answers: list[str]) -> dict[str, int]:
    return {"input": 10, "cached": 0, "output": sum(len(text) for text in answers) // 4 + 1, "reasoning": 0, **rule.get("usage", {})}


def event(data: Any, name: str = "") -> str:
    return (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n"


def chat(rule: dict[str, Any], model: str, answers: list[str], number: int) -> Reply:
    used = usage_of(rule, answers)
    usage = {"prompt_tokens": used["input"], "completion_tokens": used["output"], "total_tokens": used["input"] + used["output"],
             "prompt_tokens_details": {"cached_tokens": used["cached"]}, "completion_tokens_details": {"reasoning_tokens": used["reasoning"]}}
    head = {"id": f"chatcmpl-fake-{number}", "object": "chat.completion.chunk", "created": 1700000000, "model": model}
    finish = FINISH["chat"][rule.get("finish", "stop")]

    def chunk(index: int, delta: dict[str, str], reason: str | None = None) -> str:
        return event({**head, "choices": [{"index": index, "delta": delta, "logprobs": None, "finish_reason": reason}]})

    reply = Reply({**head, "object": "chat.completion", "usage": usage, "choices": [
        {"index": i, "message": {"role": "assistant", "content": text}, "finish_reason": finish} for i, text in enumerate(answers)]})
    reply.before = [chunk(i, {"role": "assistant", "content": ""}) for i in range(len(answers))]
    reply.before += [chunk(0, {"reasoning_content": piece}) for piece in pieces(rule.get("thinking", ""), rule)]
    reply.text = [chunk(i, {"content": piece}) for i, text in enumerate(answers) for piece in pieces(text, rule)]
    reply.after = [chunk(i, {}, finish) for i in range(len(answers))]
    reply.after += [event({**head, "choices": [], "usage": usage}), "data: [DONE]\n\n"]
    reply.error = event({"error": {"message": "the engine is overloaded", "type": "server_error", "code": None}})
    return reply


def responses(rule: dict[str, Any], model: str, answers: list[str], number: int) -> Reply:
    text, used = answers[0], usage_of(rule, answers[:1])
    status = "incomplete" if rule.get("finish") == "length" else "completed"
    usage = {"input_tokens": used["input"], "input_tokens_details": {"cached_tokens": used["cached"]}, "output_tokens": used["output"],
             "output_tokens_details": {"reasoning_tokens": used["reasoning"]}, "total_tokens": used["input"] + used["output"]}
    begun = {"id": f"resp_fake_{number}", "object": "response", "status": "in_progress", "model": model, "output": [], "usage": None, "error": None}
    refused = rule.get("finish") == "refusal"
    part = {"type": "refusal", "refusal": text} if refused else {"type": "output_text", "text": text, "annotations": []}
    done = {**begun, "status": status, "usage": usage, "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
            "output": [{"id": "rs_1", "type": "reasoning", "summary": []}, {"id": "msg_1", "type": "message", "role": "assistant", "status": status, "content": [part]}]}
    kind = "response.refusal.delta" if refused else "response.output_text.delta"

    def frame(kind: str, **fields: Any) -> str:
        return event({"type": kind, **fields}, kind)

    reply = Reply(done)
    reply.before = [frame("response.created", response=begun), frame("response.in_progress", response=begun)]
    reply.before += [frame("response.reasoning_summary_text.delta", item_id="rs_1", delta=piece) for piece in pieces(rule.get("thinking", ""), rule)]
    reply.before += [frame("response.output_item.added", output_index=1, item={"id": "msg_1", "type": "message", "content": []}),
                     frame("response.content_part.added", item_id="msg_1", part={"type": part["type"]})]
    reply.text = [frame(kind, item_id="msg_1", output_index=1, content_index=0, delta=piece) for piece in pieces(text, rule)]
    reply.after = [frame("response.output_text.done", item_id="msg_1", text=text), frame(f"response.{status}", response=done)]
    reply.error = frame("error", code="server_error", message="the engine is overloaded", param=None)
    return reply


def anthropic(rule: dict[str, Any], model: str, answers: list[str], number: int) -> Reply:
    text, used = answers[0], usage_of(rule, answers[:1])
    finish = FINISH["anthropic"][rule.get("finish", "stop")]
    usage = {"input_tokens": used["input"] - used["cached"], "cache_read_input_tokens": used["cached"], "cache_creation_input_tokens": 0}
    head = {"id": f"msg_fake_{number}", "type": "message", "role": "assistant", "model": model, "stop_reason": None, "stop_sequence": None}
    thinking = rule.get("thinking", "")

    def frame(kind: str, **fields: Any) -> str:
        return event({"type": kind, **fields}, kind)

    blocks = [{"type": "thinking", "thinking": thinking, "signature": "c2ln"}] if thinking else []
    reply = Reply({**head, "stop_reason": finish, "content": [*blocks, {"type": "text", "text": text}], "usage": {**usage, "output_tokens": used["output"]}})
    reply.before = [frame("message_start", message={**head, "content": [], "usage": {**usage, "output_tokens": 1}}), frame("ping")]
    if thinking:
        reply.before.append(frame("content_block_start", index=0, content_block={"type": "thinking", "thinking": "", "signature": ""}))
        reply.before += [frame("content_block_delta", index=0, delta={"type": "thinking_delta", "thinking": piece}) for piece in pieces(thinking, rule)]
        reply.before += [frame("content_block_delta", index=0, delta={"type": "signature_delta", "signature": "c2ln"}), frame("content_block_stop", index=0)]
    at = len(blocks)
    reply.before.append(frame("content_block_start", index=at, content_block={"type": "text", "text": ""}))
    reply.text = [frame("content_block_delta", index=at, delta={"type": "text_delta", "text": piece}) for piece in pieces(text, rule)]
    reply.after = [frame("content_block_stop", index=at), frame("message_delta", delta={"stop_reason": finish, "stop_sequence": None}, usage={"output_tokens": used["output"]}),
                   frame("message_stop")]
    reply.error = frame("error", error={"type": "overloaded_error", "message": "Overloaded"})
    return reply


def relay(rule: dict[str, Any], model: str, answers: list[str], number: int) -> Reply:
    return Reply([{"output": text, "plugboard_request_id": f"relay-fake-{number}"} for text in answers], streams=False)


WIRES = {"/chat/completions": chat, "/responses": responses, "/messages": anthropic, "/": relay}


def reply_for(path: str, rule: dict[str, Any], model: str, answers: list[str], number: int) -> Reply:
    for end, write in WIRES.items():
        if path.endswith(end):
            return write(rule, model, answers, number)
    return relay(rule, model, answers, number)
