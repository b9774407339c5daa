import { isJsonObject } from '../values/json.ts';
import { pythonQuote, pythonRepr } from '../values/python-text.ts';
import { META_SCHEMA_ID, metaSchema } from './meta-schema.ts';
import { SchemaFault } from './schema-error.ts';

/** A schema, and the document in which its own references are resolved. */
interface Resolved {
  readonly schema: unknown;
  readonly document: unknown;
}

/** The schemas that `$id` and `$anchor` name inside a document, collected when a reference first needs one. */
export type Names = Map<string, unknown>;

/**
 * Follows a reference. Fetches nothing: a reference outside of the document fails, except to the meta-schema. Throws
 * SchemaFault in the words of Python's `referencing`.
 */
export function resolveReference(reference: string, document: unknown, namesOf: () => Names): Resolved {
  const hash = reference.indexOf('#');
  const base = hash < 0 ? reference : reference.slice(0, hash);
  const fragment = hash < 0 ? '' : reference.slice(hash + 1);
  if (base === META_SCHEMA_ID) return { schema: metaSchema, document: metaSchema };
  const within = base === '' ? document : namesOf().get(base);
  if (within === undefined) throw new SchemaFault('reference', `Unresolvable: ${reference}`);
  if (fragment === '') return { schema: within, document };
  if (fragment.startsWith('/')) return { schema: follow(fragment, within), document };
  const anchored = namesOf().get(`#${fragment}`);
  if (anchored === undefined) throw notThere('NoSuchAnchor', fragment, within);
  return { schema: anchored, document };
}

function follow(fragment: string, document: unknown): unknown {
  const pointer = decode(fragment);
  let value = document;
  for (const step of pointer.slice(1).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const child = Array.isArray(value) ? value[Number(key)] : isJsonObject(value) && ownValue(value, key);
    if (child === undefined || child === false) {
      if (!(isJsonObject(value) && Object.hasOwn(value, key))) throw notThere('PointerToNowhere', pointer, document);
    }
    value = child;
  }
  return value;
}

function ownValue(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function notThere(kind: string, name: string, document: unknown): SchemaFault {
  return new SchemaFault('reference', `${kind}: ${pythonRepr(name)} does not exist within ${pythonQuote(document)}`);
}

/** All `$id`, and all `$anchor` and `$dynamicAnchor` after a `#`, of a document. `visit` is called for each value. */
export function findNames(document: unknown, visit: () => void): Names {
  const names: Names = new Map();
  const pending = [document];
  while (pending.length > 0) {
    const value = pending.pop();
    visit();
    if (Array.isArray(value)) {
      for (const item of value) pending.push(item);
    } else if (isJsonObject(value)) {
      const { $id, $anchor, $dynamicAnchor } = value;
      if (typeof $id === 'string') names.set($id.replace(/#$/, ''), value);
      if (typeof $anchor === 'string') names.set(`#${$anchor}`, value);
      if (typeof $dynamicAnchor === 'string') names.set(`#${$dynamicAnchor}`, value);
      for (const child of Object.values(value)) pending.push(child);
    }
  }
  return names;
}
