/** The parts of a body that the decoder of a schema reads, for the reader of large bodies. */
import type { Layout } from '../values/json.ts';
import { preparationOf } from './kinds.ts';
import { isNull, listItems, mapValues, type SchemaNode, tupleItems } from './schema-node.ts';

/** A value whose content no decoder reads is open; a value whose shape only its decoder knows is closed. */
export function layoutOf(schema: SchemaNode | undefined): Layout {
  if (!schema) return 'open';
  if (schema['~lazy'] || preparationOf(schema) || schema.oneOf) return 'closed';
  if (schema.anyOf) return layoutOfAny(schema.anyOf.filter((branch) => !isNull(branch)).map(layoutOf));
  if (schema.type === 'array') return layoutOfList(schema);
  if (schema.type !== 'object') return 'open';
  if (!schema.properties) return mapValues(schema) ? 'closed' : 'open';
  const properties = Object.entries(schema.properties).map(([name, property]) => [name, layoutOf(property)] as const);
  return { properties: new Map(properties) };
}

function layoutOfAny(branches: readonly Layout[]): Layout {
  const [only = 'open', ...others] = branches;
  if (others.length === 0) return only;
  return branches.every((branch) => branch === 'open') ? 'open' : 'closed';
}

function layoutOfList(schema: SchemaNode): Layout {
  if (tupleItems(schema)) return 'closed';
  const items = listItems(schema);
  return items ? { items: layoutOf(items) } : 'open';
}
