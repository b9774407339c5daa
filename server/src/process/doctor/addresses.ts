/**
 * Checks whether the server answers, at its own address and through its proxy, and whether its identity provider does.
 */
import { WebSocket } from 'ws';
import type { Config } from '../../config.ts';
import { isLoopback } from '../../network/networks.ts';
import { connectionErrorOf } from '../../outbound/connection-error.ts';
import type { Finding } from './finding.ts';

const PATIENCE_MILLISECONDS = 5000;
const READ_BYTES = 100;

/** `own` is the address on which the server listens. */
export async function examineAddresses(config: Config, own: string): Promise<Finding[]> {
  const isRunning = await statusOf(`${own}/api/ready`);
  return [
    ...accessFindings(config),
    serverFinding(own, isRunning),
    ...(await proxyFindings(config, isRunning !== undefined)),
    ...(await providerFindings(config, own)),
  ];
}

function accessFindings({ apiAuth, host, oauth, publicUrl }: Config): Finding[] {
  const findings: Finding[] = [];
  if (apiAuth === 'open' && !isLoopback(host)) {
    const cure = 'Set SIGNALBOX_API_AUTH=key, or SIGNALBOX_API_AUTH_STRING=user:password.';
    findings.push({ subject: 'access', state: 'warning', says: `Anyone who reaches ${host} can use the API.`, cure });
  } else findings.push({ subject: 'access', state: 'ok', says: `The API accepts ${WHO[apiAuth]}.` });
  if (oauth && publicUrl.startsWith('http://')) {
    const says = 'SIGNALBOX_PUBLIC_URL is not https, so people cannot sign in MCP clients with the browser.';
    findings.push({
      subject: 'access',
      state: 'warning',
      says,
      cure: 'End TLS in a proxy, or set SIGNALBOX_OAUTH=off.',
    });
  }
  return findings;
}

const WHO = {
  open: 'everyone on this machine',
  basic: 'the user and password of SIGNALBOX_API_AUTH_STRING',
  key: 'API keys and sessions',
} as const;

function serverFinding(url: string, status: number | undefined): Finding {
  const subject = 'server';
  if (status === 200) return { subject, state: 'ok', says: `A server at ${url} is ready.` };
  if (status === undefined) {
    return {
      subject,
      state: 'warning',
      says: `No server answers at ${url}.`,
      cure: 'Start it. If it has stopped, its log has the reason.',
    };
  }
  const says = `The server at ${url} answers ${status} at /api/ready: it cannot write to its database, or is stopping.`;
  return { subject, state: 'problem', says, cure: 'Its log has the reason.' };
}

async function proxyFindings({ publicUrl, basePath }: Config, isRunning: boolean): Promise<Finding[]> {
  if (publicUrl === '' || !isRunning) return [];
  const subject = 'proxy';
  const address = publicUrl + basePath;
  const answer = await ask(`${address}/api/health`);
  if (typeof answer === 'string') {
    const says = `SIGNALBOX_PUBLIC_URL: ${address}/api/health does not answer this machine. ${answer}`;
    const cure = 'Start the proxy, correct the setting, or ignore this if only other machines reach that address.';
    return [{ subject, state: 'problem', says, cure }];
  }
  // Some servers answer a page for unknown addresses with 200.
  if (answer.status !== 200 || answer.text !== 'true') {
    const found = answer.status === 200 ? 'answers, but not as Signalbox' : `answers ${answer.status}`;
    const says = `SIGNALBOX_PUBLIC_URL: ${address}/api/health ${found}.`;
    return [{ subject, state: 'problem', says, cure: cureOfPath(basePath) }];
  }
  if (!(await opensSockets(`${address.replace(/^http/, 'ws')}/api/events/out`))) {
    const says = 'The proxy does not pass websockets, which live events, logs and workers use.';
    const cure = 'Configure the proxy to pass the headers Upgrade and Connection (docs/proxies.md).';
    return [{ subject, state: 'problem', says, cure }];
  }
  return [{ subject, state: 'ok', says: `${address} reaches a Signalbox server, with websockets.` }];
}

function cureOfPath(basePath: string): string {
  return basePath === ''
    ? 'If the proxy serves Signalbox below a path, name the path in SIGNALBOX_BASE_PATH. Otherwise configure it to pass every request to this server.'
    : `Configure the proxy to pass everything below ${basePath} to this server, or correct SIGNALBOX_BASE_PATH (docs/proxies.md).`;
}

async function providerFindings({ oidc, publicUrl, basePath }: Config, own: string): Promise<Finding[]> {
  if (!oidc) return [];
  const subject = 'sign-in';
  const { faultOfProvider } = await import('../../platform/people/oidc/provider-fault.ts');
  const fault = await faultOfProvider(oidc, `${publicUrl || own}${basePath}/sign-in/oidc/callback`);
  if (fault) return [{ subject, state: 'problem', ...fault }];
  return [{ subject, state: 'ok', says: `The identity provider ${oidc.issuer} answers and accepts this server.` }];
}

/** Undefined if nothing answers. */
async function statusOf(url: string): Promise<number | undefined> {
  const answer = await ask(url);
  return typeof answer === 'string' ? undefined : answer.status;
}

/** The status and the beginning of the answer; if there is none, a sentence with the reason. */
async function ask(url: string): Promise<{ status: number; text: string } | string> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MILLISECONDS), redirect: 'manual' });
    const reader = answer.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    await reader?.cancel();
    return {
      status: answer.status,
      text: Buffer.from(value ?? [])
        .subarray(0, READ_BYTES)
        .toString(),
    };
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError'
      ? 'The connection took too long.'
      : connectionErrorOf(error).message;
  }
}

/** The server accepts the socket before it knows the client, so no credential is needed. */
function opensSockets(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, 'prefect', { handshakeTimeout: PATIENCE_MILLISECONDS });
    socket.once('open', () => {
      resolve(true);
      socket.terminate();
    });
    socket.once('error', () => resolve(false));
  });
}
