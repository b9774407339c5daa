/** Makes an event from a request with a webhook's template. */

import { MAX_EVENT_BYTES } from '../../events/received-event.ts';
import type { NewEvent } from '../../events/record.ts';
import { Event } from '../../events/schema.ts';
import { compileDecoder } from '../../schema/decode.ts';
import { TemplateRuntimeError, TemplateSyntaxError } from '../../templates/syntax/template-error.ts';
import { Template } from '../../templates/template.ts';
import { TemplateObject, type Value, valueOfJson } from '../../templates/values.ts';
import {
  isJsonObject,
  JsonLimitError,
  JsonSyntaxError,
  type JsonText,
  jsonTextOf,
  parseJson,
} from '../../values/json.ts';
import { type Timestamp, wireTimestamp } from '../../values/time.ts';

export interface WebhookCall {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly contentType: string | undefined;
  readonly body: Buffer;
}

/** Units of one rendering, of about a microsecond each: no person waits for the answer of a webhook. */
const ALLOWANCE = 100_000;
/** Matches names of the server's own events; a request from outside must not look like one. */
const RESERVED = /^prefect(-cloud)?\./;
/** Names of headers with credentials, which events do not contain; each sender has its own. */
const WITHHELD = /token|secret|passw|signature|credential|(^|-)(api-?key|auth|authorization|cookie)(-|$)/;

const decodeEvent = compileDecoder(Event, 'body');

/** The reason as a sentence, for the people who manage the webhook. */
export class NoEvent extends Error {}

/**
 * Renders the template with `method`, `headers` and `body`. `id` and `now` are the defaults of an event without its
 * own, and the parts of the request are the default payload. Throws NoEvent.
 */
export function eventOfRequest(template: string, call: WebhookCall, id: string, now: Timestamp): NewEvent {
  const headers = shownHeaders(call.headers);
  const body = bodyOf(call);
  const rendered = render(
    template,
    new Map<string, Value>([
      ['method', call.method],
      ['headers', new HeaderValues(headers)],
      ['body', valueOfJson(body)],
    ]),
  );
  const given = parsed(rendered, 'The template does not render JSON');
  if (!isJsonObject(given)) throw new NoEvent('The template does not render a JSON object.');
  const decoded = decodeEvent({ ...given, id: given['id'] ?? id, occurred: given['occurred'] ?? wireTimestamp(now) });
  if (!decoded.ok) {
    const [issue] = decoded.issues;
    throw new NoEvent(`The template does not render a valid event: ${issue?.loc.slice(1).join('.')}: ${issue?.msg}.`);
  }
  const { value } = decoded;
  if (RESERVED.test(value.event)) throw new NoEvent('Names that begin with "prefect." are for events of the server.');
  const event: NewEvent = {
    id: value.id,
    occurred: value.occurred,
    event: value.event,
    resource: value.resource,
    related: value.related ?? [],
    payload: value.payload ?? jsonTextOf({ method: call.method, headers: Object.fromEntries(headers), body }),
    follows: value.follows ?? null,
  };
  if (rendered.length + event.payload.length > MAX_EVENT_BYTES / 2) throw new NoEvent('The event is too large.');
  return event;
}

function render(template: string, context: ReadonlyMap<string, Value>): string {
  try {
    return new Template(template).render({ context, allowance: { units: ALLOWANCE } });
  } catch (error) {
    if (error instanceof TemplateRuntimeError) throw new NoEvent(`The template fails: ${error.describe()}`);
    if (error instanceof TemplateSyntaxError) throw new NoEvent(`The template cannot be parsed: ${error.message}`);
    throw error;
  }
}

/** Parses JSON, a form, or else a text; any other type is tried as JSON first. */
function bodyOf({ contentType = '', body }: WebhookCall): unknown {
  if (body.length === 0) return null;
  const text = textOf(body);
  if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType)) {
    return Object.fromEntries(new URLSearchParams(text));
  }
  if (/^application\/([\w.!#$&^-]+\+)?json\s*(;|$)/i.test(contentType)) return parsed(text, 'The body is not JSON');
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function textOf(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new NoEvent('The body is not valid UTF-8.');
  }
}

function parsed(text: string, fault: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new NoEvent(`${fault}: ${error.reason} at ${error.position}.`);
    if (error instanceof JsonLimitError) throw new NoEvent(`${fault}: it is nested too deeply.`);
    throw error;
  }
}

function shownHeaders(headers: WebhookCall['headers']): ReadonlyMap<string, string> {
  const shown = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || WITHHELD.test(name)
      ? []
      : [[name, typeof value === 'string' ? value : value.join(', ')] as const],
  );
  return new Map(shown);
}

/** Headers that templates find by name, in any case. */
class HeaderValues extends TemplateObject {
  readonly #headers: ReadonlyMap<string, string>;

  constructor(headers: ReadonlyMap<string, string>) {
    super();
    this.#headers = headers;
  }

  attribute(name: string): Value | undefined {
    return this.#headers.get(name.toLowerCase());
  }

  print(): string {
    return jsonTextOf(Object.fromEntries(this.#headers)) as JsonText;
  }

  override json(): Value {
    return new Map(this.#headers);
  }
}
