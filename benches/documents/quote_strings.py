#!/usr/bin/env python3
"""Prints restaurant8k.jsonl with strings that are quotes of the message, for `extractable eval`.

    python3 benches/documents/quote_strings.py quotes > quotes.jsonl      # each string is words of the message
    python3 benches/documents/quote_strings.py grounded > grounded.jsonl  # each string has words of the message beside it
"""

import json
import sys
from pathlib import Path

COPIED = "words copied from the text exactly as they stand there"
GROUNDED = {
    "type": "object",
    "properties": {
        "value": {"type": "string"},
        "quote": {"type": "string", "minLength": 1, "description": f"{COPIED}, that show the value", "x-quote": True},
    },
    "required": ["value", "quote"],
    "additionalProperties": False,
    "x-grounded": True,
}


def quoted(part):
    return {"type": part["type"], "description": part.get("description", COPIED), "x-quote": True}


def grounded(part):
    described = {key: text for key, text in part.items() if key == "description"}
    return described | {"anyOf": [{"$ref": "#/$defs/Grounded"}, {"type": "null"}]}


def main(form):
    for line in Path(__file__).with_name("restaurant8k.jsonl").read_text().splitlines():
        document = json.loads(line)
        schema = document["schema"]
        to_form = {"quotes": quoted, "grounded": grounded}[form]
        schema["properties"] = {key: to_form(part) for key, part in schema["properties"].items()}
        if form == "grounded":
            schema["$defs"] = {"Grounded": GROUNDED}
            with_quote = lambda words: words and {"value": words, "quote": words}
            document["value"] = {key: with_quote(words) for key, words in document["value"].items()}
        print(json.dumps(document, ensure_ascii=False))


main(sys.argv[1])
