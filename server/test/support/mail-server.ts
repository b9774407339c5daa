/** A mail server for tests, which keeps what it takes, and a certificate of an authority of its own. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { MailConfig } from '../../src/config.ts';
import { senderOf, smtpServerOf } from '../../src/settings/mail.ts';
import { until } from './until.ts';

export interface TakenMail {
  /** What the mail server was told, apart from the headers. */
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string;
  readonly isSecure: boolean;
  /** The user who presented credentials. */
  readonly user: string | undefined;
}

export interface MailServer {
  readonly port: number;
  readonly taken: TakenMail[];
  /** The next mail to the address that nobody has waited for; `count`: how many there must have been. */
  mailTo(address: string, count?: number): Promise<TakenMail>;
  /** The settings of a server that sends through it: at `http://signalbox`. */
  config(url?: string, ca?: string): { readonly mail: MailConfig; readonly publicUrl: string };
  stop(): Promise<void>;
}

export const PASSWORD = 'sesame/open?&more';

export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const taken: TakenMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    // STARTTLS is offered where a test brings a certificate.
    ...(options.cert || options.key ? {} : { disabledCommands: ['STARTTLS', 'AUTH'] }),
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      username === 'signalbox@mail' && password === PASSWORD
        ? done(null, { user: username })
        : done(new Error(`Wrong password ${password}`)),
    onData: (stream, session, done) => {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        const raw = Buffer.concat(pieces).toString('utf8');
        PostalMime.parse(raw).then((mail) => {
          taken.push({
            from: (session.envelope.mailFrom || { address: '' }).address,
            to: session.envelope.rcptTo.map(({ address }) => address),
            raw,
            subject: mail.subject ?? '',
            headers: Object.fromEntries(mail.headers.map(({ key, value }) => [key, value])),
            text: mail.text ?? '',
            html: mail.html ?? '',
            isSecure: session.secure,
            user: session.user as string | undefined,
          });
          done();
        }, done);
      });
    },
    ...options,
  });
  // Clients that break off are part of the tests.
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  return {
    port,
    taken,
    mailTo: (address, count = 1) =>
      until(`mail ${count} to ${address}`, () => taken.filter(({ to }) => to.includes(address))[count - 1]),
    config: (url = `smtp://127.0.0.1:${port}?tls=none`, ca = undefined) => mailConfig(url, ca),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

export function mailConfig(url: string, ca?: string) {
  const [server, from] = [smtpServerOf(url), senderOf('Signalbox <signalbox@example.com>')];
  if (!server || !from) throw new Error(`Not a mail server: ${url}`);
  return { mail: { server, from, ca, perHour: 200 }, publicUrl: 'http://signalbox' };
}

/** A mail server that does what `behave` does with each connection, and understands nothing. */
export async function startBrokenMailServer(behave: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    behave(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}?tls=none`,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** A certificate for `127.0.0.1` and the certificate of the authority that signed it. Needs `openssl`. */
export function privateAuthority(): { readonly ca: string; readonly cert: string; readonly key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-authority-'));
  try {
    const at = (name: string) => join(folder, name);
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const run = (...words: string[]) => {
      const { status, stderr } = spawnSync('openssl', words, { encoding: 'utf8' });
      if (status !== 0) throw new Error(`openssl ${words[0]}: ${stderr}`);
    };
    run('req', '-x509', ...curve, '-keyout', at('ca.key'), '-out', at('ca.crt'), '-days', '2', '-subj', '/CN=Ours');
    run('req', ...curve, '-keyout', at('key'), '-out', at('csr'), '-subj', '/CN=127.0.0.1');
    writeFileSync(at('ext'), 'subjectAltName=IP:127.0.0.1\n');
    const signing = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '2'];
    run('x509', '-req', '-in', at('csr'), '-out', at('crt'), '-extfile', at('ext'), ...signing);
    const read = (name: string) => readFileSync(at(name), 'utf8');
    return { ca: read('ca.crt'), cert: read('crt'), key: read('key') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
