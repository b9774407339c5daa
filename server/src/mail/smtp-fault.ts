/** Converts the reason why a mail server refused a mail into words that contain no credential. */
import type { SmtpServer } from '../settings/mail.ts';

export interface SmtpFault {
  /** For the person who caused the mail. It names neither the mail server nor its answer. */
  readonly reason: string;
  /** For operators: the answer of the server or the error of the connection, without credentials. */
  readonly detail: string;
  /** True if another attempt may succeed. */
  readonly mayPass: boolean;
}

/** An error of nodemailer. Source: nodemailer.com/errors */
interface SmtpError {
  readonly code?: string;
  /** The code of the underlying connection error. */
  readonly originalCode?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
  readonly message?: string;
}

const MOST_DETAIL = 400;

export function smtpFaultOf(error: unknown, server: SmtpServer): SmtpFault {
  const { code: told = '', originalCode = '', command = '', response, responseCode, message = '' } = error as SmtpError;
  const code = isCertificateFault(originalCode) ? 'ETLS' : told;
  const said = [told, originalCode, command, response ?? message].filter((part) => part !== '').join(' ');
  return {
    reason: reasonOf(code, command, responseCode),
    detail: shown(said, server),
    mayPass: responseCode === undefined ? code !== 'EAUTH' && code !== 'ETLS' : responseCode < 500,
  };
}

function isCertificateFault(code: string): boolean {
  return /CERT|TLS|SSL|SIGNATURE/.test(code);
}

function reasonOf(code: string, command: string, status: number | undefined): string {
  const withCode = status === undefined ? '' : ` (${status})`;
  switch (code) {
    case 'EAUTH':
    case 'ENOAUTH':
      return `The mail server did not accept the credentials of this server${withCode}.`;
    case 'ETLS':
      return 'There was no secure connection to the mail server.';
    case 'EENVELOPE':
      return command.startsWith('MAIL')
        ? `The mail server refused the sender of this server${withCode}.`
        : `The mail server refused the address${withCode}.`;
    case 'EMESSAGE':
      return `The mail server refused the mail${withCode}.`;
    case 'EDNS':
      return 'The name of the mail server has no address.';
    case 'ETIMEDOUT':
    case 'EABORT':
      return 'The mail server did not answer in time.';
    default:
      return status === undefined
        ? 'The connection to the mail server failed.'
        : `The mail server refused the mail${withCode}.`;
  }
}

/** A mail server may repeat what it received, so the credentials are removed in each form in which SMTP sends them. */
function shown(text: string, { user = '', password }: SmtpServer): string {
  const base64 = (part: string) => Buffer.from(part).toString('base64');
  const secrets = [
    password,
    encodeURIComponent(password),
    base64(password),
    base64(`\u0000${user}\u0000${password}`),
  ].filter((secret) => secret !== '');
  const clean = secrets.reduce((rest, secret) => rest.replaceAll(secret, '********'), text);
  return clean.replaceAll(/[\p{C}\s]+/gu, ' ').slice(0, MOST_DETAIL);
}
