#!/usr/bin/env python3
"""Makes the documents of `bfcl.jsonl` again from the data of the Berkeley function-calling leaderboard.

    pip download --no-deps bfcl-eval && unzip bfcl_eval-*.whl 'bfcl_eval/data/*'
    python3 benches/documents/make_bfcl.py bfcl_eval/data | cmp - benches/documents/bfcl.jsonl

A document is a request that one call answers. Its schema is that of the parameters, with the names of types that JSON Schema has;
`value` has the first right value of each parameter that has to be given, and `alternatives` the others. Which requests there are is
read from the present file.
"""

import json
import sys
from pathlib import Path

INSTRUCTION = "Fill the parameters of the function call the user asks for."
TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": None}
COMMIT = "6ea57973c7a6097fd7c5915698c54c17c5b1b6c8"


def schema_of(parameter):
    """The JSON Schema of a parameter or of all parameters."""
    schema = {}
    if "type" in parameter and (name := TYPES.get(parameter["type"], parameter["type"])):
        schema["type"] = name
    for keyword in ("description", "enum", "default"):
        if keyword in parameter:
            schema[keyword] = parameter[keyword]
    if "items" in parameter:
        schema["items"] = schema_of(parameter["items"])
    if "properties" in parameter:
        schema["properties"] = {key: schema_of(value) for key, value in parameter["properties"].items()}
        schema["required"] = parameter.get("required", [])
        schema["additionalProperties"] = False
    return schema


def whole_schema(function):
    parameters = schema_of(function["parameters"])
    schema = {"title": function["name"], "type": "object"}
    for keyword in ("properties", "required", "additionalProperties"):
        schema[keyword] = parameters[keyword]
    schema["description"] = function["description"]
    return schema


def first_of(values):
    """The first right value; an empty string means that it may be absent, and in an object each key has a list of its own."""
    first = next(value for value in values if value != "")
    if isinstance(first, dict):
        return {key: first_of(all_of) for key, all_of in first.items()}
    return first


def alternatives(pointer, values, chosen):
    """The other right values, by their JSON Pointer; null means that the parameter may be absent."""
    others = {}
    for right in (None if value == "" else value for value in values):
        if isinstance(right, dict):
            for key, all_of in right.items():
                others |= alternatives(f"{pointer}/{escaped(key)}", all_of, chosen.get(key))
        elif right != chosen and right not in others.get(pointer, []):
            others.setdefault(pointer, []).append(right)
    return others


def escaped(key):
    return key.replace("~", "~0").replace("/", "~1")


def document(request, answer):
    function = request["function"][0]
    right = next(iter(answer["ground_truth"][0].values()))
    text = request["question"][0][0]["content"]
    value = {key: first_of(values) for key, values in right.items() if "" not in values}
    others = {}
    for key, values in right.items():
        others |= alternatives(f"/{escaped(key)}", values, value.get(key))
    made = {"key": f"bfcl/{request['id']}", "text": text, "instruction": INSTRUCTION, "value": value}
    if others:
        made["alternatives"] = others
    return made | {"schema": whole_schema(function), "licence": "Apache-2.0", "commit": COMMIT}


def lines(file, name="id"):
    return {one[name]: one for one in map(json.loads, file.read_text().splitlines())}


def main(data):
    requests, answers = {}, {}
    for kind in ("simple_python", "live_simple"):
        requests |= lines(data / f"BFCL_v4_{kind}.json")
        answers |= lines(data / "possible_answer" / f"BFCL_v4_{kind}.json")
    for known in lines(Path(__file__).with_name("bfcl.jsonl"), "key"):
        name = known.removeprefix("bfcl/")
        print(json.dumps(document(requests[name], answers[name]), ensure_ascii=False))


main(Path(sys.argv[1]))
