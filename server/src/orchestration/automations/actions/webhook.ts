/** Calls a webhook block. Source: docs.prefect.io/v3/concepts/automations; payloads of the Prefect server 3.9.1. */
import type { Context } from '../../../context/context.ts';
import type { TargetPolicy } from '../../../outbound/guard.ts';
import { OutboundError } from '../../../outbound/outbound-error.ts';
import { type OutboundRequest, send } from '../../../outbound/send.ts';
import { newId } from '../../../values/id.ts';
import { microsecondsOf, type Timestamp } from '../../../values/time.ts';
import { isStandardSecret, standardSignature } from '../../webhooks/signatures.ts';
import type { Block } from './block.ts';
import type { Outcome } from './outcome.ts';

/** Seconds for the whole call. */
const TIMEOUT_SECONDS = 30;
/** Characters of an answer that an event shows; a longer answer keeps its beginning and its end. */
const SHOWN_BODY_CHARACTERS = 1000;
/** Headers in which a target returns credentials; readers of events must not see them. */
const WITHHELD_HEADERS = new Set([
  'authorization',
  'cookie',
  'proxy-authenticate',
  'proxy-authorization',
  'set-cookie',
  'www-authenticate',
  'x-api-key',
  'x-auth-token',
]);
/** Headers that the connection sets; a block's values for them are not sent. */
const CONNECTION_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

/** A block with this header signs its requests. Clients of the reference keep headers of a block secret. */
const SIGNING_SECRET = 'webhook-signing-secret';

type TextHeaders = NonNullable<OutboundRequest['headers']>;

/** Any answer counts as success, whatever its status. Never throws because of the target or the block. */
export async function callWebhook(
  context: Context,
  block: Block,
  payload: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const { data, related, redact } = block;
  try {
    const headers = signed(textHeaders(data['headers']), payload, context.server.clock.now());
    const answer = await send(
      {
        method: typeof data['method'] === 'string' ? data['method'] : 'POST',
        url: String(data['url'] ?? ''),
        headers: { 'user-agent': 'signalbox', ...headers },
        body: payload === '' ? undefined : payload,
      },
      {
        ...(await targetPolicyOf(context, data)),
        verifyCertificate: data['verify'] !== false,
        timeoutSeconds: TIMEOUT_SECONDS,
        signal,
      },
    );
    return {
      related,
      details: {
        status_code: answer.status,
        response_body: shortened(redact(answer.body)),
        response_headers: shownHeaders(answer.headers, redact),
      },
    };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { reason: `Webhook call failed: ${redact(error.message)}`, related };
  }
}

/**
 * Replaces the header that contains the secret, which is never sent, by the signature of Standard Webhooks. Throws
 * OutboundError for a secret that cannot sign.
 */
function signed(headers: TextHeaders, payload: string, now: Timestamp): TextHeaders {
  const { [SIGNING_SECRET]: secret, ...others } = headers;
  if (secret === undefined) return others;
  if (!isStandardSecret(secret)) {
    throw new OutboundError('unusable', `The header ${SIGNING_SECRET} must be whsec_ and 24 to 64 bytes in base64.`);
  }
  const id = `msg_${newId()}`;
  const time = String(Math.floor(microsecondsOf(now) / 1_000_000));
  const signature = standardSignature(secret, id, time, Buffer.from(payload));
  return { ...others, 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature };
}

/** Both the block and the operator may forbid targets at private addresses. */
export async function targetPolicyOf(
  { server }: Context,
  data: Readonly<Record<string, unknown>>,
): Promise<TargetPolicy> {
  return data['allow_private_urls'] === false ? { allowPrivate: false } : server.targets.current();
}

export function textHeaders(given: unknown): TextHeaders {
  if (typeof given !== 'object' || given === null) return {};
  const headers = Object.entries(given).filter(
    ([name, value]) => value !== null && !CONNECTION_HEADERS.has(name.toLowerCase()),
  );
  return Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

function shortened(body: string): string {
  if (body.length <= SHOWN_BODY_CHARACTERS) return body;
  const half = SHOWN_BODY_CHARACTERS / 2;
  return `${body.slice(0, half)}...${body.length - SHOWN_BODY_CHARACTERS} additional characters...${body.slice(-half)}`;
}

function shownHeaders(headers: Readonly<Record<string, string>>, redact: (text: string) => string) {
  const shown = Object.entries(headers).filter(([name]) => !WITHHELD_HEADERS.has(name));
  return Object.fromEntries(shown.map(([name, value]) => [name, redact(value)]));
}
