"""
The Python clients, which know the address of a server and nothing else: sign_in.py <mcp|fastmcp> <url>. Each prints the
page to open in a browser, waits for the browser to come back, and calls a tool.
"""

import asyncio
import sys
import webbrowser
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

kind, url = sys.argv[1:3]


def show(page):
    print(f"open {page}", flush=True)
    return True


def checked(answer):
    assert "hi" in answer.content[0].text
    print("called echo")


async def with_fastmcp():
    from fastmcp import Client

    webbrowser.open = show
    async with Client(url, auth="oauth", timeout=30) as client:
        checked(await client.call_tool("echo", {"text": "hi"}))


class Storage:
    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def with_mcp():
    import httpx2
    from mcp import ClientSession
    from mcp.client.auth import OAuthClientProvider
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

    seen = []

    class Listener(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"done")
            seen.append(parse_qs(urlsplit(self.path).query))

        def log_message(self, *_):
            pass

    listener = HTTPServer(("127.0.0.1", 0), Listener)
    redirect = f"http://127.0.0.1:{listener.server_port}/callback"

    async def redirected(page):
        show(page)

    async def returned():
        await asyncio.to_thread(listener.handle_request)
        back = {name: values[0] for name, values in seen[0].items()}
        return AuthorizationCodeResult(code=back["code"], state=back.get("state"), iss=back.get("iss"))

    metadata = OAuthClientMetadata(client_name="Python", redirect_uris=[redirect])
    provider = OAuthClientProvider(url, metadata, Storage(), redirected, returned)
    async with httpx2.AsyncClient(auth=provider, timeout=30) as http:
        async with streamable_http_client(url, http_client=http) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                await session.initialize()
                checked(await session.call_tool("echo", {"text": "hi"}))


asyncio.run(asyncio.wait_for(with_mcp() if kind == "mcp" else with_fastmcp(), 90))
