"""Holds the batches of extractable-agents against the official SDKs.

usage: batches.py <folder with batches.jsonl>

What creates a batch, and each line of its file, has to be valid for the SDK's own types, without a
member that they do not know. What the scripted provider says of a batch, and its answers, have to be
read by the SDK, so that the provider of the tests speaks as the real one does.
"""

import collections
import importlib.metadata
import json
import pathlib
import sys
import warnings

import anthropic.types.messages as anthropic
import google.genai.types as google
import groq.types as groq
import mistralai.client.models as mistral
import openai.types as openai
import pydantic
import together.types as together
from anthropic.types.messages import batch_create_params as anthropic_create
from google.genai import batches as google_batches
from groq.types import batch_create_params as groq_create
from openai.types import batch_create_params as openai_create
from openai.types.chat import completion_create_params as chat
from openai.types.responses import response_create_params as responses
from together.types import batch_create_params as together_create

# What these hold is free.
FREE = {"schema", "metadata", "response_format", "output_config"}


def validated(model, value):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        adapter = pydantic.TypeAdapter(model)
        return adapter.dump_python(adapter.validate_python(value), by_alias=True, exclude_unset=True, mode="json")


def unknown(sent, read, place=""):
    """The places of members that were sent and not read."""
    if isinstance(sent, dict) and isinstance(read, dict):
        for name, value in sent.items():
            if name in FREE:
                continue
            if name not in read:
                yield f"{place}/{name}"
            else:
                yield from unknown(value, read[name], f"{place}/{name}")
    elif isinstance(sent, list) and isinstance(read, list):
        for index, (one, other) in enumerate(zip(sent, read)):
            yield from unknown(one, other, f"{place}/{index}")


def exactly(model, value):
    lost = list(unknown(value, validated(model, value)))
    assert not lost, f"the SDK knows no {lost}"


def check_google(case):
    what, body = case["what"], case["body"]
    if what == "create":
        batch = body["batch"]
        assert set(body) == {"batch"} and set(batch) == {"display_name", "input_config"}
        for one in batch["input_config"]["requests"]["requests"]:
            assert set(one) == {"request", "metadata"} and set(one["metadata"]) == {"key"}
            exactly(list[google.Content], one["request"]["contents"])
            validated(google.GenerationConfig, one["request"].get("generationConfig", {}))
    elif what == "batch":
        body = {**body, "metadata": {**body["metadata"], "output": body.get("response", {})}}
        job = google.BatchJob._from_response(response=google_batches._BatchJob_from_mldev(body), kwargs={})
        assert job.name.startswith("batches/") and job.state.name.startswith("JOB_STATE_"), job.state
        assert job.display_name == case["body"]["metadata"]["displayName"]
    else:
        google.InlinedResponse.model_validate({name: body[name] for name in ("response", "error") if name in body})


def check(case):
    provider, what, body = case["provider"], case["what"], case["body"]
    if provider == "gemini":
        return check_google(case)
    if provider == "anthropic":
        model = {
            "create": anthropic_create.BatchCreateParams,
            "batch": anthropic.MessageBatch,
            "answer": anthropic.MessageBatchIndividualResponse,
        }[what]
        return exactly(model, body) if what == "create" else validated(model, body)
    if what == "create":
        model = {
            "groq": groq_create.BatchCreateParams,
            "together": together_create.BatchCreateParams,
            "mistral": mistral.CreateBatchJobRequest,
        }.get(provider, openai_create.BatchCreateParams)
        # Azure documents its endpoint without the version.
        known = {**body, "endpoint": "/v1" + body["endpoint"]} if provider == "azure" else body
        exactly(model, known)
    elif what == "request":
        full = {"custom_id", "method", "url", "body"}
        assert set(body) == ({"custom_id", "body"} if provider in ("together", "mistral") else full), set(body)
        assert len(body["custom_id"]) <= 64
        params = responses.ResponseCreateParamsNonStreaming if provider == "openai-responses" else chat.CompletionCreateParamsNonStreaming
        exactly(params, body["body"])
    elif what == "batch":
        if provider == "azure":
            body = {**body, "status": body["status"].lower()}
        model = {"groq": groq.BatchCreateResponse, "together": together.BatchJob, "mistral": mistral.BatchJob}
        validated(model.get(provider, openai.Batch), body)


def main(folder):
    failed, counted = [], collections.Counter()
    for line in (folder / "batches.jsonl").read_text().splitlines():
        case = json.loads(line)
        counted[case["provider"]] += 1
        try:
            check(case)
        except (AssertionError, pydantic.ValidationError) as error:
            failed.append(f"{case['provider']}, {case['what']}: {str(error)[:300]}")
    for provider, count in sorted(counted.items()):
        print(f"{provider}: {count} cases of batches")
    names = ["openai", "anthropic", "google-genai", "groq", "together", "mistralai"]
    print(*(f"{name} {importlib.metadata.version(name)}" for name in names), sep=", ")
    if failed:
        sys.exit("\n".join(failed))
    print("all batches as the SDKs have them")


main(pathlib.Path(sys.argv[1]))
