/** Checks that the mail server answers and accepts the credentials. Sends no mail. */
import type { Config } from '../../config.ts';
import { probe } from '../../mail/smtp.ts';
import type { Finding } from './finding.ts';

const subject = 'mail';

export async function examineMail({ mail }: Config): Promise<Finding> {
  if (!mail) {
    return { subject, state: 'ok', says: 'The server sends no mail: SIGNALBOX_SMTP_URL is not set.' };
  }
  const { host, port, tls, user } = mail.server;
  const fault = await probe(mail);
  if (fault) {
    const says = `${host}:${port} does not accept mail: ${fault.reason} It answered: ${fault.detail}.`;
    return { subject, state: 'problem', says, cure: 'Correct SIGNALBOX_SMTP_URL, or the mail server.' };
  }
  const says = `${host}:${port} answers${user === undefined ? '' : ' and accepts the credentials'}.`;
  if (tls !== 'none' || user === undefined) return { subject, state: 'ok', says };
  const cure = 'Use smtps://, or smtp:// without ?tls=none.';
  return { subject, state: 'warning', says: `${says} The password is sent without TLS.`, cure };
}
