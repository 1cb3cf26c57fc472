"""One Python library that does the tasks of `beside.py`, which starts this program.

    python adapter.py instructor|pydantic-ai|trustcall URL tools|text

The lines it reads and writes are those of `src/bin/adapter/main.rs`. `text` is for messy replies: the way in which the
library reads JSON from prose, where it has one.
"""

import json
import os
import sys
import time

from order import Order

os.environ["OPENAI_API_KEY"] = "a key"
MODEL = "gpt-4o-mini"
PROMPT = "Read the order from the delivery note that you have seen."


def instructor_library(url, way):
    import instructor
    import openai

    mode = instructor.Mode.TOOLS if way == "tools" else instructor.Mode.MD_JSON
    client = instructor.from_openai(openai.OpenAI(base_url=url), mode=mode)

    def extract(attempts):
        messages = [{"role": "user", "content": PROMPT}]
        # `stop_after_attempt` says the number of attempts without doubt; as a number, `max_retries` counts retries.
        from tenacity import Retrying, stop_after_attempt

        retries = Retrying(stop=stop_after_attempt(attempts))
        return client.create(model=MODEL, messages=messages, response_model=Order, max_retries=retries)

    return extract


def pydantic_ai_library(url, way):
    from pydantic_ai import Agent, PromptedOutput
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=url))
    output = Order if way == "tools" else PromptedOutput(Order)
    agents = {}

    def extract(attempts):
        if attempts not in agents:
            agents[attempts] = Agent(model, output_type=output, retries=attempts - 1)
        return agents[attempts].run_sync(PROMPT).output

    return extract


def trustcall_library(url, _way):
    from langchain_openai import ChatOpenAI
    from trustcall import create_extractor

    extractor = create_extractor(ChatOpenAI(model=MODEL, base_url=url), tools=[Order], tool_choice="Order")

    def extract(attempts):
        config = {"configurable": {"max_attempts": attempts}, "recursion_limit": 200}
        responses = extractor.invoke({"messages": [("user", PROMPT)]}, config=config)["responses"]
        if not responses:
            raise ValueError("no valid response")
        return responses[0]

    return extract


LIBRARIES = {"instructor": instructor_library, "pydantic-ai": pydantic_ai_library, "trustcall": trustcall_library}


def baml_library(_url, _way):
    """Reads only: BAML has no loop, and its types are written in its own language."""
    import types

    import baml_py
    from pydantic import BaseModel

    source = """
class Line { description string
  quantity int @assert(allowed, {{ this >= 1 and this <= 100 }})
  unit_price float }
class Order { number string @assert(form, {{ this|regex_match("^INV-[0-9]{4}$") }})
  lines Line[] }
function ReadOrder() -> Order { client "openai/none" prompt #""# }
"""

    class Line(BaseModel):
        description: str
        quantity: int
        unit_price: float

    class Order(BaseModel):
        number: str
        lines: list[Line]

    runtime = baml_py.BamlRuntime.from_files("baml_src", {"types.baml": source}, {})
    context = runtime.create_context_manager()
    known = types.ModuleType("known")
    known.Line, known.Order = Line, Order

    def read(text):
        return runtime.parse_llm_response("ReadOrder", text, known, known, known, False, context, None, None, {})

    return read


def repeat(extract, times):
    started, processor = time.perf_counter(), time.process_time()
    for _ in range(times):
        extract(1)
    return {"seconds": time.process_time() - processor, "wall": time.perf_counter() - started}


def answer(extract, task):
    if task["do"] == "repeat":
        return repeat(extract, task["times"])
    try:
        return {"value": extract(task["attempts"]).model_dump(mode="json")}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:300]}


def main():
    name, url, way = sys.argv[1:]
    # Libraries write to standard output now and then; the answers have it to themselves.
    out, sys.stdout = sys.stdout, sys.stderr
    if name == "baml":
        read = baml_library(url, way)
        tasks = ({**task, "attempts": task["text"]} for task in map(json.loads, sys.stdin))
        extract = read
    else:
        tasks = map(json.loads, sys.stdin)
        extract = LIBRARIES[name](url, way)
    for task in tasks:
        print(json.dumps(answer(extract, task), allow_nan=True), file=out, flush=True)


if __name__ == "__main__":
    main()
