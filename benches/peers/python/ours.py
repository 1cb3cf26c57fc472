"""This library, by its command line."""

import json
import pathlib
import subprocess

EXTRACTABLE = pathlib.Path(__file__).resolve().parents[3] / "target/release/extractable"


def evaluated(server, gold, limit, options=()):
    """The values of the first documents of a gold set, None without an answer."""
    asked = [EXTRACTABLE, "eval", "--json", "--no-settings", "--agent", "openai/local", "--base-url", server.url]
    asked += ["--gold", gold, "--limit", str(limit), "--concurrent", "1", "--max-output-tokens", "512", *options]
    printed = subprocess.run(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # A document without an answer is a result.
    if printed.returncode not in (0, 1):
        raise RuntimeError(printed.stderr)
    return [document["value"] for document in json.loads(printed.stdout)["candidates"][0]["documents"]]
