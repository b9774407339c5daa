/**
 * Pages that a server requests a person to open: elicitation in the mode `url`. A server with sessions sends the
 * request during a call, or refuses the call with an error that lists the pages; the stateless revision only has a
 * result that requests input. Source: modelcontextprotocol.io/specification/2025-11-25/client/elicitation and
 * /2026-07-28/basic/patterns/mrtr.
 */
import { URL_ELICITATION_REQUIRED } from './codes.ts';
import { dataOf, EventSplitter } from './event-stream.ts';
import { isObject, type JsonObject } from './message.ts';

export const ELICITATION = 'elicitation/create';
/** Notifies a client with a session that the person has finished at a page. */
export const ELICITATION_COMPLETE = 'notifications/elicitation/complete';
/** The capability that a client declares if it can show pages. */
export const URL_CAPABILITY = { elicitation: { url: {} } };

/** Methods whose result may request input. */
const MAY_ASK: ReadonlySet<unknown> = new Set(['tools/call', 'prompts/get', 'resources/read']);
/** A text without it requests no pages. */
export const PAGES_MARK = String(URL_ELICITATION_REQUIRED);

export function supportsPages(capabilities: unknown): boolean {
  const elicitation = isObject(capabilities) ? capabilities['elicitation'] : undefined;
  return isObject(elicitation) && isObject(elicitation['url']);
}

export function asksForPage(method: unknown, params: unknown): params is JsonObject {
  return method === ELICITATION && isObject(params) && params['mode'] === 'url';
}

/** The pages that an error requests; undefined for any other message. */
export function pagesRequiredBy({ error }: JsonObject): JsonObject[] | undefined {
  if (!isObject(error) || error['code'] !== URL_ELICITATION_REQUIRED) return undefined;
  const pages = isObject(error['data']) ? error['data']['elicitations'] : undefined;
  return Array.isArray(pages) ? pages.filter(isObject) : [];
}

/** The result of the stateless revision that requests the same pages; undefined if it cannot. */
export function inputRequiredFor(method: unknown, pages: readonly JsonObject[]): JsonObject | undefined {
  if (!MAY_ASK.has(method) || pages.length === 0) return undefined;
  const inputRequests = pages.map(({ url, message }, index) => [
    `page-${index + 1}`,
    { method: ELICITATION, params: { mode: 'url', message, url } },
  ]);
  return { resultType: 'input_required', inputRequests: Object.fromEntries(inputRequests) };
}

/**
 * True when bytes of an answer contain an error that requests pages: a whole JSON answer, or events. An event that
 * arrives in pieces is not detected.
 */
export function asksForPages(bytes: Buffer, isStream: boolean): boolean {
  if (!bytes.includes(PAGES_MARK)) return false;
  try {
    const texts = isStream ? new EventSplitter().push(bytes).map(dataOf) : [bytes.toString('utf8')];
    return texts.some((text) => {
      const message: unknown = text?.includes(PAGES_MARK) ? JSON.parse(text) : undefined;
      return isObject(message) && pagesRequiredBy(message) !== undefined;
    });
  } catch {
    return false;
  }
}
