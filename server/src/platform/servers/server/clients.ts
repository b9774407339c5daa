/**
 * Instructions for the usual clients to connect to one server: text to paste, and a link that opens the client with the
 * server in it.
 */

import type { OrganizationContext } from '../../../context/platform-context.ts';
import { oauthPlaceAt } from '../../../network/oauth-place.ts';
import { clientCode } from './client-code.ts';
import type { ServerClient } from './client-schema.ts';
import type { Server } from './schema.ts';

/** The facts about a server that a client needs. */
type ClientServer = Pick<Server, 'slug' | 'name' | 'servingUrl' | 'authentication'>;

/**
 * The way in which a caller authenticates. A server that authenticates its callers itself gets no key of this platform.
 */
type Proof = 'sign-in' | 'key' | 'none';

const KEY = 'sbx_…';
const KEY_VARIABLE = 'SIGNALBOX_KEY';

/** True if clients can have a person sign in with the browser at this server. */
export function isSignInOffered(
  { server, origin }: Pick<OrganizationContext, 'server' | 'origin'>,
  { authentication }: Pick<ClientServer, 'authentication'>,
): boolean {
  return authentication === 'platform' && oauthPlaceAt(server.config, origin) !== undefined;
}

export function clientsOf(
  context: Pick<OrganizationContext, 'server' | 'origin'>,
  server: ClientServer,
): ServerClient[] {
  const proof: Proof = server.authentication === 'none' ? 'none' : isSignInOffered(context, server) ? 'sign-in' : 'key';
  return [
    claude(server, proof),
    claudeCode(server, proof),
    claudeDesktop(server, proof),
    chatGpt(server, proof),
    cursor(server, proof),
    vsCode(server, proof),
    codex(server, proof),
    ...clientCode(server.servingUrl, proof !== 'none'),
  ];
}

/** Source: claude.com, "Directory connectors and custom connectors". */
function claude({ name, servingUrl }: ClientServer, proof: Proof): ServerClient {
  const link = new URL('https://claude.ai/customize/connectors?modal=add-custom-connector');
  link.searchParams.set('connectorName', name);
  link.searchParams.set('connectorUrl', servingUrl);
  const isUsable = proof !== 'key';
  return {
    id: 'claude',
    title: 'Claude',
    note: isUsable
      ? 'Claude on the web and its apps connect from the internet, so they must reach this address from there.'
      : 'Connectors of Claude sign in people with the browser, which this address or this server does not support. Use Claude Code with a key.',
    link: isUsable ? link.href : null,
    parts: [{ title: 'Remote MCP server URL', text: servingUrl }],
  };
}

function claudeCode({ slug, servingUrl }: ClientServer, proof: Proof): ServerClient {
  const plain = `claude mcp add --transport http ${slug} ${servingUrl}`;
  const keyed = `${plain} \\\n  --header "Authorization: Bearer ${KEY}"`;
  const commands = { 'sign-in': plain, none: plain, key: keyed };
  return {
    id: 'claude-code',
    title: 'Claude Code',
    note: proof === 'sign-in' ? 'Enter /mcp in Claude Code to sign in.' : null,
    link: null,
    parts: [
      { title: 'Terminal', text: commands[proof] },
      ...(proof === 'sign-in' ? [{ title: 'Terminal, with a key', text: keyed }] : []),
    ],
  };
}

function claudeDesktop({ slug, servingUrl }: ClientServer, proof: Proof): ServerClient {
  const isKeyed = proof === 'key';
  return {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    note: 'Its configuration file starts programs, so mcp-remote forwards the messages. It needs Node.',
    link: null,
    parts: [
      {
        title: 'claude_desktop_config.json',
        text: json({
          mcpServers: {
            [slug]: {
              command: 'npx',
              // Windows splits arguments at spaces, so a value with a space is put into a variable.
              args: [
                '-y',
                'mcp-remote',
                servingUrl,
                // biome-ignore lint/suspicious/noTemplateCurlyInString: mcp-remote replaces it.
                ...(isKeyed ? ['--header', 'Authorization:${AUTHORIZATION}'] : []),
              ],
              ...(isKeyed ? { env: { AUTHORIZATION: `Bearer ${KEY}` } } : {}),
            },
          },
        }),
      },
    ],
  };
}

function chatGpt({ slug, servingUrl }: ClientServer, proof: Proof): ServerClient {
  const common = { id: 'chatgpt', title: 'ChatGPT' };
  if (proof !== 'key') {
    return {
      ...common,
      note: 'Add it under Settings, Apps and connectors. ChatGPT must reach this address from the internet.',
      link: 'https://chatgpt.com/#settings/Connectors',
      parts: [{ title: 'MCP server URL', text: servingUrl }],
    };
  }
  return {
    ...common,
    note: 'The connectors of ChatGPT sign in with OAuth and cannot send your key. Use the key in a call of the OpenAI API, which must reach this address from the internet.',
    link: null,
    parts: [
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
          `        "server_url": "${servingUrl}",`,
          `        "authorization": "${KEY}",`,
          '        "require_approval": "never",',
          '    }],',
          ')',
          'print(response.output_text)',
        ].join('\n'),
      },
    ],
  };
}

/** Source: cursor.com, "MCP install links"; the variable is replaced as "Config interpolation" says. */
function cursor({ slug, servingUrl: url }: ClientServer, proof: Proof): ServerClient {
  const isKeyed = proof === 'key';
  const settings = isKeyed ? { url, headers: { Authorization: `Bearer \${env:${KEY_VARIABLE}}` } } : { url };
  const config = encodeURIComponent(Buffer.from(JSON.stringify(settings)).toString('base64'));
  return {
    id: 'cursor',
    title: 'Cursor',
    note: isKeyed ? `Cursor reads the key from the variable ${KEY_VARIABLE} of its environment.` : null,
    link: `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(slug)}&config=${config}`,
    parts: [{ title: '~/.cursor/mcp.json', text: json({ mcpServers: { [slug]: settings } }) }],
  };
}

/** Source: code.visualstudio.com, "MCP developer guide", URL handler. */
function vsCode({ slug, servingUrl: url }: ClientServer, proof: Proof): ServerClient {
  const isKeyed = proof === 'key';
  const inputs = [{ type: 'promptString', id: 'key', description: 'API key', password: true }];
  const settings = {
    type: 'http',
    url,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code replaces it.
    ...(isKeyed ? { headers: { Authorization: 'Bearer ${input:key}' } } : {}),
  };
  const asked = isKeyed ? { inputs } : {};
  return {
    id: 'vscode',
    title: 'VS Code',
    note: isKeyed ? 'VS Code asks for the key once and keeps it.' : null,
    link: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: slug, ...settings, ...asked }))}`,
    parts: [{ title: '.vscode/mcp.json', text: json({ ...asked, servers: { [slug]: settings } }) }],
  };
}

function codex({ slug, servingUrl }: ClientServer, proof: Proof): ServerClient {
  const isKeyed = proof === 'key';
  const lines = [`[mcp_servers.${slug}]`, `url = "${servingUrl}"`];
  return {
    id: 'codex',
    title: 'Codex',
    note: null,
    link: null,
    parts: [
      {
        title: '~/.codex/config.toml',
        text: [...lines, ...(isKeyed ? [`bearer_token_env_var = "${KEY_VARIABLE}"`] : [])].join('\n'),
      },
      ...(isKeyed ? [{ title: 'Terminal', text: `export ${KEY_VARIABLE}=${KEY}` }] : []),
      ...(proof === 'sign-in' ? [{ title: 'Terminal', text: `codex mcp login ${slug}` }] : []),
    ],
  };
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
