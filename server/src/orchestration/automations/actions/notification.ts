/** Sends a notification through a block, in the format of the service behind it. */
import type { Context } from '../../../context/context.ts';
import { OutboundError } from '../../../outbound/outbound-error.ts';
import { send, statusText } from '../../../outbound/send.ts';
import { MEMBER_EMAIL } from '../../blocks/member-email/member-email.ts';
import type { Block } from './block.ts';
import { customWebhook } from './custom-webhook.ts';
import { mailMembers } from './notifications/mail-members.ts';
import type { Message, Sending } from './notifications/services.ts';
import * as services from './notifications/services.ts';
import type { Outcome } from './outcome.ts';
import { targetPolicyOf } from './webhook.ts';

const senders: ReadonlyMap<string, (data: Readonly<Record<string, unknown>>, message: Message) => Sending> = new Map([
  ['slack-webhook', services.slack],
  ['ms-teams-webhook', services.teams],
  ['mattermost-webhook', services.mattermost],
  ['discord-webhook', services.discord],
  ['pager-duty-webhook', services.pagerDuty],
  ['opsgenie-webhook', services.opsgenie],
  ['twilio-sms', services.twilio],
  ['sendgrid-email', services.sendgrid],
  ['custom-webhook', customWebhook],
]);

/** Seconds for one request: the default, and the most that a block may set. */
const TIMEOUT_SECONDS = 10;
const MAX_TIMEOUT_SECONDS = 30;
/** A block with more recipients than this is refused as a whole. */
const MAX_REQUESTS = 50;
/** Characters of a target's answer that the log of a failure shows. */
const SHOWN_ANSWER_CHARACTERS = 200;

export function isNotificationBlock({ slug }: Block): boolean {
  return senders.has(slug) || slug === MEMBER_EMAIL;
}

/**
 * Sends to each recipient in turn; the notification fails when one of them does not get it. Never throws because of the
 * target or the block.
 */
export async function sendNotification(
  context: Context,
  block: Block,
  message: Message,
  signal: AbortSignal,
): Promise<Outcome> {
  const { data, slug } = block;
  if (slug === MEMBER_EMAIL) return outcomeOf(await mailMembers(context, data, message, MAX_REQUESTS, signal), block);
  const sending = senders.get(slug)?.(data, message);
  if (!sending) return { reason: 'The referenced block was not a notification block', related: [] };
  const { requests, timeoutSeconds = TIMEOUT_SECONDS } = sending;
  const faults: string[] = [];
  if (requests.length === 0) faults.push('[ERROR]: There are no recipients to notify.');
  if (requests.length > MAX_REQUESTS) faults.push(`[ERROR]: There are more than ${MAX_REQUESTS} recipients.`);
  for (const request of faults.length === 0 ? requests : []) {
    try {
      const answer = await send(
        { ...request, headers: { 'user-agent': services.APPLICATION, ...request.headers } },
        {
          ...(await targetPolicyOf(context, data)),
          timeoutSeconds: Math.min(MAX_TIMEOUT_SECONDS, Math.max(1, timeoutSeconds)),
          signal,
        },
      );
      if (answer.status >= 200 && answer.status < 300) continue;
      const said = answer.body.trim() === '' ? '' : `: ${answer.body.trim().slice(0, SHOWN_ANSWER_CHARACTERS)}`;
      faults.push(`[WARNING]: The target answered ${statusText(answer.status)}${said}`);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      faults.push(`[WARNING]: ${error.message}`);
    }
  }
  return outcomeOf(faults, block);
}

function outcomeOf(faults: readonly string[], { related, redact }: Block): Outcome {
  if (faults.length === 0) return { related };
  return { reason: 'Notification failed', related, details: { notification_log: redact(faults.join('\n')) } };
}
