"""Right answers and their cost with a real model: this library beside its peers, one model behind one server.

    benches/peers/run --task 3        # installs the peers
    cargo build --release -p extractable-cli
    cargo build --release --manifest-path benches/peers/Cargo.toml --bin bookings
    benches/peers/target/venv/bin/python benches/peers/python/right_answers.py --weights MODEL.gguf

Every library asks the same questions about the documents of `benches/documents`, each with its defaults
and at most three attempts, at temperature 0 and with at most 512 tokens a reply. The server is that of
llama.cpp; it constrains what is asked for with `response_format`. What counts as right are strings up to case
and numbers up to notation. An answer that does not conform has no right field. This library is asked by
`extractable eval`, which gives each text as a document; the others get it after the instruction, as their users
write it. With `--tools`, the libraries that want the answer as a call of a tool are asked too: with this server
and these models no such call came back (three documents each).
"""

import argparse
import json
import keyword
import os
import pathlib
import subprocess
import sys
from importlib.metadata import version
from typing import Annotated, Literal, Optional, Union

import pydantic

from ours import evaluated
from serving import Server

ROOT = pathlib.Path(__file__).resolve().parents[3]
DOCUMENTS = ROOT / "benches/documents"
BOOKINGS = ROOT / "benches/peers/target/release/bookings"
ATTEMPTS = 3
# The one set whose type the Rust peers have.
BOOKING_SET = "restaurant8k"


# ---- what is right


def same(given, right):
    if isinstance(given, str) and isinstance(right, str):
        return given.strip().lower() == right.strip().lower()
    if isinstance(given, list) and isinstance(right, list):
        return len(given) == len(right) and all(map(same, given, right))
    # `True == 1` in Python, and nowhere else.
    return isinstance(given, bool) == isinstance(right, bool) and given == right


def accepted(given, right, pointer, alternatives):
    if isinstance(given, dict) and isinstance(right, dict):
        parts = ((given.get(key), part, f"{pointer}/{key}", alternatives) for key, part in right.items())
        return given.keys() <= right.keys() and all(accepted(*part) for part in parts)
    return any(same(given, one) for one in [right, *alternatives.get(pointer, [])])


def right_fields(document, value):
    if value is None:
        return 0
    alternatives = document.get("alternatives", {})
    return sum(accepted(value.get(key), right, f"/{key}", alternatives) for key, right in document["value"].items())


# ---- from JSON Schema to pydantic, as far as the documents need it


def type_of(schema, name):
    kinds = schema.get("type")
    if "const" in schema:
        return Literal[schema["const"]]
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    if isinstance(kinds, list):
        assert set(kinds) == {"string", "null"}, kinds
        return Optional[str]
    if kinds == "array":
        return list[type_of(schema["items"], name)]
    if kinds == "object":
        return model_of(schema, name)
    return {"string": str, "integer": int, "number": float, "boolean": bool}[kinds]


def model_of(schema, name):
    fields = {}
    for at, (key, part) in enumerate(schema["properties"].items()):
        kind = type_of(part, f"{name}_{key}")
        told = {"description": part["description"]} if "description" in part else {}
        is_required = key in schema["required"]
        if not is_required:
            kind = Optional[kind]
            told["default"] = None
        plain = key.isidentifier() and not keyword.iskeyword(key) and not key.startswith("_")
        plain = plain and not hasattr(pydantic.BaseModel, key)
        if not plain:
            told["alias"] = key
        fields[key if plain else f"field_{at}"] = (kind, pydantic.Field(**told))
    made = pydantic.create_model(
        name, __config__=pydantic.ConfigDict(extra="forbid"), __doc__=schema.get("description"), **fields
    )
    return made


class Type:
    """What a document asks for: one model, or several in an object around them, as the Python peers want it."""

    def __init__(self, schema):
        self.is_union = "anyOf" in schema
        if self.is_union:
            models = [model_of(part, part["properties"]["intent"]["const"]) for part in schema["anyOf"]]
            kind = Annotated[Union[tuple(models)], pydantic.Field(discriminator="intent")]
            self.model = pydantic.create_model("Command", command=(kind, ...))
        else:
            name = "".join(c if c.isalnum() else "_" for c in schema.get("title", "Answer"))
            self.model = model_of(schema, name)

    def plain(self, value):
        # What is absent is null in the right answers.
        value = value.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return value["command"] if self.is_union else value


# ---- the peers; each makes a function from a prompt and a type to a value


def instructor_with(mode):
    def make(url):
        import instructor
        import openai
        from tenacity import Retrying, stop_after_attempt

        client = instructor.from_openai(openai.OpenAI(base_url=url, api_key="none"), mode=getattr(instructor.Mode, mode))

        def ask(prompt, kind):
            messages = [{"role": "user", "content": prompt}]
            retries = Retrying(stop=stop_after_attempt(ATTEMPTS))
            return client.create(model="local", messages=messages, response_model=kind.model, max_retries=retries)

        return ask

    return make


def pydantic_ai_with(native):
    def make(url):
        from pydantic_ai import Agent, NativeOutput
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        model = OpenAIChatModel("local", provider=OpenAIProvider(base_url=url, api_key="none"))

        def ask(prompt, kind):
            output = NativeOutput(kind.model) if native else kind.model
            return Agent(model, output_type=output, retries=ATTEMPTS - 1).run_sync(prompt).output

        return ask

    return make


def trustcall(url):
    from langchain_openai import ChatOpenAI
    from trustcall import create_extractor

    model = ChatOpenAI(model="local", base_url=url, api_key="none")

    def ask(prompt, kind):
        extractor = create_extractor(model, tools=[kind.model], tool_choice=kind.model.__name__)
        config = {"configurable": {"max_attempts": ATTEMPTS}, "recursion_limit": 200}
        responses = extractor.invoke({"messages": [("user", prompt)]}, config=config)["responses"]
        if not responses:
            raise ValueError("no valid response")
        return responses[0]

    return ask


PYTHON = {
    f"instructor {version('instructor')}, `JSON_SCHEMA`": instructor_with("JSON_SCHEMA"),
    f"pydantic-ai {version('pydantic-ai-slim')}, `NativeOutput`": pydantic_ai_with(native=True),
}
PYTHON_TOOLS = {
    f"instructor {version('instructor')}, `TOOLS`": instructor_with("TOOLS"),
    f"pydantic-ai {version('pydantic-ai-slim')}, tool": pydantic_ai_with(native=False),
    f"trustcall {version('trustcall')}": trustcall,
}
RUST = {"rstructor": "rstructor", "instructors (Rust)": "instructors"}
RUST_TOOLS = {"rig (`Extractor`)": "rig"}


def ask_python(make, server, documents):
    ask, values = make(server.url), []
    for document in documents:
        try:
            kind = Type(document["schema"])
            values.append(kind.plain(ask(prompt(document), kind)))
        except Exception as error:  # whatever it raises, there is no answer
            print(f"  {document['key']}: {type(error).__name__}: {str(error)[:160]!r}", file=sys.stderr, flush=True)
            values.append(None)
    return values


def prompt(document):
    return f"{document['instruction']}\n\n{document['text']}"


def ask_rust(library, server, documents):
    prompts = "".join(json.dumps(prompt(document)) + "\n" for document in documents)
    printed = subprocess.run([BOOKINGS, library, server.url], input=prompts, stdout=subprocess.PIPE, text=True, check=True)
    answers = [json.loads(line) for line in printed.stdout.splitlines()]
    for document, answer in zip(documents, answers, strict=True):
        if "error" in answer:
            print(f"  {document['key']}: {answer['error'][:160]!r}", file=sys.stderr, flush=True)
    return [answer.get("value") for answer in answers]


def ask_ours(server, name, documents):
    return evaluated(server, DOCUMENTS / f"{name}.jsonl", len(documents), ["--max-attempts", str(ATTEMPTS)])


# ---- the table


def row(server, name, documents, ask):
    server.counter.reset()
    values, counter = ask(), server.counter
    conforming = sum(value is not None for value in values)
    right = sum(map(right_fields, documents, values))
    fields = sum(len(document["value"]) for document in documents)
    tokens = counter.input_tokens + counter.output_tokens
    print(
        f"| {name} | {conforming} | {right / fields:.3f} | {counter.requests} | {counter.input_tokens / len(documents):.0f} "
        f"| {counter.output_tokens / len(documents):.0f} | {tokens / max(conforming, 1):.0f} "
        f"| {1000 * right / max(tokens, 1):.1f} | {counter.seconds / len(documents):.1f} |",
        flush=True,
    )


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--weights", required=True, help="a model as a GGUF file")
    options.add_argument("--sets", default="restaurant8k,restaurant8k_coded,snips_union,bfcl", help="which documents")
    options.add_argument("--limit", type=int, default=60, help="documents of each set, the first ones")
    options.add_argument("--only", default="", help="libraries whose name contains this")
    options.add_argument("--tools", action="store_true", help="also the libraries that want a call of a tool")
    options.add_argument("--threads", type=int, default=os.cpu_count())
    options = options.parse_args()
    server = Server(options.weights, options.threads)
    for name in options.sets.split(","):
        lines = (DOCUMENTS / f"{name}.jsonl").read_text().splitlines()
        documents = [json.loads(line) for line in lines][: options.limit]
        print(f"\n{name}, {len(documents)} documents\n")
        print("| | conforming | fields right | requests | tokens in, each | out | per conforming value | right fields per 1,000 tokens | seconds each |")
        print("|---|---|---|---|---|---|---|---|---|", flush=True)
        asks = {"extract (this project)": lambda: ask_ours(server, name, documents)}
        rust, python = (RUST | RUST_TOOLS, PYTHON | PYTHON_TOOLS) if options.tools else (RUST, PYTHON)
        if name == BOOKING_SET:
            asks |= {peer: lambda library=library: ask_rust(library, server, documents) for peer, library in rust.items()}
        asks |= {peer: lambda make=make: ask_python(make, server, documents) for peer, make in python.items()}
        for peer, ask in asks.items():
            if options.only in peer:
                row(server, peer, documents, ask)


if __name__ == "__main__":
    main()
