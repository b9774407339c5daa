import { isJsonObject, JsonSyntaxError, keepOrder, parseJson } from '../json.ts';
import { compileDecoder } from '../schema/decode.ts';
import type { ClientEvent } from './received-event.ts';
import { Event } from './schema.ts';

const decode = compileDecoder(Event, 'body');

/** Escapes of characters that text columns cannot hold: NUL, or half of a surrogate pair. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

/** The event that a client sent as one frame, or its fault as text. */
export function readEventFrame(frame: string): ClientEvent | string {
  const input = parse(frame);
  if (input === undefined) return 'the frame is not JSON';
  const event = decode(UNSTORABLE.test(frame) ? withStorableTexts(input) : input);
  if (event.ok) return event.value;
  const [issue] = event.issues;
  return `${issue?.loc.slice(1).join('.')} ${issue?.msg}`;
}

function parse(frame: string): unknown {
  try {
    return parseJson(frame);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/**
 * A request with such text is refused, but the sender of a frame gets no reason and would send it again: a label may
 * hold the message of any exception. The payload is kept as JSON and needs no change.
 */
function withStorableTexts(input: unknown): unknown {
  if (!isJsonObject(input)) return input;
  const { event, resource, related } = input;
  return {
    ...input,
    event: storable(event),
    resource: storableLabels(resource),
    ...(Array.isArray(related) ? { related: related.map(storableLabels) } : {}),
  };
}

function storableLabels(labels: unknown): unknown {
  if (!isJsonObject(labels)) return labels;
  const copy = Object.fromEntries(Object.entries(labels).map(([label, value]) => [storable(label), storable(value)]));
  keepOrder(labels, copy);
  return copy;
}

function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : value;
}
