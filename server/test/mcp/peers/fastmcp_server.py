"""A FastMCP server that listens on the port of its only argument."""

import sys

from fastmcp import FastMCP

server = FastMCP("fastmcp")


@server.tool
def echo(text: str) -> str:
    """Answers its text."""
    return text


@server.resource("mem://note")
def note() -> str:
    """A note."""
    return "a note"


@server.prompt
def greet(who: str) -> str:
    """Greets somebody."""
    return f"Hello {who}"


server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), path="/mcp", show_banner=False)
