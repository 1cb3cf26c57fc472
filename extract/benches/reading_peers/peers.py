"""Reading with json_repair and baml-py from PyPI, over the files that the benchmark `reading` writes.

    pip install json_repair baml-py
    python peers.py FOLDER

Prints nanoseconds per byte, the best of three, and `wrong` where the value read is not the one that was printed.
baml-py has no parser that is called without a compiled project of its own language, so it is only named with its version.
"""

import importlib.metadata
import json
import pathlib
import sys
import time

import json_repair


def main(folder: pathlib.Path) -> None:
    for name in ("json_repair", "baml-py"):
        try:
            print(name, importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            print(name, "is not installed")
    for file in sorted(folder.glob("*.txt")):
        text = file.read_text()
        size = file.stem.rsplit("_", 1)[1]
        if int(size) > 100_000:
            continue
        valid = (folder / f"valid_{size}.txt").read_text()
        if file.stem.startswith("single"):
            valid = valid.replace('\\"', "*")
        best = float("inf")
        for _ in range(3):
            started = time.perf_counter_ns()
            found = json_repair.loads(text)
            best = min(best, time.perf_counter_ns() - started)
        verdict = "" if found == json.loads(valid) else " wrong"
        print(f"{file.stem:>34} {best / len(text.encode()):>12.1f}{verdict}", flush=True)


main(pathlib.Path(sys.argv[1]))
