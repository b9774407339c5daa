/**
 * The connection to the mail server that the operator configured. It may have a private address. Every step has a
 * deadline and every answer a size limit, so that a broken mail server, or a server of another kind, costs a connection
 * only for a while.
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

/**
 * Delivers a mail to the mail server. Resolves with the fault if the server did not accept it. `signal` ends the
 * attempt.
 */
export async function deliver(config: MailConfig, letter: Letter, signal: AbortSignal): Promise<SmtpFault | undefined> {
  const { from } = config;
  const { subject, text, html } = render(letter);
  return attempt(config, async (transport) => {
    await transport.sendMail({
      from: { ...from },
      to: { name: '', address: letter.to },
      // The mail server uses the envelope, not the headers.
      envelope: { from: from.address, to: [letter.to] },
      subject,
      text,
      html,
      // Prevents automatic replies. Source: RFC 3834.
      headers: { 'auto-submitted': 'auto-generated' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(MAIL_SECONDS * 1000)]),
    });
  });
}

/** Connects and authenticates without sending a mail. Resolves with the fault. */
export async function probe(config: MailConfig): Promise<SmtpFault | undefined> {
  return attempt(config, async (transport, socket) => {
    let isLate = false;
    const end = guarded('the deadline of a check of the mail server', () => {
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
  // The library is loaded for the first mail, because most servers send none.
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
    // Otherwise a mail server that offers no authentication would get the mail without it.
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
