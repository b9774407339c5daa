/** Programs that list the tools of a server. They send a key, because no person is there to sign in. */
import type { ServerClient } from './client-schema.ts';

const KEY = 'sbx_…';

export function clientCode(url: string, hasKey: boolean): ServerClient[] {
  const programs = [
    { id: 'python', title: 'Python', part: 'pip install mcp', text: pythonOf(url, hasKey) },
    {
      id: 'typescript',
      title: 'TypeScript',
      part: 'npm install @modelcontextprotocol/sdk',
      text: typescriptOf(url, hasKey),
    },
    { id: 'curl', title: 'curl', part: 'Terminal', text: curlOf(url, hasKey) },
  ];
  return programs.map(({ id, title, part, text }) => ({
    id,
    title,
    note: null,
    link: null,
    parts: [{ title: part, text }],
  }));
}

function pythonOf(url: string, hasKey: boolean): string {
  const headers = hasKey ? `, headers={"Authorization": "Bearer ${KEY}"}` : '';
  return `import asyncio

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


async def main():
    url = "${url}"
    async with streamablehttp_client(url${headers}) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            print([tool.name for tool in (await session.list_tools()).tools])


asyncio.run(main())`;
}

function typescriptOf(url: string, hasKey: boolean): string {
  const options = hasKey ? `, {\n  requestInit: { headers: { Authorization: 'Bearer ${KEY}' } },\n}` : '';
  return `import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const client = new Client({ name: 'example', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL('${url}')${options}));
console.log(await client.listTools());`;
}

function curlOf(url: string, hasKey: boolean): string {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } };
  return [
    `curl ${url}`,
    ...(hasKey ? [`-H "Authorization: Bearer ${KEY}"`] : []),
    '-H "content-type: application/json"',
    '-H "accept: application/json, text/event-stream"',
    '-H "mcp-protocol-version: 2026-07-28" -H "mcp-method: tools/list"',
    `-d '${JSON.stringify(message)}'`,
  ].join(' \\\n  ');
}
