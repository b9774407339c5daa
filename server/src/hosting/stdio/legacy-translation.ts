/**
 * Requests of the revision 2026-07-28 for a program that only knows sessions: what such a program answers, in the words of
 * the newer revision. Source: MCP specification 2026-07-28.
 */
import { replaceAt, spanOf, textAt, withValue } from './json-span.ts';
import type { Message } from './message.ts';

export const MODERN_VERSION = '2026-07-28';
/** What this bridge asks for in `initialize`. */
export const LEGACY_VERSION = '2025-11-25';

/** Requests that the revision no longer has. */
export const REMOVED_METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

/** Results that must say how long, and for whom, they may be kept. */
const CACHEABLE: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

const RESOURCE_NOT_FOUND = '-32002';
const INVALID_PARAMS = '-32602';

/** The answer to `method`, with what the newer revision asks of it. */
export function translated(text: string, method: string): string {
  const error = spanOf(text, ['error', 'code']);
  if (error) return textAt(text, error) === RESOURCE_NOT_FOUND ? replaceAt(text, error, INVALID_PARAMS) : text;
  const result = spanOf(text, ['result']);
  if (!result || text[result.start] !== '{' || spanOf(text, ['result', 'resultType'])) return text;
  const added = `"resultType":"complete"${CACHEABLE.has(method) ? ',"ttlMs":0,"cacheScope":"private"' : ''}`;
  const isEmpty = /^\{\s*\}$/.test(textAt(text, result));
  return `${text.slice(0, result.start + 1)}${added}${isEmpty ? '' : ','}${text.slice(result.start + 1)}`;
}

interface Initialized {
  readonly capabilities?: Readonly<Record<string, { readonly listChanged?: boolean }>>;
  readonly serverInfo?: unknown;
  readonly instructions?: unknown;
}

/** The answer to `server/discover`, made of the answer to `initialize`. */
export function discovered(initialize: Message, idText: string): string {
  const { capabilities = {}, serverInfo, instructions } = (initialize.value.result ?? {}) as Initialized;
  const result = {
    resultType: 'complete',
    supportedVersions: [MODERN_VERSION],
    capabilities: Object.fromEntries(
      Object.entries(capabilities).map(([name, value]) =>
        // A single resource cannot be subscribed to through this bridge.
        name === 'resources' ? [name, { ...value, subscribe: false }] : [name, value],
      ),
    ),
    ...(instructions === undefined ? {} : { instructions }),
    ttlMs: 0,
    cacheScope: 'private',
    ...(serverInfo === undefined ? {} : { _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } }),
  };
  return withValue(`{"jsonrpc":"2.0","id":0,"result":${JSON.stringify(result)}}`, ['id'], idText);
}

const LISTS = {
  toolsListChanged: ['tools', 'notifications/tools/list_changed'],
  promptsListChanged: ['prompts', 'notifications/prompts/list_changed'],
  resourcesListChanged: ['resources', 'notifications/resources/list_changed'],
} as const;

/** Which notifications a `subscriptions/listen` is given, and the filter that says so. */
export function honoured(listen: Message, initialize: Message): { filter: object; methods: ReadonlySet<string> } {
  const { capabilities = {} } = (initialize.value.result ?? {}) as Initialized;
  const asked = (listen.value.params?.['notifications'] ?? listen.value.params ?? {}) as Record<string, unknown>;
  const given = Object.entries(LISTS).filter(
    ([name, [capability]]) => asked[name] === true && capabilities[capability]?.listChanged === true,
  );
  return {
    filter: Object.fromEntries(given.map(([name]) => [name, true])),
    methods: new Set(given.map(([, [, method]]) => method)),
  };
}
