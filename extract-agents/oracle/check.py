"""Holds requests and replies of extractable-agents against the official SDKs.

usage: check.py <folder with requests.jsonl and replies.jsonl>

Each request has to be valid for the SDK's own types of a request, without a member that they do not
know. Each reply is given to the SDK as if a server had sent it, and the SDK has to read the same text,
usage, end and calls out of it.
"""

import collections
import importlib.metadata
import json
import pathlib
import sys
import warnings

import anthropic
import botocore.loaders
import botocore.model
import botocore.parsers
import botocore.validate
import httpx2
import ollama
import openai
import pydantic
from anthropic.types import message_create_params as messages
from google.genai import types as google
from openai.types.chat import completion_create_params as chat
from openai.types.responses import response_create_params as responses

# Members that a server documents and the SDK does not know, with the place where that is documented.
DOCUMENTED = {
    # https://github.com/ollama/ollama/blob/main/docs/api.md: an error instead of a prompt that is cut.
    ("/api/chat", "truncate"),
    # https://github.com/ollama/ollama/blob/main/api/types.go: no prompt that is shifted out.
    ("/api/chat", "shift"),
    # The SDK of 2026 left them out, because newer models refuse them; older ones take them.
    ("Messages", "temperature"),
    ("Messages", "top_p"),
}


# What these hold is free: schemas, and what calls are given and answer.
FREE = {"schema", "parameters", "input_schema", "arguments", "args", "responseJsonSchema", "parametersJsonSchema"}


def validated(model, value):
    """`value` as `model` reads it, as plain JSON."""
    adapter = pydantic.TypeAdapter(model)
    config = {"by_alias": True, "exclude_unset": True, "mode": "json"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return adapter.dump_python(adapter.validate_python(value), **config)


def unknown(sent, read, place=""):
    """The places of members that were sent and not read."""
    if isinstance(sent, dict) and isinstance(read, dict):
        for name, value in sent.items():
            if name not in read:
                yield f"{place}/{name}"
            else:
                yield from unknown(value, read[name], f"{place}/{name}")
    elif isinstance(sent, list) and isinstance(read, list):
        for index, (one, other) in enumerate(zip(sent, read)):
            yield from unknown(one, other, f"{place}/{index}")


def check_google(body):
    """The body has no type of its own: its parts have."""
    left = dict(body)
    parts = {
        "contents": list[google.Content],
        "systemInstruction": google.Content,
        "generationConfig": google.GenerationConfig,
        "tools": list[google.Tool],
    }
    found = {}
    for name, model in parts.items():
        if name in left:
            value = left.pop(name)
            found[name] = validated(model, value)
    assert not left, f"no place for {sorted(left)}"
    return found


def check_ollama(body):
    return validated(ollama._types.ChatRequest, {"stream": False, **body})


CONVERSE = botocore.model.ServiceModel(
    botocore.loaders.Loader().load_service_model("bedrock-runtime", "service-2")
).operation_model("Converse")


def check_converse(body):
    """The model is in the path. A member that the SDK does not know is an error of its own."""
    report = botocore.validate.ParamValidator().validate({"modelId": "m", **body}, CONVERSE.input_shape)
    assert not report.has_errors(), report.generate_report()
    return body


REQUESTS = {
    "Chat Completions": lambda body: validated(chat.CompletionCreateParamsStreaming if body.get("stream") else chat.CompletionCreateParamsNonStreaming, body),
    "Responses": lambda body: validated(responses.ResponseCreateParamsStreaming if body.get("stream") else responses.ResponseCreateParamsNonStreaming, body),
    "Messages": lambda body: validated(messages.MessageCreateParamsStreaming if body.get("stream") else messages.MessageCreateParamsNonStreaming, body),
    "generateContent": check_google,
    "/api/chat": check_ollama,
    "Converse": check_converse,
}


def check_request(case):
    body, wire = case["body"], case["format"]
    known = {name: value for name, value in body.items() if (wire, name) not in DOCUMENTED}
    read = REQUESTS[wire](known)
    lost = [place for place in unknown(known, read) if not FREE & set(place.split("/"))]
    assert not lost, f"the SDK knows no {lost}"


def transport(case):
    """An HTTP client that gets the case's reply, whatever it asks."""

    def answer(_):
        return httpx2.Response(200, headers={"content-type": case["kind"]}, content=case["body"].encode())

    return httpx2.Client(transport=httpx2.MockTransport(answer))


def read_chat(case):
    client = openai.OpenAI(api_key="-", http_client=transport(case))
    ask = {"model": "m", "messages": [{"role": "user", "content": "?"}]}
    if not case["streamed"]:
        reply = client.chat.completions.create(**ask)
        message = reply.choices[0].message
        calls = [[call.function.name, json.loads(call.function.arguments)] for call in message.tool_calls or []]
        return message.content or "", usage(reply.usage, "prompt_tokens", "completion_tokens"), reply.choices[0].finish_reason, calls
    text, counts, stop = "", None, None
    for chunk in client.chat.completions.create(**ask, stream=True):
        counts = usage(chunk.usage, "prompt_tokens", "completion_tokens") or counts
        for choice in chunk.choices:
            text += choice.delta.content or ""
            stop = choice.finish_reason or stop
    return text, counts, stop, []


def read_responses(case):
    client = openai.OpenAI(api_key="-", http_client=transport(case))
    if case["streamed"]:
        events = list(client.responses.create(model="m", input="?", stream=True))
        streamed = "".join(event.delta for event in events if event.type == "response.output_text.delta")
        reply = events[-1].response
        assert streamed == reply.output_text, "the deltas are another text"
    else:
        reply = client.responses.create(model="m", input="?")
    stop = reply.incomplete_details.reason if reply.incomplete_details else reply.status
    calls = [[item.name, json.loads(item.arguments)] for item in reply.output if item.type == "function_call"]
    return reply.output_text, usage(reply.usage, "input_tokens", "output_tokens"), stop, calls


def read_messages(case):
    client = anthropic.Anthropic(api_key="-", http_client=transport(case))
    ask = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "?"}]}
    if case["streamed"]:
        with client.messages.stream(**ask) as stream:
            reply = stream.get_final_message()
    else:
        reply = client.messages.create(**ask)
    text = "".join(block.text for block in reply.content if block.type == "text")
    calls = [[block.name, block.input] for block in reply.content if block.type == "tool_use"]
    return text, usage(reply.usage, "input_tokens", "output_tokens"), reply.stop_reason, calls


def read_google(case):
    if case["streamed"]:
        chunks = [line[len("data: "):] for line in case["body"].splitlines() if line.startswith("data: ")]
    else:
        chunks = [case["body"]]
    text, counts, stop, calls = "", None, None, []
    for chunk in chunks:
        reply = google.GenerateContentResponse.model_validate_json(chunk)
        counts = usage(reply.usage_metadata, "prompt_token_count", "candidates_token_count") or counts
        for candidate in reply.candidates:
            stop = candidate.finish_reason.name if candidate.finish_reason else stop
            for part in candidate.content.parts:
                text += "" if part.thought else part.text or ""
                calls += [[part.function_call.name, part.function_call.args]] if part.function_call else []
    return text, counts, stop, calls


def read_ollama(case):
    text, counts, stop, calls = "", None, None, []
    for line in case["body"].splitlines() if case["streamed"] else [case["body"]]:
        reply = ollama.ChatResponse.model_validate_json(line)
        text += reply.message.content or ""
        counts = usage(reply, "prompt_eval_count", "eval_count") or counts
        stop = reply.done_reason or stop
        calls += [[call.function.name, dict(call.function.arguments)] for call in reply.message.tool_calls or []]
    return text, counts, stop, calls


def read_converse(case):
    response = {"headers": {}, "status_code": 200, "body": case["body"].encode()}
    reply = botocore.parsers.create_parser("rest-json").parse(response, CONVERSE.output_shape)
    blocks = reply["output"]["message"]["content"]
    text = "".join(block.get("text", "") for block in blocks)
    calls = [[block["toolUse"]["name"], block["toolUse"]["input"]] for block in blocks if "toolUse" in block]
    counts = reply.get("usage")
    return text, counts and [counts["inputTokens"], counts["outputTokens"]], reply["stopReason"], calls


def usage(of, sent, received):
    """The two counts, if there are any."""
    if of is None or getattr(of, sent, None) is None:
        return None
    return [getattr(of, sent), getattr(of, received)]


REPLIES = {
    "Chat Completions": read_chat,
    "Responses": read_responses,
    "Messages": read_messages,
    "generateContent": read_google,
    "/api/chat": read_ollama,
    "Converse": read_converse,
}

FINISH = {
    **dict.fromkeys(["stop", "tool_calls", "completed", "end_turn", "tool_use", "STOP"], "Stop"),
    **dict.fromkeys(["length", "max_output_tokens", "max_tokens", "MAX_TOKENS"], "Length"),
}


def said(error):
    """The error in one line. Of a union, the alternative that came farthest counts."""
    if not isinstance(error, pydantic.ValidationError):
        return str(error)
    farthest = max(error.errors(), key=lambda one: len(one["loc"]))
    return f"{farthest['msg']} at {'/'.join(map(str, farthest['loc']))[-120:]}, in {str(farthest['input'])[:120]}"


def check_reply(case):
    text, counts, stop, calls = REPLIES[case["format"]](case)
    found = {"text": text, "usage": counts, "finish": FINISH.get(stop, stop), "calls": calls}
    for name, value in found.items():
        assert value == case[name], f"{name}: the SDK reads {value!r}, we read {case[name]!r}"


def main(folder):
    failed, counted = [], collections.Counter()
    for name, check in [("requests", check_request), ("replies", check_reply)]:
        for line in (folder / f"{name}.jsonl").read_text().splitlines():
            case = json.loads(line)
            counted[case["format"], name] += 1
            try:
                check(case)
            except (AssertionError, pydantic.ValidationError) as error:
                failed.append(f"{case['format']}, {case['name']}, {'streamed' if case['streamed'] else 'whole'}: {said(error)}")
    for (wire, name), count in sorted(counted.items()):
        print(f"{wire}: {count} {name}")
    print(*(f"{name} {importlib.metadata.version(name)}" for name in ["openai", "anthropic", "google-genai", "ollama", "botocore"]), sep=", ")
    if failed:
        sys.exit("\n".join(failed))
    print("all as the SDKs have it")


main(pathlib.Path(sys.argv[1]))
