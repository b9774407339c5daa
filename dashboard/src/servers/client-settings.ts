/** Settings of MCP clients for one server, as each client reads them. */
import type { Server } from './queries.ts';

export interface ClientSettings {
  readonly id: string;
  readonly title: string;
  readonly note?: string;
  readonly parts: readonly { readonly title: string; readonly text: string }[];
}

const KEY = 'sbx_…';

/** Servers that authenticate their callers themselves get no key of this platform. */
export function clientsOf({ slug, servingUrl: url, authentication }: Server): readonly ClientSettings[] {
  const hasKey = authentication !== 'none';
  const headers = hasKey ? { headers: { Authorization: `Bearer ${KEY}` } } : {};
  const json = (value: unknown) => JSON.stringify(value, undefined, 2);
  return [
    {
      id: 'claude-code',
      title: 'Claude Code',
      parts: [
        {
          title: 'Terminal',
          text: [
            `claude mcp add --transport http ${slug} ${url}`,
            ...(hasKey ? [`--header "Authorization: Bearer ${KEY}"`] : []),
          ].join(' \\\n  '),
        },
      ],
    },
    {
      id: 'claude-desktop',
      title: 'Claude Desktop',
      note: 'Its file starts programs, so mcp-remote passes the messages on. It needs Node.',
      parts: [
        {
          title: 'claude_desktop_config.json',
          text: json({
            mcpServers: {
              [slug]: {
                command: 'npx',
                // Windows cuts arguments at spaces, so the value with a space is a variable.
                // biome-ignore lint/suspicious/noTemplateCurlyInString: mcp-remote replaces it.
                args: ['-y', 'mcp-remote', url, ...(hasKey ? ['--header', 'Authorization:${AUTHORIZATION}'] : [])],
                ...(hasKey ? { env: { AUTHORIZATION: `Bearer ${KEY}` } } : {}),
              },
            },
          }),
        },
      ],
    },
    {
      id: 'cursor',
      title: 'Cursor',
      parts: [{ title: '~/.cursor/mcp.json', text: json({ mcpServers: { [slug]: { url, ...headers } } }) }],
    },
    {
      id: 'vscode',
      title: 'VS Code',
      note: hasKey ? 'VS Code asks for the key once and keeps it.' : undefined,
      parts: [
        {
          title: '.vscode/mcp.json',
          text: json({
            ...(hasKey
              ? { inputs: [{ type: 'promptString', id: 'key', description: 'API key', password: true }] }
              : {}),
            servers: {
              [slug]: {
                type: 'http',
                url,
                // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code replaces it.
                ...(hasKey ? { headers: { Authorization: 'Bearer ${input:key}' } } : {}),
              },
            },
          }),
        },
      ],
    },
    {
      id: 'codex',
      title: 'Codex',
      parts: [
        {
          title: '~/.codex/config.toml',
          text: [
            `[mcp_servers.${slug}]`,
            `url = "${url}"`,
            ...(hasKey ? ['bearer_token_env_var = "SIGNALBOX_KEY"'] : []),
          ].join('\n'),
        },
        ...(hasKey ? [{ title: 'Terminal', text: `export SIGNALBOX_KEY=${KEY}` }] : []),
      ],
    },
    {
      id: 'chatgpt',
      title: 'ChatGPT',
      note: hasKey
        ? 'The connectors of ChatGPT sign in with OAuth and send no key of yours. Use the key in a call of the OpenAI API, which must reach this address from the internet.'
        : 'Add it under Settings, Connectors. ChatGPT must reach this address from the internet.',
      parts: hasKey
        ? [
            {
              title: 'openai_call.py',
              text: [
                'from openai import OpenAI',
                '',
                'response = OpenAI().responses.create(',
                '    model="gpt-5",',
                '    input="What can you do with these tools?",',
                '    tools=[{',
                '        "type": "mcp",',
                `        "server_label": "${slug}",`,
                `        "server_url": "${url}",`,
                `        "authorization": "${KEY}",`,
                '        "require_approval": "never",',
                '    }],',
                ')',
                'print(response.output_text)',
              ].join('\n'),
            },
          ]
        : [{ title: 'Address', text: url }],
    },
    { id: 'python', title: 'Python', parts: [{ title: 'pip install mcp', text: pythonOf(url, hasKey) }] },
    {
      id: 'typescript',
      title: 'TypeScript',
      parts: [{ title: 'npm install @modelcontextprotocol/sdk', text: typescriptOf(url, hasKey) }],
    },
    { id: 'curl', title: 'curl', parts: [{ title: 'Terminal', text: curlOf(url, hasKey) }] },
  ].map(({ note, ...client }) => (note === undefined ? client : { ...client, note }));
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
