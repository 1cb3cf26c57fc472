"""The server, met by the official Python SDK: over stdio and HTTP, with the handshake and without."""

import asyncio
import sys
import urllib.error
import urllib.request

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from common import PATHS, RIGHT, TOKEN, WRONG, WRONG_SUM, check, kept, listening, scratch


def text(result):
    return "".join(block.text for block in result.content)


def over_http(url, **headers):
    return streamable_http_client(url, http_client=httpx2.AsyncClient(headers=headers))


async def describe(client):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    check(list(tools) == ["example", "validate", "submit"], tools)
    submit = tools["submit"]
    check(submit.input_schema["properties"]["currency"]["enum"] == ["EUR", "USD", "GBP"], submit)
    check(submit.output_schema["properties"]["value"]["properties"]["lines"], submit)
    check(tools["validate"].annotations.read_only_hint is True, tools["validate"])
    check(submit.annotations.read_only_hint is False, submit)


async def converse(client):
    """From the example to an accepted value. The SDK itself checks every result against its `outputSchema`."""
    await describe(client)
    example = await client.call_tool("example", {})
    check(not example.is_error, example)
    check(example.structured_content["example"]["number"] == "INV-0042", example)

    wrong = await client.call_tool("submit", WRONG)
    check(wrong.is_error, wrong)
    check([v["path"] for v in wrong.structured_content["violations"]] == PATHS, wrong)
    check(text(wrong).startswith("Attempt 2 of 3. Your answer was not accepted: 2 violations."), text(wrong))

    sum_ = await client.call_tool("validate", WRONG_SUM)
    check(sum_.structured_content["violations"][0]["code"] == "RULE", sum_)
    check(sum_.structured_content["attempts_left"] == 1, sum_)

    right = await client.call_tool("submit", RIGHT)
    check(not right.is_error, right)
    check(right.structured_content["status"] == "accepted", right)
    check(right.structured_content["value"] == RIGHT, right)
    check(text(right) == "Accepted in attempt 3 of 3. No further action is needed.", text(right))


async def stdio(server, mode):
    with scratch() as out:
        parameters = StdioServerParameters(command=server, args=["--out", out])
        async with Client(parameters, mode=mode) as client:
            await converse(client)
            again = await client.call_tool("submit", RIGHT)
            check(again.structured_content["status"] == "accepted", "the next one begins anew", again)
        check(kept(out) == [{"invoice": RIGHT, "attempts": 3}, {"invoice": RIGHT, "attempts": 1}], kept(out))


async def http(server, mode):
    with scratch() as out, listening(server, "--out", out) as (url, _):
        async with Client(over_http(url, Authorization=f"Bearer {TOKEN}"), mode=mode) as client:
            await converse(client)
        check(kept(out) == [{"invoice": RIGHT, "attempts": 3}], kept(out))


async def once(server, mode):
    """The caller gets the value and the client its answer, although the server ends with it."""
    with scratch() as out, listening(server, "--once", "--out", out) as (url, process):
        async with Client(over_http(url, Authorization=f"Bearer {TOKEN}"), mode=mode) as client:
            await converse(client)
        check(await asyncio.to_thread(process.wait, 20) == 0, "status")
        check(kept(out) == [{"invoice": RIGHT, "attempts": 3}], kept(out))


async def used_up(server, mode):
    with scratch() as out, listening(server, "--once", "--out", out) as (url, process):
        async with Client(over_http(url, Authorization=f"Bearer {TOKEN}"), mode=mode) as client:
            for left in (2, 1, 0):
                result = await client.call_tool("submit", WRONG)
                check(result.structured_content["attempts_left"] == left, result)
            check("the last one" in text(result), text(result))
        check(await asyncio.to_thread(process.wait, 20) == 1, "status")
        check(kept(out)[0]["attempts"] == 3 and "3 of 3" in kept(out)[0]["error"], kept(out))


def status(url, **headers):
    """What the server answers to a greeting with these headers."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, b"{}", {"Content-Type": "application/json", **names})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


async def refusals(server, mode):
    right = f"Bearer {TOKEN}"
    with listening(server) as (url, _):
        check(await asyncio.to_thread(status, url) == 401, "no token")
        check(await asyncio.to_thread(lambda: status(url, Authorization="Bearer wrong")) == 401, "wrong token")
        foreign = {"Authorization": right, "Origin": "http://attacker.example"}
        check(await asyncio.to_thread(lambda: status(url, **foreign)) == 403, "foreign origin")
        check(await asyncio.to_thread(lambda: status(url, Authorization=right, Host="attacker.example")) == 403, "host")
        for headers in ({"Authorization": "Bearer wrong"}, foreign):
            try:
                async with asyncio.timeout(30), Client(over_http(url, **headers), mode=mode) as client:
                    await client.list_tools()
            except Exception as error:  # noqa: BLE001 - whatever the SDK makes of a refusal
                print(f"   refused, as it should be: {type(error).__name__}")
            else:
                check(False, "was let in", headers)


async def main(server):
    for scenario in (stdio, http, once, used_up, refusals):
        for mode in ("auto", "legacy"):
            async with asyncio.timeout(120):
                await scenario(server, mode)
            print(f"ok {scenario.__name__} ({mode})")


asyncio.run(main(sys.argv[1]))
