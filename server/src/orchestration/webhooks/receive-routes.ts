/** Receives a request at the address of a webhook. */
import { createContext, type Server } from '../../context/context.ts';
import type { Row } from '../../database/tables/tables.ts';
import { hashOfSecret } from '../../encryption/secret-hash.ts';
import { type ApiError, BadRequest, found, TooManyRequests, Unauthorized } from '../../errors.ts';
import { recordEvent } from '../../events/record.ts';
import type { HookReceiver } from '../../http/pipelines/hook-pipeline.ts';
import { PlainBody } from '../../http/routes/route.ts';
import { findWebhookBySlug } from '../../identity/targets/webhook-address.ts';
import { newId, newTimeOrderedId, normalUuid } from '../../values/id.ts';
import { parseJson } from '../../values/json.ts';
import type { Timestamp } from '../../values/time.ts';
import { eventOfRequest, NoEvent, type WebhookCall } from './event-of-request.ts';
import { insertRequest } from './queries.ts';
import type { WebhookSignature } from './schema.ts';
import { signatureFault, standardMessageId } from './signatures.ts';

type Webhook = Row<'webhook'>;

/** Stored characters of a reason. */
const MAX_REASON_LENGTH = 300;
/** Bytes of a body, above the sizes of the usual senders. */
const MAX_BODY_BYTES = 512 * 1024;

const NO_EVENT = 'The webhook did not turn this request into an event. The list of its last requests shows the reason.';

/** Unknown, old and disabled addresses get the same answer. */
export const webhookReceiver: HookReceiver<Webhook> = {
  maxBytes: MAX_BODY_BYTES,

  async find(server, slug) {
    return found(await findWebhookBySlug(server.store.platform.reads(), slug), 'Not Found');
  },

  async count(server, webhook) {
    const { webhookRequestsPerMinute, workspaceWebhookRequestsPerMinute } = server.config;
    try {
      await server.attempts.begin([
        { limit: perMinute('webhook', webhookRequestsPerMinute), subject: webhook.id },
        {
          limit: perMinute('workspace webhooks', workspaceWebhookRequestsPerMinute),
          subject: String(webhook.workspace),
        },
      ]);
    } catch (error) {
      if (!(error instanceof TooManyRequests)) throw error;
      const seconds = Number(error.headers['retry-after']);
      throw new TooManyRequests('This webhook receives too many requests. Try again later.', seconds);
    }
  },

  async receive(server, webhook, call, signal) {
    const context = createContext(server, webhook.workspace, undefined, undefined, { signal });
    const { now } = context;
    const request = {
      id: newTimeOrderedId(),
      webhook_id: webhook.id,
      received: now,
      method: call.method,
      body_bytes: call.body.length,
    };
    const refuse = async (error: ApiError, reason: string): Promise<never> => {
      const refusal = { refused: true, status: error.status, event_id: null, event: null, reason: shortened(reason) };
      await context.transaction((tx) => insertRequest(tx, { ...request, ...refusal }));
      throw error;
    };
    const fault = signatureFault(schemeOf(webhook), { ...call, now }, secretOf(server, webhook));
    if (fault !== undefined) return refuse(new Unauthorized(fault), fault);
    const challenge = slackChallenge(webhook, call);
    if (challenge !== undefined) return { status: 200, body: new PlainBody('text/plain', challenge) };
    const event = made(webhook, call, now);
    if (event instanceof NoEvent) return refuse(new BadRequest(NO_EVENT), event.message);
    await context.transaction(async (tx) => {
      const isNew = await recordEvent(context, tx, { ...event, related: [...event.related, relatedTo(webhook)] });
      const reason = isNew ? null : 'An event with this id already exists.';
      const taken = { refused: false, status: 204, reason, event_id: event.id, event: event.event };
      await insertRequest(tx, { ...request, ...taken });
    });
    return { status: 204 };
  },
};

function perMinute(name: string, requests: number) {
  return { name, atOnce: requests, everySeconds: Math.ceil(60_000 / requests) / 1000 };
}

function schemeOf({ signature }: Webhook): WebhookSignature {
  return signature as WebhookSignature;
}

function secretOf({ encryption }: Server, { encrypted_signature_secret: stored }: Webhook): string {
  return stored === null ? '' : encryption.decrypt(stored);
}

/** Slack requires the echo of a text before it sends events to an address. */
function slackChallenge(webhook: Webhook, { body }: WebhookCall): string | undefined {
  if (schemeOf(webhook) !== 'slack') return undefined;
  try {
    const { type, challenge } = parseJson(body.toString('utf8')) as Record<string, unknown>;
    return type === 'url_verification' && typeof challenge === 'string' ? challenge : undefined;
  } catch {
    return undefined;
  }
}

function made(webhook: Webhook, call: WebhookCall, now: Timestamp) {
  try {
    return eventOfRequest(webhook.template, call, eventId(webhook, call), now);
  } catch (error) {
    if (error instanceof NoEvent) return error;
    throw error;
  }
}

/** The id of the event, derived from the message, so that a repeated message becomes one event. */
function eventId(webhook: Webhook, { headers }: WebhookCall): string {
  const message = schemeOf(webhook) === 'standard_webhooks' ? standardMessageId(headers) : undefined;
  return message === undefined ? newId() : normalUuid(hashOfSecret(`${webhook.id} ${message}`).slice(0, 32));
}

function relatedTo({ id, name }: Webhook) {
  return {
    'prefect.resource.id': `prefect.webhook.${id}`,
    'prefect.resource.name': name,
    'prefect.resource.role': 'webhook',
  };
}

function shortened(reason: string): string {
  return reason.length <= MAX_REASON_LENGTH ? reason : `${reason.slice(0, MAX_REASON_LENGTH - 1)}…`;
}
