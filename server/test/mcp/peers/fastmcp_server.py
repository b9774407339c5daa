"""A FastMCP server that listens on the port of its only argument, or of PORT, or speaks over standard input and output."""

import os
import sys

from fastmcp import Context, FastMCP

server = FastMCP("fastmcp")


@server.tool
def echo(text: str) -> str:
    """Answers its text."""
    return text


@server.tool
async def progress(context: Context) -> str:
    """Tells how far it is."""
    for step in range(3):
        await context.report_progress(step, 2)
    return "done"


@server.resource("mem://note")
def note() -> str:
    """A note."""
    return "a note"


@server.prompt
def greet(who: str) -> str:
    """Greets somebody."""
    return f"Hello {who}"


if sys.argv[1:] == ["stdio"]:
    server.run(transport="stdio", show_banner=False)
else:
    port = int(sys.argv[1] if sys.argv[1:] else os.environ["PORT"])
    server.run(transport="http", host="127.0.0.1", port=port, path="/mcp", show_banner=False)
