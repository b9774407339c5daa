/**
 * The resources that an item of a list names in its `_meta`: the page that shows the results of a tool, and others. A
 * client reads them by the URIs of the remix, or not at all. Source: modelcontextprotocol/ext-apps, "UI Resource
 * Discovery" (`_meta.ui.resourceUri`, whose scheme is `ui`).
 */
import { isObject, type JsonObject } from '../../protocol/message.ts';

/** Deeper values are forwarded unchanged. */
const MAX_DEPTH = 8;
/** Only resources have this scheme, so a text that begins with it names one. */
const PAGE = 'ui://';
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

export interface Referring {
  readonly item: Readonly<JsonObject>;
  /** URIs of pages in the item that clients of the remix cannot read. */
  readonly leftOut: readonly string[];
}

/** `uriOf` returns the URI at the remix; undefined for a resource that it does not offer. */
export function withReferences(item: Readonly<JsonObject>, uriOf: (uri: string) => string | undefined): Referring {
  const { _meta: meta } = item;
  if (!isObject(meta)) return { item, leftOut: [] };
  const leftOut = new Set<string>();
  const kept = keptOf(meta, MAX_DEPTH, (text) => {
    const uri = SCHEME.test(text) ? uriOf(text) : undefined;
    if (uri !== undefined || !text.startsWith(PAGE)) return uri ?? text;
    leftOut.add(text);
    return undefined;
  });
  return { item: kept === meta ? item : { ...item, _meta: kept }, leftOut: [...leftOut] };
}

/** Returns the same value if nothing changes; undefined if nothing is left. */
function keptOf(value: unknown, depth: number, textOf: (text: string) => string | undefined): unknown {
  if (typeof value === 'string') return textOf(value);
  if (depth === 0) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => keptOf(item, depth - 1, textOf));
    if (items.every((item, index) => item === value[index])) return value;
    return nonEmpty(items.filter((item) => item !== undefined));
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, keptOf(member, depth - 1, textOf)] as const);
  if (entries.every(([name, member]) => member === value[name])) return value;
  const kept = entries.filter(([, member]) => member !== undefined);
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

function nonEmpty(items: unknown[]): unknown[] | undefined {
  return items.length > 0 ? items : undefined;
}
