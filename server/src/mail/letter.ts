/** The mails of this server, as plain text and as simple HTML that escapes what people typed. */

import { Html, html } from '../pages/html.ts';
import { isMailbox } from '../settings/mail.ts';
import { counted } from '../values/counted.ts';
import type { Timestamp } from '../values/time.ts';

/** The purpose of a mail: the label of metrics and of the limits of an address. */
type MailKind = 'invitation' | 'password_reset' | 'key_expires' | 'notification';

/** One mail to one address. */
export interface Letter {
  readonly kind: MailKind;
  readonly to: string;
  readonly subject: string;
  /** Plain text; line ends within a paragraph stay. */
  readonly paragraphs: readonly string[];
  /** The one action that the mail asks for. */
  readonly link?: { readonly label: string; readonly url: string };
  /** The reason why the person gets the mail. */
  readonly footer: string;
}

/** Characters of a subject, and of the text of a notification. Longer text is cut. */
const MOST_SUBJECT = 200;
const MOST_TEXT = 100_000;
/** Characters of a name that one person typed, in a mail to another. */
const MOST_NAME = 80;

interface InvitationFacts {
  readonly to: string;
  readonly organization: string;
  readonly role: 'admin' | 'member';
  /** Address or name of the person who invites. */
  readonly inviter: string;
  readonly url: string;
  readonly days: number;
}

export function invitationLetter({ to, organization, role, inviter, url, days }: InvitationFacts): Letter {
  const name = plainName(organization);
  const as = role === 'admin' ? 'an administrator' : 'a member';
  const who = isMailbox(inviter) ? inviter : plainName(inviter);
  return {
    kind: 'invitation',
    to,
    subject: `Invitation to ${name} on Signalbox`,
    paragraphs: [`${who} invites you to join ${name} on Signalbox as ${as}.`],
    link: { label: 'Join', url },
    footer: `The link works once, within ${days} days. If you do not know the sender, ignore this mail.`,
  };
}

export function passwordResetLetter(to: string, url: string, minutes: number): Letter {
  return {
    kind: 'password_reset',
    to,
    subject: 'A new password for Signalbox',
    paragraphs: [
      'Someone requested a new password for this address. If it was you, choose one:',
      'With the new password, your other sessions, API keys and devices stop working.',
    ],
    link: { label: 'Choose a new password', url },
    footer: `The link works once, within ${counted(minutes, 'minute')}. If it was not you, ignore this mail: nothing has changed.`,
  };
}

/**
 * The reply to a person who asked for a new password but signs in through an identity provider and has none. It
 * replaces the link.
 */
export function providerSignInLetter(to: string, provider: string, url: string): Letter {
  return {
    kind: 'password_reset',
    to,
    subject: 'How you sign in to Signalbox',
    paragraphs: [
      `Someone requested a new password for this address. Your account has none: you sign in with ${plainName(provider)}.`,
    ],
    link: { label: 'Sign in', url },
    footer: 'If it was not you, ignore this mail: nothing has changed.',
  };
}

export interface EndingKey {
  /** The description that its owner gave the key. */
  readonly descriptor: string;
  /** Name of the service account that owns it; undefined for a key of the person. */
  readonly serviceAccount: string | undefined;
  readonly expires: Timestamp;
}

export interface KeysExpireFacts {
  readonly to: string;
  /** At least one key, ordered by end. */
  readonly keys: readonly EndingKey[];
  /** The page where keys are rolled. */
  readonly url: string;
}

/** Keys that one mail names. */
const MOST_KEYS = 20;

export function keysExpireLetter({ to, keys, url }: KeysExpireFacts): Letter {
  const first = (keys[0]?.expires ?? '').slice(0, 10);
  const more = keys.length > MOST_KEYS ? [`and ${counted(keys.length - MOST_KEYS, 'more key')}`] : [];
  return {
    kind: 'key_expires',
    to,
    subject: keys.length === 1 ? `An API key expires on ${first}` : `${keys.length} API keys expire from ${first} on`,
    paragraphs: [
      [...keys.slice(0, MOST_KEYS).map(endText), ...more].join('\n'),
      'The server refuses programs that use an expired key. Roll the key before then: the new key works at once, and the old one until the time that you choose.',
    ],
    link: { label: 'Open the keys', url },
    footer: 'You get this mail because you can replace the key. It comes 14 and 3 days before a key expires.',
  };
}

function endText({ descriptor, serviceAccount, expires }: EndingKey): string {
  const owner = serviceAccount === undefined ? 'Your API key' : `The API key of ${plainName(serviceAccount)}`;
  return `${owner} “${plainName(descriptor)}” expires on ${expires.slice(0, 10)} at ${expires.slice(11, 16)} UTC.`;
}

/** The subject and the text are those of the automation; anyone who may edit it chooses them. */
export function notificationLetter(to: string, subject: string, text: string, workspace: string): Letter {
  return {
    kind: 'notification',
    to,
    subject: subject || 'Notification of an automation',
    paragraphs: [text],
    footer: `An automation of the workspace ${plainName(workspace)} sent this mail.`,
  };
}

/**
 * A name that one person typed, in the sentence of a mail to another: one line of bounded length, in which no mail
 * program finds an address to turn into a link.
 */
function plainName(text: string): string {
  return oneLine(text, MOST_NAME).replaceAll(/[.:/@](?=\S)/g, '$& ');
}

/** Control characters, line ends of every kind and characters that turn the direction of text become one space. */
function oneLine(text: string, most: number): string {
  return cut(text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim(), most);
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

interface RenderedLetter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export function render({ subject, paragraphs, link, footer }: Letter): RenderedLetter {
  const bounded = paragraphs.map((text) => cut(text.replaceAll(/[^\P{Cc}\n\t]/gu, ''), MOST_TEXT));
  const [first = '', ...rest] = bounded;
  const text = [first, ...(link ? [link.url] : []), ...rest, `-- \n${footer}`].join('\n\n');
  const paragraph = (content: string) => html`<p style="margin: 0 0 16px; white-space: pre-wrap">${content}</p>`;
  const button =
    link &&
    html`<p style="margin: 0 0 16px"><a href="${link.url}" style="${BUTTON}">${link.label}</a></p>
<p style="margin: 0 0 16px; font-size: 12px; word-break: break-all">${link.url}</p>`;
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"></head>
<body style="margin: 0; padding: 24px; font: 14px/20px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif">
${paragraph(first)}
${button}
${rest.map(paragraph)}
${new Html('<hr style="border: 0; border-top: 1px solid #95a1a3; margin: 24px 0 16px">')}
<p style="margin: 0; font-size: 12px">${footer}</p>
</body>
</html>
`;
  return { subject: oneLine(subject, MOST_SUBJECT), text: `${text}\n`, html: page.text };
}

const BUTTON =
  'display: inline-block; padding: 8px 16px; border-radius: 4px; background: #12676b; color: #ffffff; font-weight: 500; text-decoration: none';
