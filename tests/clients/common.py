"""What both clients need: values, a server that listens, and what it has kept."""

import contextlib
import copy
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time

RIGHT = {
    "number": "INV-3107",
    "customer": "Ms Okafor",
    "currency": "EUR",
    "lines": [
        {"description": "desk lamp", "quantity": 6, "unit_price": 39.9},
        {"description": "oak desk", "quantity": 2, "unit_price": 412.5},
    ],
    "total": 1064.4,
}
WRONG = {**copy.deepcopy(RIGHT), "currency": "Euro", "number": "3107"}
# What the schema allows and the rule does not.
WRONG_SUM = {**copy.deepcopy(RIGHT), "total": 1000.0}

TOKEN = "correct-horse"
PATHS = ["$.currency", "$.number"]


def check(condition, *found):
    """As `assert`, which `python -O` would skip."""
    if not condition:
        raise SystemExit(f"FAILED: {str(found)[:2000]}")


def kept(path):
    """What the server has written down, one value after the other."""
    file = pathlib.Path(path)
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


@contextlib.contextmanager
def scratch():
    """A file for what the server keeps."""
    with tempfile.TemporaryDirectory() as folder:
        yield os.path.join(folder, "out.jsonl")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def listening(server, *arguments):
    """A server on HTTP that asks for the token; its URL and its process."""
    port = free_port()
    command = [server, "--http", str(port), *arguments]
    environment = {**os.environ, "EXTRACT_MCP_TOKEN": TOKEN}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp", process
    finally:
        process.kill()
        process.wait()
