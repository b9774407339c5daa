/**
 * The one way to the mail server that the operator names. It may stand on a private address. Every step has a deadline
 * and every answer a bound, so that a mail server that is broken, or is none, costs a connection for a while.
 */
import { Socket } from 'node:net';
import type { Transporter } from 'nodemailer';
import type { MailConfig } from '../config.ts';
import { guarded } from '../watching/background.ts';
import { type Letter, render } from './letter.ts';
import { type SmtpFault, smtpFaultOf } from './smtp-fault.ts';

/** Seconds for a whole mail, and for one step of it. */
const MAIL_SECONDS = 15;
const STEP_SECONDS = 10;
/** Bytes of one answer of the mail server. */
const MAX_ANSWER_BYTES = 16 * 1024;

/** Hands a mail to the mail server. Resolves with the fault when it did not take it. `signal` ends the attempt. */
export async function deliver(config: MailConfig, letter: Letter, signal: AbortSignal): Promise<SmtpFault | undefined> {
  const { from } = config;
  const { subject, text, html } = render(letter);
  return attempt(config, async (transport) => {
    await transport.sendMail({
      from: { ...from },
      to: { name: '', address: letter.to },
      // What the mail server acts on, whatever the headers say.
      envelope: { from: from.address, to: [letter.to] },
      subject,
      text,
      html,
      // Source: RFC 3834. Nobody's holiday notice answers.
      headers: { 'auto-submitted': 'auto-generated' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(MAIL_SECONDS * 1000)]),
    });
  });
}

/** Connects and presents the credentials, and sends no mail. Resolves with the fault. */
export async function probe(config: MailConfig): Promise<SmtpFault | undefined> {
  return attempt(config, async (transport, socket) => {
    let isLate = false;
    const end = guarded('the deadline of a look at the mail server', () => {
      isLate = true;
      socket.destroy();
    });
    const timer = setTimeout(end, MAIL_SECONDS * 1000);
    try {
      await transport.verify();
    } catch (error) {
      throw isLate ? Object.assign(new Error('No answer in time'), { code: 'ETIMEDOUT' }) : error;
    } finally {
      clearTimeout(timer);
    }
  });
}

async function attempt(
  config: MailConfig,
  work: (transport: Transporter, socket: Socket) => Promise<void>,
): Promise<SmtpFault | undefined> {
  // The library is loaded with the first mail: most servers send none.
  const { createTransport } = await import('nodemailer');
  const { host, port, tls, user, password } = config.server;
  const socket = new Socket();
  const transport = createTransport({
    host,
    port,
    socket,
    secure: tls === 'start',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(user === undefined ? {} : { auth: { user, pass: password } }),
    // Without it, a mail server that offers no authentication would get the mail anyway.
    forceAuth: user !== undefined,
    connectionTimeout: STEP_SECONDS * 1000,
    dnsTimeout: STEP_SECONDS * 1000,
    greetingTimeout: STEP_SECONDS * 1000,
    socketTimeout: STEP_SECONDS * 1000,
    socketCloseTimeout: 1000,
    maxResponseSize: MAX_ANSWER_BYTES,
    tls: { minVersion: 'TLSv1.2', ...(config.ca === undefined ? {} : { ca: config.ca }) },
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
  });
  try {
    await work(transport, socket);
    return undefined;
  } catch (error) {
    return smtpFaultOf(error, config.server);
  } finally {
    transport.close();
  }
}
