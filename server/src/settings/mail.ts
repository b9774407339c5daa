/** Settings of the mail server that sends the mails of this server, and of their sender. */
import { resolve } from 'node:path';
import { type Setting, wholeNumber } from './setting.ts';

export const mailSettings = {
  smtpUrl: {
    name: 'SIGNALBOX_SMTP_URL',
    fallback: '',
    description:
      'Mail server that sends the mails of this server: smtps://user:password@host (TLS from the start, port 465) or smtp://user:password@host (STARTTLS is required, port 587). smtp://host:25?tls=none sends without TLS, for a mail server on this machine or a private network. A user name or password with special characters is percent-encoded. Needs SIGNALBOX_SMTP_FROM and SIGNALBOX_PUBLIC_URL. Empty: the server sends no mail.',
    secret: true,
    isAddress: true,
    check: (value) => (value === '' ? undefined : smtpUrlProblem(value)),
  },
  smtpFrom: {
    name: 'SIGNALBOX_SMTP_FROM',
    fallback: '',
    description:
      'Sender of the mails: an address, or a name with an address, such as Signalbox <signalbox@example.com>.',
    check: (value) =>
      value === '' || senderOf(value)
        ? undefined
        : 'must be an address, or a name with an address like Signalbox <signalbox@example.com>',
  },
  smtpCa: {
    name: 'SIGNALBOX_SMTP_CA',
    fallback: '',
    description: 'File (PEM) with the certificate authorities for the mail server. They replace the public ones.',
    absolute: (value, folder) => (value === '' ? '' : resolve(folder, value)),
  },
  mailsPerHour: {
    name: 'SIGNALBOX_MAILS_PER_HOUR',
    fallback: '200',
    description:
      'Mails per hour that one organization may cause, by invitations and automations together. Further mails are not sent.',
    check: wholeNumber(1, 100_000).check,
  },
} as const satisfies Record<string, Setting>;

/** The mail server in `SIGNALBOX_SMTP_URL`. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** `start`: TLS from the first byte. `starttls`: TLS is requested and required. */
  readonly tls: 'start' | 'starttls' | 'none';
  /** Undefined if it requires no credentials. */
  readonly user: string | undefined;
  readonly password: string;
}

export interface Sender {
  /** Empty if only an address is given. */
  readonly name: string;
  readonly address: string;
}

function smtpUrlProblem(value: string): string | undefined {
  return smtpServerOf(value)
    ? undefined
    : 'must be like smtps://user:password@mail.example.com, or smtp:// where STARTTLS or ?tls=none is wanted';
}

/** Undefined for a text that is not the address of a mail server. */
export function smtpServerOf(value: string): SmtpServer | undefined {
  const url = URL.parse(value);
  if (!url || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')) return undefined;
  const { hostname, pathname, searchParams, hash } = url;
  if (hostname === '' || (pathname !== '' && pathname !== '/') || hash !== '') return undefined;
  const [first = ['tls', 'required'], ...more] = searchParams;
  const [name, wanted] = first;
  if (more.length > 0 || name !== 'tls' || (wanted !== 'none' && wanted !== 'required')) return undefined;
  if (url.protocol === 'smtps:' && wanted === 'none') return undefined;
  const [user, password] = [decoded(url.username), decoded(url.password)];
  if (user === undefined || password === undefined || (user === '') !== (password === '')) return undefined;
  const tls = url.protocol === 'smtps:' ? 'start' : wanted === 'none' ? 'none' : 'starttls';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? { start: 465, starttls: 587, none: 25 }[tls] : Number(url.port),
    tls,
    user: user === '' ? undefined : user,
    password,
  };
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** Undefined for a text that is not a sender. */
export function senderOf(value: string): Sender | undefined {
  const [, name = '', inner, alone] = /^\s*(?:"?([^"<>\p{Cc}]*?)"?\s*<([^<>]*)>|(\S+))\s*$/u.exec(value) ?? [];
  const address = inner ?? alone ?? '';
  return isMailbox(address) ? { name, address } : undefined;
}

/**
 * True for an address that every mail program reads as one mailbox. Addresses with quotes, comments, lists or routes
 * are not.
 */
export function isMailbox(address: string): boolean {
  if (address.length > 254) return false;
  return /^[^\s@\p{C}"(),:;<>[\]\\]{1,64}@[\p{L}\p{N}\p{M}](?:[\p{L}\p{N}\p{M}.-]*[\p{L}\p{N}\p{M}])?$/u.test(address);
}
