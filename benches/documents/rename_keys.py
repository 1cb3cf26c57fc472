#!/usr/bin/env python3
"""Makes restaurant8k_coded.jsonl from restaurant8k.jsonl: keys that say nothing, descriptions that say all.

The documents, instructions and right values stay as they are, so the two sets differ only in where the meaning of a value stands.

    python3 benches/documents/rename_keys.py
"""

import json
from pathlib import Path

HERE = Path(__file__).parent
KEYS = {"people": "f1", "date": "f2", "time": "f3", "first_name": "f4", "last_name": "f5"}
# The two keys of restaurant8k that have no description.
DESCRIPTIONS = {"first_name": "first name, as written", "last_name": "last name, as written"}


def renamed(document):
    schema = document["schema"]
    properties = {}
    for key, part in schema["properties"].items():
        properties[KEYS[key]] = part | ({"description": DESCRIPTIONS[key]} if key in DESCRIPTIONS else {})
    document["key"] = document["key"].replace("restaurant8k/", "restaurant8k_coded/")
    document["value"] = {KEYS[key]: value for key, value in document["value"].items()}
    document["schema"] = schema | {"properties": properties, "required": [KEYS[key] for key in schema["required"]]}
    return document


def main():
    lines = (HERE / "restaurant8k.jsonl").read_text().splitlines()
    coded = [json.dumps(renamed(json.loads(line)), ensure_ascii=False) for line in lines]
    (HERE / "restaurant8k_coded.jsonl").write_text("\n".join(coded) + "\n")


main()
