/** The methods of the protocol that the gateway knows by name. */

/** The kinds of capability that a server offers and a policy decides about. */
export const CAPABILITY_KINDS = ['tool', 'resource', 'prompt'] as const;
export type CapabilityKind = (typeof CAPABILITY_KINDS)[number];

/** A list in an answer, and the property that identifies its items. */
interface FilteredList {
  readonly property: string;
  readonly kind: CapabilityKind;
  readonly nameOf: (item: Readonly<Record<string, unknown>>) => unknown;
}

const byName = (item: Readonly<Record<string, unknown>>) => item['name'];

export const LISTS: Readonly<Record<string, FilteredList>> = {
  'tools/list': { property: 'tools', kind: 'tool', nameOf: byName },
  'prompts/list': { property: 'prompts', kind: 'prompt', nameOf: byName },
  'resources/list': { property: 'resources', kind: 'resource', nameOf: (item) => item['uri'] },
  'resources/templates/list': {
    property: 'resourceTemplates',
    kind: 'resource',
    nameOf: (item) => item['uriTemplate'],
  },
};

/** Methods whose name is also sent in `Mcp-Name`. */
export const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** Messages by which client and server keep in touch: they call no tool, and read no resource or prompt. */
export const PROTOCOL_METHODS: readonly string[] = [
  ...Object.keys(LISTS),
  'initialize',
  'server/discover',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  // The gateway's names for messages without a method of their own.
  'response',
  'GET',
  'DELETE',
];

const KNOWN: ReadonlySet<string> = new Set([
  ...PROTOCOL_METHODS,
  ...Object.keys(NAMED_BY),
  'completion/complete',
  // The gateway's name for several messages in one body.
  'batch',
]);

/** For labels that may have only a bounded number of values. */
export function isKnownMethod(method: string): boolean {
  return KNOWN.has(method);
}
