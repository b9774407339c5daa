/** The `definitions` of a block schema: JSON Schema parts that its fields refer to as `#/definitions/<name>`. */
import { isJsonObject, keysInOrder } from '../../../values/json.ts';

export type JsonFields = Record<string, unknown>;

const PREFIX = '#/definitions/';

/**
 * The fields with the definitions that they reach, without nested blocks: a nested block has a schema of its own, to
 * which the fields refer. Empty `definitions` stay; `definitions` that become empty are removed.
 */
export function withPlainDefinitions(fields: JsonFields): JsonFields {
  const { definitions: given, ...rest } = fields;
  if (given === undefined || given === null || (isJsonObject(given) && Object.keys(given).length === 0)) return fields;
  const plain = reachedDefinitions(fields).filter(([, definition]) => !isBlockDefinition(definition));
  return plain.length > 0 ? { ...rest, definitions: Object.fromEntries(plain) } : rest;
}

/** The definitions that the fields reach, directly or through each other, in the order in which they are reached. */
function reachedDefinitions(fields: JsonFields): [string, unknown][] {
  const all = fields['definitions'];
  if (!isJsonObject(all)) return [];
  const { definitions: _, ...rest } = fields;
  const reached = new Map<string, unknown>();
  const visit = (value: unknown) => {
    for (const name of namesIn(value)) {
      if (reached.has(name) || !Object.hasOwn(all, name)) continue;
      reached.set(name, all[name]);
      visit(all[name]);
    }
  };
  visit(rest);
  return [...reached];
}

export function isBlockDefinition(definition: unknown): definition is JsonFields {
  return isJsonObject(definition) && typeof definition['block_type_slug'] === 'string';
}

function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isJsonObject(value)) return [];
  return keysInOrder(value).flatMap((key) => {
    const member = value[key];
    return key === '$ref' && typeof member === 'string' && member.startsWith(PREFIX)
      ? [member.slice(PREFIX.length)]
      : namesIn(member);
  });
}
