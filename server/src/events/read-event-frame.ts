import { compileDecoder } from '../schema/decode.ts';
import { isJsonObject, JsonSyntaxError, keepOrder, parseJson } from '../values/json.ts';
import type { ClientEvent } from './received-event.ts';
import { Event, MAX_RELATED_RESOURCES } from './schema.ts';

const decode = compileDecoder(Event, 'body');

const ID_LENGTH = 36;
/** Escapes of characters that text columns cannot hold: NUL, or half of a surrogate pair. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

/** The reason why a frame is not an event. `id` is the id in the frame, if it has one. */
interface FrameFault {
  readonly fault: string;
  readonly id: string | undefined;
}

/** Decodes the event in a frame of a client. If it has too many related resources, the first of them are kept. */
export function readEventFrame(frame: string): ClientEvent | FrameFault {
  let input: unknown;
  try {
    input = parseJson(frame);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { fault: 'the frame is not JSON', id: undefined };
    throw error;
  }
  const event = decode(withFewRelated(UNSTORABLE.test(frame) ? withStorableTexts(input) : input));
  if (event.ok) return event.value;
  const [issue] = event.issues;
  const id = isJsonObject(input) && typeof input['id'] === 'string' ? input['id'].slice(0, ID_LENGTH) : undefined;
  return { fault: `${issue?.loc.slice(1).join('.')} ${issue?.msg}`, id };
}

function withFewRelated(input: unknown): unknown {
  if (!isJsonObject(input) || !Array.isArray(input['related'])) return input;
  const { related } = input;
  return related.length > MAX_RELATED_RESOURCES
    ? { ...input, related: related.slice(0, MAX_RELATED_RESOURCES) }
    : input;
}

/**
 * Replaces text that cannot be stored. A request with such text is refused, but the sender of a frame gets no reason
 * and would send it again, and a label may hold the message of any exception. The payload is stored as JSON and needs
 * no change.
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
