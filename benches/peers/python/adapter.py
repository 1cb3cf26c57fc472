"""One Python library that does the tasks of `beside.py`, which starts this program.

    python adapter.py instructor|pydantic-ai|trustcall URL tools|text

The lines it reads and writes are those of `src/bin/adapter/main.rs`. `text` is for messy replies: the way in which the
library reads JSON from prose, where it has one.
"""

import asyncio
import json
import os
import resource
import sys
import time

from order import Order

os.environ["OPENAI_API_KEY"] = "a key"
# BAML writes every prompt and reply to standard output otherwise.
os.environ["BAML_LOG"] = "off"
MODEL = "gpt-4o-mini"
PROMPT = "Read the order from the delivery note that you have seen."


def instructor_library(url, way, **more):
    import instructor
    import openai

    mode = instructor.Mode.TOOLS if way == "tools" else instructor.Mode.MD_JSON
    client = instructor.from_openai(openai.OpenAI(base_url=url), mode=mode)

    def extract(attempts):
        messages = [{"role": "user", "content": PROMPT}]
        # `stop_after_attempt` says the number of attempts without doubt; as a number, `max_retries` counts retries.
        from tenacity import Retrying, stop_after_attempt

        retries = Retrying(stop=stop_after_attempt(attempts))
        return client.create(model=MODEL, messages=messages, response_model=Order, max_retries=retries, **more)

    async def extract_later(client=instructor.from_openai(openai.AsyncOpenAI(base_url=url), mode=mode)):
        messages = [{"role": "user", "content": PROMPT}]
        return await client.create(model=MODEL, messages=messages, response_model=Order, max_retries=0)

    def partials(see):
        messages = [{"role": "user", "content": PROMPT}]
        for partial in client.create_partial(model=MODEL, messages=messages, response_model=Order):
            see(partial)

    extract.later, extract.partials = extract_later, partials
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

    once = Agent(model, output_type=output, retries=0)

    async def extract_later():
        return (await once.run(PROMPT)).output

    def partials(see):
        async def shown():
            async with once.run_stream(PROMPT) as result:
                # Every delta, not one in so many milliseconds.
                async for partial in result.stream_output(debounce_by=None):
                    see(partial)

        asyncio.run(shown())

    extract.later, extract.partials = extract_later, partials
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

    async def extract_later():
        config = {"configurable": {"max_attempts": 1}, "recursion_limit": 200}
        return (await extractor.ainvoke({"messages": [("user", PROMPT)]}, config=config))["responses"][0]

    extract.later = extract_later
    return extract


LIBRARIES = {
    "instructor": instructor_library,
    "instructor-lenient": lambda url, way: instructor_library(url, way, strict=False),
    "pydantic-ai": pydantic_ai_library,
    "trustcall": trustcall_library,
}


def baml_library(url, _way):
    """Reads and streams only: BAML has no loop, and its types are written in its own language."""
    import types

    import baml_py
    from pydantic import BaseModel

    source = f"""
client<llm> Scripted {{ provider "openai-generic"
  options {{ base_url "{url}"
    model "{MODEL}"
    api_key "a key" }} }}
""" + """
class Line { description string
  quantity int @assert(allowed, {{ this >= 1 and this <= 100 }})
  unit_price float }
class Order { number string @assert(form, {{ this|regex_match("^INV-[0-9]{4}$") }})
  lines Line[] }
function ReadOrder() -> Order {
  client Scripted
  prompt #"
    {{ _.role("user") }} Read the order.
    {{ ctx.output_format }}
  "#
}
"""

    class Line(BaseModel):
        description: str
        quantity: int
        unit_price: float

    class Order(BaseModel):
        number: str
        lines: list[Line]

    class PartialLine(BaseModel):
        description: str | None = None
        quantity: int | None = None
        unit_price: float | None = None

    class PartialOrder(BaseModel):
        number: str | None = None
        lines: list[PartialLine] | None = None

    runtime = baml_py.BamlRuntime.from_files("baml_src", {"types.baml": source}, {})
    context = runtime.create_context_manager()
    known = types.ModuleType("known")
    known.Line, known.Order = Line, Order
    partly = types.ModuleType("partly")
    partly.Line, partly.Order = PartialLine, PartialOrder

    def read(text):
        return runtime.parse_llm_response("ReadOrder", text, known, known, known, False, context, None, None, {})

    def partials(see):
        # Every event. The client that BAML generates passes on the last one of every 10 milliseconds.
        def event(result):
            if result.is_ok():
                see(result.cast_to(known, known, partly, True, runtime))

        stream = runtime.stream_function_sync("ReadOrder", {}, event, context, None, None, [], {})
        see(stream.done(context).cast_to(known, known, partly, False, runtime))

    read.partials = partials
    return read


def repeat(extract, times):
    started, processor = time.perf_counter(), time.process_time()
    for _ in range(times):
        extract(1)
    return {"seconds": time.process_time() - processor, "wall": time.perf_counter() - started}


def many(extract, times, at_once):
    """So many extractions, `at_once` of them in flight."""

    async def all_of_them():
        free = asyncio.Semaphore(at_once)

        async def one():
            async with free:
                return await extract.later()

        return await asyncio.gather(*(one() for _ in range(times)), return_exceptions=True)

    started, processor = time.perf_counter(), time.process_time()
    answers = asyncio.run(all_of_them())
    done = sum(isinstance(answer, Order) for answer in answers)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    taken = {"seconds": time.process_time() - processor, "wall": time.perf_counter() - started}
    failed = next((repr(answer)[:300] for answer in answers if not isinstance(answer, Order)), None)
    return {**taken, "done": done, "peak": peak, "failed": failed}


def watch(partials):
    """Reads a value while it is written; what `ours.rs` counts is counted here."""
    started, processor = time.perf_counter(), time.process_time()
    first, count, retracted, shown, lines = None, 0, 0, {}, 0

    def see(partial):
        nonlocal first, count, retracted, lines
        count += 1
        lines = len(partial.lines or []) if partial is not None else lines
        # These libraries do not say whether a line is complete: it is when another one has begun.
        if first is None and lines > 1:
            first = time.perf_counter() - started
        for at, line in enumerate((partial.lines or [])[:20] if partial is not None else []):
            if line.unit_price is None:
                break
            retracted += shown.get(at, line.unit_price) != line.unit_price
            shown[at] = line.unit_price

    partials(see)
    taken = {"seconds": time.process_time() - processor, "wall": time.perf_counter() - started}
    return {**taken, "first": first, "partials": count, "retracted": retracted, "lines": lines}


def answer(extract, task):
    if task["do"] == "repeat":
        return repeat(extract, task["times"])
    if task["do"] == "many":
        return many(extract, task["times"], task["at_once"])
    if task["do"] == "partials":
        return watch(extract.partials)
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
        tasks = ({**task, "attempts": task.get("text")} for task in map(json.loads, sys.stdin))
        extract = read
    else:
        tasks = map(json.loads, sys.stdin)
        extract = LIBRARIES[name](url, way)
    for task in tasks:
        print(json.dumps(answer(extract, task), allow_nan=True), file=out, flush=True)


if __name__ == "__main__":
    main()
