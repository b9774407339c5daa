/**
 * Secrets in the data of a block. A block schema lists them as `secret_fields`: dotted paths, `*` for every key. A path
 * through a list applies to each element.
 */
import { isJsonObject, type JsonText, keepOrder, parseObject } from '../../../values/json.ts';

/** In an answer it replaces a secret; in a change it keeps the stored value. */
export const HIDDEN = '********';

type Path = readonly string[];
type Data = Record<string, unknown>;

export function secretPathsOf(fields: JsonText): Path[] {
  const given = parseObject(fields)['secret_fields'];
  if (!Array.isArray(given)) return [];
  return [...new Set(given)].filter((path) => typeof path === 'string').map((path) => path.split('.'));
}

/** A copy of `data` without its secrets. Null is not a secret. */
export function hideSecrets(data: Data, paths: readonly Path[]): Data {
  return paths.reduce((hidden, path) => hide(hidden, path) as Data, data);
}

/** A copy of `data` in which each hidden secret has its value from `stored`. */
export function restoreSecrets(data: Data, stored: Data, paths: readonly Path[]): Data {
  return paths.reduce((restored, path) => restore(restored, stored, path) as Data, data);
}

function hide(value: unknown, [key, ...rest]: Path): unknown {
  if (value === null || value === undefined) return value;
  if (key === undefined) return HIDDEN;
  if (Array.isArray(value) && key !== '*') return value.map((element) => hide(element, [key, ...rest]));
  if (key === '*') {
    if (!isJsonObject(value) || Object.keys(value).length === 0) return HIDDEN;
    return mapMembers(value, (member) => (rest.length === 0 ? hideAll(member) : hide(member, rest)));
  }
  if (!isJsonObject(value) || !Object.hasOwn(value, key)) return value;
  return mapMembers(value, (member, name) => (name === key ? hide(member, rest) : member));
}

function hideAll(value: unknown): unknown {
  return isJsonObject(value) && Object.keys(value).length > 0 ? mapMembers(value, hideAll) : HIDDEN;
}

function restore(value: unknown, stored: unknown, [key, ...rest]: Path): unknown {
  if (value === HIDDEN && (key === undefined || key === '*')) return stored === undefined ? value : stored;
  if (key === undefined) return value;
  if (Array.isArray(value)) {
    // When the number of elements differs, it is unclear which secret belongs to which element.
    if (key === '*' || !Array.isArray(stored) || stored.length !== value.length) return value;
    return value.map((element, index) => restore(element, stored[index], [key, ...rest]));
  }
  if (!isJsonObject(value) || !isJsonObject(stored)) return value;
  return mapMembers(value, (member, name) => {
    const before = Object.hasOwn(stored, name) ? stored[name] : undefined;
    if (key === '*') return rest.length === 0 ? restore(member, before, ['*']) : restore(member, before, rest);
    return name === key ? restore(member, before, rest) : member;
  });
}

function mapMembers(object: Data, change: (member: unknown, name: string) => unknown): Data {
  const copy = Object.fromEntries(Object.entries(object).map(([name, member]) => [name, change(member, name)]));
  keepOrder(object, copy);
  return copy;
}
