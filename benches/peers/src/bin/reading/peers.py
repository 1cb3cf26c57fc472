"""Answers, line by line, what json_repair or baml-py makes of a text and how long it takes; see main.rs.

baml-py needs no compiled project: it takes the source of its types as a text, and parses replies without asking a
model. `baml` reads into a type that is any JSON, `baml invoice` into the classes of the benchmark's schema.
"""

import json
import sys
import time
import types

BAML = """
type Any = int | float | bool | string | null | Any[] | map<string, Any>
class Line { description string
  quantity int
  unit_price float
  kind "goods" | "service" }
class Invoice { number string
  lines Line[] }
function ReadAny() -> Any { client "openai/none" prompt #""# }
function ReadInvoice() -> Invoice { client "openai/none" prompt #""# }
"""


def json_repair_reader():
    import json_repair

    # It gives an empty text for what it cannot read.
    return json_repair.loads, lambda value: value


def baml_reader(function: str):
    import baml_py
    import pydantic

    class Line(pydantic.BaseModel):
        description: str
        quantity: int
        unit_price: float
        kind: str

    class Invoice(pydantic.BaseModel):
        number: str
        lines: list[Line]

    runtime = baml_py.BamlRuntime.from_files("baml_src", {"types.baml": BAML}, {})
    context = runtime.create_context_manager()
    known = types.ModuleType("known")
    known.Line, known.Invoice = Line, Invoice

    def read(text: str):
        return runtime.parse_llm_response(function, text, known, known, known, False, context, None, None, {})

    def plain(value):
        return value.model_dump(mode="json") if isinstance(value, pydantic.BaseModel) else value

    return read, plain


def answer(read, plain, text: str, times: int) -> dict:
    try:
        value = plain(read(text))
        json.dumps(value, allow_nan=False)
    except Exception:
        return {"nanoseconds": 0}
    best = 0
    for _ in range(times):
        started = time.perf_counter_ns()
        read(text)
        taken = time.perf_counter_ns() - started
        best = min(best or taken, taken)
    return {"value": value, "nanoseconds": best}


def main(library: str) -> None:
    read, plain = {
        "json_repair": json_repair_reader,
        "baml": lambda: baml_reader("ReadAny"),
        "baml invoice": lambda: baml_reader("ReadInvoice"),
    }[library]()
    for line in sys.stdin:
        question = json.loads(line)
        found = answer(read, plain, question["text"], question["times"])
        print(json.dumps(found), flush=True)


main(sys.argv[1])
