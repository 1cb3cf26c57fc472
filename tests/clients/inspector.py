"""The server, met by the MCP inspector's command line: over stdio, where every call starts a server, and over HTTP."""

import json
import os
import subprocess
import sys

from common import PATHS, RIGHT, TOKEN, WRONG, check, kept, listening, scratch


def inspect(target, *arguments, headers=()):
    """One run of the inspector: its exit status and what it printed."""
    command = ["mcp-inspector", "--cli", *target]
    for header in headers:
        command += ["--header", header]
    environment = {**os.environ, "MCP_CATALOG_PATH": os.path.join(os.path.dirname(sys.executable), "catalog.json")}
    run = subprocess.run([*command, *arguments], env=environment, capture_output=True, text=True, timeout=120)
    return run.returncode, run.stdout, run.stderr


def result(target, *arguments, headers=()):
    status, out, err = inspect(target, *arguments, headers=headers)
    try:
        return json.loads(out)
    except json.JSONDecodeError:
        raise SystemExit(f"FAILED: {arguments}: status {status}\n{out[:2000]}\n{err[:2000]}") from None


def call(target, tool, value, headers=()):
    arguments = ["--method", "tools/call", "--tool-name", tool]
    for name, field in value.items():
        arguments += ["--tool-arg", f"{name}={field if isinstance(field, str) else json.dumps(field)}"]
    return result(target, *arguments, headers=headers)


def converse(target, headers=()):
    """From the list of tools to an accepted value."""
    status, out, err = inspect(target, "--method", "tools/list", "--strict", headers=headers)
    check(status == 0 and "Warning" not in err, "the schemas are portable", status, err)
    tools = json.loads(out)["tools"]
    check([tool["name"] for tool in tools] == ["example", "validate", "submit"], tools)
    check(tools[2]["outputSchema"]["properties"]["value"]["properties"]["total"], tools)

    example = call(target, "example", {}, headers)
    check(example["structuredContent"]["example"]["number"] == "INV-0042", example)
    wrong = call(target, "submit", WRONG, headers)
    check(wrong["isError"] is True, wrong)
    check([v["path"] for v in wrong["structuredContent"]["violations"]] == PATHS, wrong)
    check("did you mean \"EUR\"?" in wrong["content"][0]["text"], wrong)
    right = call(target, "submit", RIGHT, headers)
    check(right["structuredContent"]["status"] == "accepted", right)
    check(right["structuredContent"]["value"] == RIGHT, right)
    return right["structuredContent"]["attempts"]


def stdio(server):
    with scratch() as out:
        attempts = converse([server, "--out", out])
        check(attempts == 1, "every call has a server of its own", attempts)
        check(kept(out)[-1] == {"invoice": RIGHT, "attempts": 1}, kept(out))
        check("went away" in kept(out)[0]["error"] and kept(out)[0]["attempts"] == 1, kept(out))


def once(server):
    """The client gets the last answer although the server ends with it."""
    with scratch() as out:
        right = call([server, "--once", "--out", out], "submit", RIGHT)
        check(right["structuredContent"]["status"] == "accepted", right)
        check(kept(out) == [{"invoice": RIGHT, "attempts": 1}], kept(out))


def http(server):
    with scratch() as out, listening(server, "--out", out) as (url, _):
        attempts = converse([url], headers=[f"Authorization: Bearer {TOKEN}"])
        check(attempts == 2, "all calls share one server", attempts)
        check(kept(out) == [{"invoice": RIGHT, "attempts": 2}], kept(out))


def refusals(server):
    right = f"Authorization: Bearer {TOKEN}"
    with listening(server) as (url, _):
        for headers in (["Authorization: Bearer wrong"], [right, "Origin: http://attacker.example"]):
            status, out, err = inspect([url], "--method", "tools/list", headers=headers)
            check(status != 0 and "tools" not in out, headers, status, out, err)
        status, out, err = inspect([url], "--method", "tools/list", headers=[right])
        check(status == 0, status, out, err)


for scenario in (stdio, once, http, refusals):
    scenario(sys.argv[1])
    print(f"ok {scenario.__name__}")
