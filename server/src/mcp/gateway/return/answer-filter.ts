/**
 * Applies a restricted view to the answers of a server: lists contain only items that the actor may use, and
 * notifications name only resources that the actor may read. An unchanged message keeps its bytes.
 */
import { WorkAllowance } from '../../../fairness/foreign-work/allowance.ts';
import type { Era } from '../../protocol/era.ts';
import { readExactly } from '../../protocol/exact-json.ts';
import { isObject } from '../../protocol/message.ts';
import { LISTS } from '../../protocol/methods.ts';
import type { CapabilityView } from '../decide/policy.ts';

/** A filter of a server's messages. */
export interface MessageFilter {
  /** False when a message with these bytes passes unchanged: finding it out takes far less time than reading the message. */
  concerns(bytes: Buffer): boolean;
  /** Returns the same text, another one, or undefined when the message is not for this actor. */
  apply(text: string): string | undefined;
}

const lists = Object.values(LISTS);
/** A text without any of these needs no filter. The keys have no other spelling, because escapes are searched too. */
const MARKS = [...lists.map(({ property }) => `"${property}"`), 'resources/updated', '\\u', '\\/'];

export function filterFor(view: CapabilityView, era: Era): MessageFilter | undefined {
  if (view.unrestricted) return undefined;
  return { concerns: concernsCapabilities, apply: (text) => filterMessage(text, view, era) };
}

/** True when a message names capabilities, so that a restricted view may change it. */
export function concernsCapabilities(message: string | Buffer): boolean {
  return MARKS.some((mark) => message.includes(mark));
}

/**
 * Returns the text itself if nothing changes; undefined when it is not for this actor. `work` is the allowance of the
 * whole message.
 */
export function filterMessage(
  text: string,
  view: CapabilityView,
  era: Era,
  work: WorkAllowance = new WorkAllowance(),
): string | undefined {
  if (!concernsCapabilities(text)) return text;
  // A text that is not a message is dropped, because another reader could interpret it differently.
  const message = readExactly(text);
  if (Array.isArray(message)) {
    const kept = message.flatMap((one) => {
      const filtered = filterMessage(JSON.stringify(one), view, era, work);
      return filtered === undefined ? [] : [filtered];
    });
    return kept.length === 0 ? undefined : `[${kept.join(',')}]`;
  }
  if (!isObject(message)) return undefined;
  if (message['method'] === 'notifications/resources/updated') {
    const uri = isObject(message['params']) ? message['params']['uri'] : undefined;
    return typeof uri === 'string' && view.decide('resource', uri, work).allowed ? text : undefined;
  }
  return isObject(message['result']) && filterLists(message['result'], view, era, work)
    ? JSON.stringify(message)
    : text;
}

/** True when the result contains a list. */
function filterLists(result: Record<string, unknown>, view: CapabilityView, era: Era, work: WorkAllowance): boolean {
  let found = false;
  for (const { property, kind, nameOf } of lists) {
    const items = result[property];
    if (!Array.isArray(items)) continue;
    found = true;
    result[property] = items.filter((item) => {
      const name = isObject(item) ? nameOf(item) : undefined;
      if (typeof name !== 'string' || !view.decide(kind, name, work).allowed) return false;
      return view.shows?.(kind, name, item) ?? true;
    });
  }
  // A list that was filtered for one actor must not be cached for all.
  // Source: modelcontextprotocol.io/specification/2026-07-28/schema, `cacheScope`.
  if (found && (era === 'modern' || 'cacheScope' in result)) result['cacheScope'] = 'private';
  return found;
}
