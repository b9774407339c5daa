/** Blocks that describe a request of their own, with placeholders for the message and their secrets. */
import { isJsonObject, jsonTextOf, keepOrder, keysInOrder, numberOf } from '../../../values/json.ts';
import type { Message, Sending } from './notifications/services.ts';
import { textHeaders } from './webhook.ts';

type Fill = (text: string) => string;

/**
 * The block's request. `{{subject}}`, `{{body}}`, `{{name}}` and the names of secrets are replaced in one pass, so that
 * a placeholder in a message is not replaced by a secret. Source: payloads of the Prefect server 3.9.1.
 */
export function customWebhook(data: Readonly<Record<string, unknown>>, { subject, body }: Message): Sending {
  const values = new Map([
    ...textMembers(data['secrets']),
    ['name', String(data['name'] ?? '')],
    ['subject', subject],
    ['body', body],
  ] as const);
  const fill: Fill = (text) =>
    text.replace(/\{\{\s*([^{}]*?)\s*\}\}/g, (whole, name: string) => values.get(name) ?? whole);
  const cookies = textMembers(data['cookies']).map(([name, value]) => `${name}=${fill(value)}`);
  const content = contentOf(data, fill);
  return {
    timeoutSeconds: numberOf(data['timeout']) ?? 10,
    requests: [
      {
        method: typeof data['method'] === 'string' ? data['method'] : 'POST',
        url: withQuery(fill(String(data['url'] ?? '')), textMembers(data['params']), fill),
        headers: {
          ...(content?.type === undefined ? {} : { 'content-type': content.type }),
          ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
          ...textHeaders(filled(data['headers'], fill)),
        },
        body: content?.text,
      },
    ],
  };
}

/** Given parameters replace those in the URL. */
function withQuery(url: string, parameters: readonly (readonly [string, string])[], fill: Fill): string {
  const parsed = parameters.length === 0 ? null : URL.parse(url);
  if (!parsed) return url;
  parsed.search = new URLSearchParams(parameters.map(([name, value]) => [name, fill(value)])).toString();
  return parsed.href;
}

function contentOf(
  { json_data, form_data }: Readonly<Record<string, unknown>>,
  fill: Fill,
): { type?: string; text: string } | undefined {
  if (typeof form_data === 'string' && form_data !== '') return { text: fill(form_data) };
  if (isJsonObject(form_data) && Object.keys(form_data).length > 0) {
    const fields = textMembers(form_data).map(([name, value]) => [name, fill(value)]);
    return { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(fields).toString() };
  }
  if (!isJsonObject(json_data)) return undefined;
  return { type: 'application/json', text: jsonTextOf(filled(json_data, fill)) };
}

function filled(value: unknown, fill: Fill): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((item) => filled(item, fill));
  if (!isJsonObject(value)) return value;
  const copy = Object.fromEntries(keysInOrder(value).map((key) => [key, filled(value[key], fill)]));
  keepOrder(value, copy);
  return copy;
}

function textMembers(value: unknown): [string, string][] {
  if (!isJsonObject(value)) return [];
  return keysInOrder(value).flatMap((key) => (value[key] === null ? [] : [[key, textOf(value[key])]]));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : jsonTextOf(value);
}
