"""The Python clients: client.py <mcp|fastmcp|fastmcp-legacy> <url> <key> <server>. Prints one line for each thing that works."""

import asyncio
import sys

kind, url, key, peer = sys.argv[1:5]
# The server is asked through a policy that allows nothing but the tool "echo".
narrow = sys.argv[5:] == ["narrow"]
given = {"message": "hi"} if peer == "reference" else {"text": "hi"}


def done(what):
    print(f"ok {what}")


async def refuses(*attempts):
    for attempt in attempts:
        try:
            answer = await asyncio.wait_for(attempt(), 10)
        except asyncio.TimeoutError:
            raise AssertionError("the client hangs") from None
        except Exception:
            continue
        raise AssertionError(f"not refused: {answer}")
    done("refused")


async def with_fastmcp(mode):
    from fastmcp import Client
    from fastmcp.client.auth import BearerAuth
    from fastmcp.client.transports import StreamableHttpTransport

    steps = []

    async def progress(step, total, message):
        steps.append(step)

    transport = StreamableHttpTransport(url, auth=BearerAuth(key))
    async with Client(transport, timeout=30, mode=mode, progress_handler=progress) as client:
        done("connect")
        if narrow:
            await refuses(
                lambda: client.call_tool("test_simple_text", {}),
                lambda: client.read_resource("test://static-text"),
                lambda: client.get_prompt("test_simple_prompt"),
            )
            assert [tool.name for tool in await client.list_tools()] == ["echo"]
            assert "hi" in (await client.call_tool("echo", given)).content[0].text
            done("goes on")
            return
        names = [tool.name for tool in await client.list_tools()]
        if peer == "builtin":
            assert (await client.call_tool("get_overview", {})).content
            assert await client.list_resources() and await client.list_prompts()
            done("builtin")
            return
        assert "echo" in names
        done("tools/list")
        answer = await client.call_tool("echo", given)
        assert "hi" in answer.content[0].text
        done("tools/call")
        resources = await client.list_resources()
        assert await client.read_resource(resources[0].uri)
        done("resources")
        assert await client.list_prompts()
        done("prompts/list")
        if peer == "everything":
            await client.call_tool("test_tool_with_progress", {})
            assert steps == [0, 50, 100], steps
            done("progress")


async def with_mcp():
    import httpx2
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    headers = {"Authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        async with streamable_http_client(url, http_client=http) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                await session.initialize()
                done("connect")
                if narrow:
                    await refuses(
                        lambda: session.call_tool("test_simple_text", {}),
                        lambda: session.read_resource("test://static-text"),
                        lambda: session.get_prompt("test_simple_prompt"),
                    )
                    assert [tool.name for tool in (await session.list_tools()).tools] == ["echo"]
                    assert "hi" in (await session.call_tool("echo", given)).content[0].text
                    done("goes on")
                    return
                names = [tool.name for tool in (await session.list_tools()).tools]
                if peer == "builtin":
                    assert (await session.call_tool("get_overview", {})).content
                    done("builtin")
                    return
                assert "echo" in names
                done("tools/list")
                answer = await session.call_tool("echo", given)
                assert "hi" in answer.content[0].text
                done("tools/call")
                resources = (await session.list_resources()).resources
                assert (await session.read_resource(resources[0].uri)).contents
                done("resources")
                assert (await session.list_prompts()).prompts
                done("prompts/list")


work = with_mcp() if kind == "mcp" else with_fastmcp("legacy" if kind.endswith("legacy") else "auto")
asyncio.run(asyncio.wait_for(work, 90))
