/**
 * A server as the `server.json` of the MCP registry. Source: `server.schema.json` of 2025-12-11, the latest version
 * that the registry has published.
 */
import { isIP } from 'node:net';
import type { OrganizationContext } from '../../context/platform-context.ts';
import { serverOf } from '../servers/server/answers.ts';
import { isSignInOffered } from '../servers/server/clients.ts';
import type { ServerRow } from '../servers/server/queries.ts';

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

const MAX_TEXT = 100;
const MAX_NAME = 200;

/**
 * The version rises with each change of the connection and of the server's offer. A header is required only if clients
 * cannot sign people in.
 */
export function serverJsonOf(context: OrganizationContext, row: ServerRow) {
  const server = serverOf(context, row, null);
  const { name: title, description, servingUrl: url, authentication } = server;
  const headers = authentication === 'none' ? [] : [keyHeader(!isSignInOffered(context, server))];
  return {
    $schema: SCHEMA,
    name: registryName(url, `${context.organization.slug}.${row.slug}`),
    title: cut(title),
    description: cut(description.replace(/\s+/g, ' ').trim() || `The MCP server ${title}.`),
    version: `1.${row.connection_version}.${row.manifest_version}`,
    remotes: [{ type: 'streamable-http', url, ...(headers.length > 0 ? { headers } : {}) }],
  };
}

function keyHeader(isRequired: boolean) {
  const key = { description: 'An API key of Signalbox', isRequired: true, isSecret: true, placeholder: 'sbx_…' };
  return {
    name: 'Authorization',
    description: isRequired ? 'An API key' : 'An API key, for clients that cannot sign in a person with the browser',
    isRequired,
    isSecret: true,
    value: 'Bearer {api_key}',
    variables: { api_key: key },
  };
}

/** The host name reversed, which is the registry's form of a domain's owner: `example.signalbox/default.docs`. */
function registryName(url: string, name: string): string {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const owner = isIP(host) ? host.replace(/[^a-zA-Z0-9.]+/g, '-') : host.split('.').reverse().join('.');
  return `${owner}/${name}`.slice(0, MAX_NAME);
}

/** Cuts at the last space that fits. */
function cut(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const start = text.slice(0, MAX_TEXT - 1);
  const space = start.lastIndexOf(' ');
  const kept = space > MAX_TEXT / 2 ? start.slice(0, space) : start.replace(/[\ud800-\udbff]$/, '');
  return `${kept}…`;
}
