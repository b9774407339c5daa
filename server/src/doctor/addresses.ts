/** Whether the server answers, at its own address and through its proxy, with websockets. */
import { WebSocket } from 'ws';
import type { Config } from '../config.ts';
import { isLoopback } from '../network/networks.ts';
import type { Finding } from './finding.ts';

const PATIENCE_MILLISECONDS = 5000;

/** `own`: where the server listens. */
export async function examineAddresses(config: Config, own: string): Promise<Finding[]> {
  const isRunning = await statusOf(`${own}/api/ready`);
  return [
    ...accessFindings(config),
    serverFinding(own, isRunning),
    ...(await proxyFindings(config.publicUrl && config.publicUrl + config.basePath, isRunning !== undefined)),
  ];
}

function accessFindings({ apiAuth, host, oauth, publicUrl }: Config): Finding[] {
  const findings: Finding[] = [];
  if (apiAuth === 'open' && !isLoopback(host)) {
    const cure = 'Set SIGNALBOX_API_AUTH=key, or SIGNALBOX_API_AUTH_STRING=user:password.';
    findings.push({ subject: 'access', state: 'warning', says: `Anyone who reaches ${host} can use the API.`, cure });
  } else findings.push({ subject: 'access', state: 'ok', says: `The API takes ${WHO[apiAuth]}.` });
  if (oauth && publicUrl.startsWith('http://')) {
    const says = 'SIGNALBOX_PUBLIC_URL is not https, so people cannot sign MCP clients in with the browser.';
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
  open: 'everybody on this machine',
  basic: 'one user and password',
  key: 'API keys and sessions',
} as const;

function serverFinding(url: string, status: number | undefined): Finding {
  const subject = 'server';
  if (status === 200) return { subject, state: 'ok', says: `A server at ${url} is ready.` };
  if (status === undefined) {
    return { subject, state: 'warning', says: `No server answers at ${url}.`, cure: 'Start it, or look at its log.' };
  }
  const says = `The server at ${url} answers ${status} at /api/ready: it cannot write to its database, or is stopping.`;
  return { subject, state: 'problem', says, cure: 'Its log has the reason.' };
}

async function proxyFindings(publicUrl: string, isRunning: boolean): Promise<Finding[]> {
  if (publicUrl === '' || !isRunning) return [];
  const subject = 'proxy';
  const status = await statusOf(`${publicUrl}/api/health`);
  if (status !== 200) {
    const found = status === undefined ? 'does not answer' : `answers ${status}`;
    const says = `SIGNALBOX_PUBLIC_URL (${publicUrl}/api/health) ${found}.`;
    return [{ subject, state: 'problem', says, cure: 'Configure the proxy to pass every path to this server.' }];
  }
  if (!(await opensSockets(`${publicUrl.replace(/^http/, 'ws')}/api/events/out`))) {
    const says = 'The proxy does not pass websockets, which live events, logs and workers use.';
    const cure = 'Pass the headers Upgrade and Connection (docs/proxies.md).';
    return [{ subject, state: 'problem', says, cure }];
  }
  return [{ subject, state: 'ok', says: `${publicUrl} leads to a server, with websockets.` }];
}

/** Undefined where nothing answers. */
async function statusOf(url: string): Promise<number | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MILLISECONDS), redirect: 'manual' });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return undefined;
  }
}

/** The server takes the socket before it knows the client, so no credential is needed. */
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
