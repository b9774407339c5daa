/**
 * Verifies the signatures of senders. Each scheme is defined by the sender: an HMAC-SHA256 of the body, mostly with the
 * time of sending, or the secret itself. Secrets are compared in constant time.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Unprocessable } from '../../errors.ts';
import { microsecondsOf, type Timestamp } from '../../values/time.ts';
import type { WebhookSignature } from './schema.ts';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

interface SignedRequest {
  readonly headers: Headers;
  readonly body: Buffer;
  readonly now: Timestamp;
}

/**
 * Seconds by which the time of sending may differ from the server's. Source: Stripe, Slack and Standard Webhooks
 * recommend five minutes.
 */
const TOLERANCE_SECONDS = 300;
const MIN_SECRET_LENGTH = 16;
const STANDARD_PREFIX = 'whsec_';

type Check = (request: SignedRequest, secret: string) => string | undefined;

const MISSING = 'The signature is missing.';
const WRONG = 'The signature does not match the secret and the body.';
const OLD = `The signature is more than ${TOLERANCE_SECONDS / 60} minutes old, or from the future.`;

const checks: Readonly<Record<WebhookSignature, Check>> = {
  none: () => undefined,
  github: ({ headers, body }, secret) => {
    const given = text(headers, 'x-hub-signature-256');
    if (given === undefined) return MISSING;
    return isSame(given, `sha256=${hmac(secret, body).toString('hex')}`) ? undefined : WRONG;
  },
  gitlab: ({ headers }, secret) => {
    const given = text(headers, 'x-gitlab-token');
    if (given === undefined) return 'The token is missing.';
    return isSame(given, secret) ? undefined : 'The token does not match the secret.';
  },
  slack: ({ headers, body, now }, secret) => {
    const [given, time] = [text(headers, 'x-slack-signature'), text(headers, 'x-slack-request-timestamp')];
    if (given === undefined || time === undefined) return MISSING;
    const wanted = `v0=${hmac(secret, Buffer.from(`v0:${time}:`), body).toString('hex')}`;
    return isSame(given, wanted) ? ageFault(time, now) : WRONG;
  },
  stripe: ({ headers, body, now }, secret) => {
    const fields = (text(headers, 'stripe-signature') ?? '').split(',').map((field) => field.trim().split('='));
    const time = fields.find(([key]) => key === 't')?.[1];
    const given = fields.flatMap(([key, value = '']) => (key === 'v1' ? [value] : []));
    if (time === undefined || given.length === 0) return MISSING;
    const wanted = hmac(secret, Buffer.from(`${time}.`), body).toString('hex');
    return given.some((one) => isSame(one, wanted)) ? ageFault(time, now) : WRONG;
  },
  standard_webhooks: ({ headers, body, now }, secret) => {
    const [id, time] = [standardMessageId(headers), text(headers, 'webhook-timestamp')];
    const given = text(headers, 'webhook-signature');
    if (id === undefined || time === undefined || given === undefined) return MISSING;
    const wanted = standardSignature(secret, id, time, body);
    return given.split(' ').some((one) => isSame(one, wanted)) ? ageFault(time, now) : WRONG;
  },
};

/** The fault of a request, in a sentence without its secrets; undefined for a correctly signed request. */
export function signatureFault(scheme: WebhookSignature, request: SignedRequest, secret: string): string | undefined {
  return checks[scheme](request, secret);
}

/** The id of the message, which stays the same when its sender repeats it. */
export function standardMessageId(headers: Headers): string | undefined {
  return text(headers, 'webhook-id');
}

/** The header `webhook-signature` of Standard Webhooks: `v1,` and the signature in base64. */
export function standardSignature(secret: string, id: string, time: string, body: Buffer): string {
  const key = Buffer.from(secret.replace(STANDARD_PREFIX, ''), 'base64');
  return `v1,${hmac(key, Buffer.from(`${id}.${time}.`), body).toString('base64')}`;
}

/** `whsec_`, which may be missing, and 24 to 64 bytes in base64. */
export function isStandardSecret(secret: string): boolean {
  const base64 = secret.replace(STANDARD_PREFIX, '');
  const bytes = Buffer.from(base64, 'base64');
  const isBase64 = bytes.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
  return isBase64 && bytes.length >= 24 && bytes.length <= 64;
}

/**
 * The secret for a scheme: the given one, or a new one if people may choose it. Throws Unprocessable for a secret that
 * the scheme cannot use.
 */
export function signingSecret(scheme: WebhookSignature, given: string | null | undefined): string | null {
  if (scheme === 'none') {
    if (given) throw new Unprocessable('signature_secret: must not be given for requests without a signature.');
    return null;
  }
  if (given) return usable(scheme, given);
  if (scheme === 'stripe' || scheme === 'slack') {
    throw new Unprocessable(`signature_secret: give the signing secret that ${NAMES[scheme]} shows for this endpoint.`);
  }
  const bytes = randomBytes(32);
  return scheme === 'standard_webhooks' ? STANDARD_PREFIX + bytes.toString('base64') : bytes.toString('base64url');
}

const NAMES = { slack: 'Slack', stripe: 'Stripe' } as const;

function usable(scheme: WebhookSignature, secret: string): string {
  if (scheme === 'standard_webhooks') {
    if (isStandardSecret(secret)) return secret;
    throw new Unprocessable('signature_secret: must be whsec_ and 24 to 64 bytes in base64.');
  }
  if (secret.length >= MIN_SECRET_LENGTH) return secret;
  throw new Unprocessable(`signature_secret: must have at least ${MIN_SECRET_LENGTH} characters.`);
}

/** The value of a header that occurs once. */
function text(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

function hmac(secret: string | Buffer, ...parts: readonly Buffer[]): Buffer {
  const digest = createHmac('sha256', secret);
  for (const part of parts) digest.update(part);
  return digest.digest();
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** `time` counts seconds since 1970. */
function ageFault(time: string, now: Timestamp): string | undefined {
  if (!/^\d{1,12}$/.test(time)) return OLD;
  return Math.abs(microsecondsOf(now) / 1_000_000 - Number(time)) > TOLERANCE_SECONDS ? OLD : undefined;
}
