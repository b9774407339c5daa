/**
 * The format of a notification for each service. Sources: the services' public API documentation; the relevant fields
 * agree with the reference's. Images are omitted, because services would load them from a third party.
 */

import type { OutboundRequest } from '../../../../outbound/send.ts';
import { isUuid } from '../../../../values/id.ts';
import { isJsonObject, numberOf } from '../../../../values/json.ts';

export interface Message {
  readonly subject: string;
  readonly body: string;
}

export interface Sending {
  /** One request for each recipient if the service needs that. */
  readonly requests: readonly OutboundRequest[];
  readonly timeoutSeconds?: number;
}

type Data = Readonly<Record<string, unknown>>;

/** The sender that services show. Rules that users made there may look for this name. */
export const APPLICATION = 'Prefect Notifications';

/** Limits of the services, in characters. Longer messages are cut, not refused. */
const DISCORD_CONTENT = 2000;
const OPSGENIE_MESSAGE = 130;
const OPSGENIE_DESCRIPTION = 15_000;
const PAGER_DUTY_SUMMARY = 1024;
const TWILIO_BODY = 1600;

const SLACK_COLORS: Readonly<Record<string, string>> = {
  info: '#3AA3E3',
  success: '#3AA337',
  warning: '#CACF29',
  failure: '#A32037',
};

export function slack(data: Data, { subject, body }: Message): Sending {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const attachment = {
    title: escaped(subject),
    text: escaped(body),
    color: SLACK_COLORS[kindOf(data)] ?? SLACK_COLORS['info'],
    footer: APPLICATION,
    ts: Date.now() / 1000,
  };
  return { requests: [postJson(text(data, 'url'), { mrkdwn: true, attachments: [attachment] })] };
}

export function teams(data: Data, { subject, body }: Message): Sending {
  const title = { type: 'TextBlock', text: subject, style: 'heading', weight: 'Bolder', size: 'Large', id: 'title' };
  const content = { type: 'TextBlock', text: body, style: 'default', wrap: data['wrap'] !== false, id: 'body' };
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: subject === '' ? [content] : [title, content],
    msteams: { width: 'full' },
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card };
  return { requests: [postJson(text(data, 'url'), { type: 'message', attachments: [attachment] })] };
}

export function mattermost(data: Data, message: Message): Sending {
  const path = text(data, 'path').replace(/^\/+|\/+$/g, '');
  const port = numberOf(data['port']) ?? 8065;
  const host = text(data, 'hostname');
  const address = `${data['secure'] === true ? 'https' : 'http'}://${host}:${port}${path === '' ? '' : `/${path}`}`;
  const url = `${address}/hooks/${encodeURIComponent(text(data, 'token'))}`;
  const content = { text: joined(message), ...optional('username', text(data, 'botname')) };
  const channels = texts(data, 'channels').map((channel) => channel.replace(/^#/, ''));
  if (channels.length === 0) return { requests: [postJson(url, content)] };
  return { requests: channels.map((channel) => postJson(url, { ...content, channel })) };
}

export function discord(data: Data, message: Message): Sending {
  const [id, token] = [text(data, 'webhook_id'), text(data, 'webhook_token')].map(encodeURIComponent);
  const content = {
    tts: data['tts'] === true,
    content: cut(joined(message), DISCORD_CONTENT),
    ...optional('username', text(data, 'botname')),
    ...(data['avatar'] === true ? optional('avatar_url', text(data, 'avatar_url')) : {}),
  };
  return { requests: [postJson(`https://discord.com/api/webhooks/${id}/${token}`, content)] };
}

const PAGER_DUTY_SEVERITIES: Readonly<Record<string, string>> = { warning: 'warning', failure: 'critical' };

export function pagerDuty(data: Data, { subject, body }: Message): Sending {
  const details = {
    ...members(data, 'custom_details'),
    ...(subject === '' ? {} : { [`${APPLICATION} Body`]: body }),
  };
  const payload = {
    summary: cut(subject === '' ? body : subject, PAGER_DUTY_SUMMARY),
    severity: PAGER_DUTY_SEVERITIES[kindOf(data)] ?? 'info',
    source: text(data, 'source') || 'Prefect',
    component: text(data, 'component') || 'Notification',
    ...optional('group', text(data, 'group')),
    ...optional('class', text(data, 'class_id')),
    ...(Object.keys(details).length === 0 ? {} : { custom_details: details }),
  };
  const link = text(data, 'clickable_url');
  const content = {
    routing_key: text(data, 'integration_key'),
    payload,
    client: APPLICATION,
    event_action: 'trigger',
    ...(link === '' ? {} : { links: [{ href: link }] }),
  };
  const url = `https://events.${data['region_name'] === 'eu' ? 'eu.' : ''}pagerduty.com/v2/enqueue`;
  return { requests: [postJson(url, content, { authorization: `Token token=${text(data, 'api_key')}` })] };
}

export function opsgenie(data: Data, { subject, body }: Message): Sending {
  const alert = {
    source: APPLICATION,
    message: cut(subject === '' ? body : subject, OPSGENIE_MESSAGE),
    description: cut(body, OPSGENIE_DESCRIPTION),
    details: { ...members(data, 'details'), type: kindOf(data) },
    priority: `P${numberOf(data['priority']) ?? 3}`,
    ...(texts(data, 'tags').length === 0 ? {} : { tags: texts(data, 'tags') }),
    ...optional('entity', text(data, 'entity')),
    ...optional('alias', text(data, 'alias')),
  };
  const named = (type: string, name: string) => (isUuid(name) ? { type, id: name } : { type, name });
  const responders = [
    ...texts(data, 'target_team').map((name) => named('team', name)),
    ...texts(data, 'target_schedule').map((name) => named('schedule', name)),
    ...texts(data, 'target_user').map((name) =>
      isUuid(name) ? { type: 'user', id: name } : { type: 'user', username: name },
    ),
    ...texts(data, 'target_escalation').map((name) => named('escalation', name)),
  ];
  const url = `https://api.${data['region_name'] === 'eu' ? 'eu.' : ''}opsgenie.com/v2/alerts`;
  const request = (more: object) =>
    postJson(url, { ...alert, ...more }, { authorization: `GenieKey ${text(data, 'apikey')}` });
  if (responders.length === 0) return { requests: [request({})] };
  if (data['batch'] === true) return { requests: [request({ responders })] };
  return { requests: responders.map((responder) => request({ responders: [responder] })) };
}

export function twilio(data: Data, message: Message): Sending {
  const account = text(data, 'account_sid');
  const url = `https://api.twilio.com/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`;
  const credentials = Buffer.from(`${account}:${text(data, 'auth_token')}`).toString('base64');
  return {
    requests: texts(data, 'to_phone_numbers').map((to) => ({
      method: 'POST',
      url,
      headers: {
        accept: 'application/json',
        authorization: `Basic ${credentials}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({
        Body: cut(joined(message), TWILIO_BODY),
        From: phoneNumber(text(data, 'from_phone_number')),
        To: phoneNumber(to),
      }).toString(),
    })),
  };
}

export function sendgrid(data: Data, { subject, body }: Message): Sending {
  const headers = { authorization: `Bearer ${text(data, 'api_key')}` };
  const mail = {
    from: { email: text(data, 'sender_email') },
    subject: subject || '<no subject>',
    content: [{ type: 'text/html', value: body }],
  };
  const requests = texts(data, 'to_emails').map((email) =>
    postJson('https://api.sendgrid.com/v3/mail/send', { personalizations: [{ to: [{ email }] }], ...mail }, headers),
  );
  return { requests };
}

function postJson(url: string, content: object, headers: Readonly<Record<string, string>> = {}): OutboundRequest {
  const body = JSON.stringify(content);
  return { method: 'POST', url, headers: { ...headers, 'content-type': 'application/json; charset=utf-8' }, body };
}

function joined({ subject, body }: Message): string {
  return subject === '' ? body : `${subject}\r\n${body}`;
}

function cut(message: string, limit: number): string {
  const characters = [...message];
  return characters.length <= limit ? message : `${characters.slice(0, limit - 1).join('')}…`;
}

function phoneNumber(number: string): string {
  return `+${number.replace(/\D/g, '')}`;
}

function kindOf(data: Data): string {
  return text(data, 'notify_type') || 'info';
}

function text(data: Data, field: string): string {
  const value = data[field];
  return typeof value === 'string' ? value : '';
}

function texts(data: Data, field: string): string[] {
  const value = data[field];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function members(data: Data, field: string): Record<string, unknown> {
  const value = data[field];
  return isJsonObject(value) ? value : {};
}

function optional(field: string, value: string): Record<string, string> {
  return value === '' ? {} : { [field]: value };
}
