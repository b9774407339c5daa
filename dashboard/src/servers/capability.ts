/** Tools, resources and prompts for display; a server's own JSON may contain anything. */
import type { Capabilities } from './queries.ts';

export interface Capability {
  readonly kind: 'tool' | 'resource' | 'prompt';
  /** Name, URI or URI template, which policies use as the name. */
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly schemas: readonly { readonly title: string; readonly json: string }[];
}

type Json = Readonly<Record<string, unknown>>;

export function capabilitiesIn(capabilities: Capabilities | null): readonly Capability[] {
  if (!capabilities) return [];
  const { tools, resources, resourceTemplates, prompts } = capabilities;
  return [
    ...tools.map((tool) => capability('tool', tool, 'name', { Input: 'inputSchema', Output: 'outputSchema' })),
    ...resources.map((one) => capability('resource', one, 'uri', {})),
    ...resourceTemplates.map((one) => capability('resource', one, 'uriTemplate', {})),
    ...prompts.map((prompt) => capability('prompt', prompt, 'name', { Arguments: 'arguments' })),
  ];
}

/** The schema of a tool's arguments; an object without fields if it has none. */
export function inputSchemaOf(capabilities: Capabilities | null, name: string): Json {
  const tool = capabilities?.tools.find((one) => (one as Json).name === name) as Json | undefined;
  const schema = tool?.inputSchema;
  return typeof schema === 'object' && schema !== null ? (schema as Json) : { type: 'object', properties: {} };
}

function capability(
  kind: Capability['kind'],
  item: Json,
  nameKey: string,
  parts: Readonly<Record<string, string>>,
): Capability {
  const { title, description, name } = item;
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  const own = String(item[nameKey]);
  const other = text(name);
  return {
    kind,
    name: own,
    title: text(title) ?? (other === own ? undefined : other),
    description: text(description) ?? '',
    schemas: Object.entries(parts).flatMap(([of, key]) =>
      item[key] === undefined ? [] : [{ title: of, json: JSON.stringify(item[key], undefined, 2) }],
    ),
  };
}
