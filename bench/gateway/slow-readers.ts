/**
 * Measures the gateway's resident memory per reader that requests much and reads slowly: first a warm-up with as many
 * readers that read at full speed, then the slow readers. Buffers of the system are not counted, because they are not
 * memory of the process. The number of bytes the upstream could send shows that the gateway held it back.
 *
 *   node bench/gateway/slow-readers.ts --readers 200 --megabytes 64 --rate 4096 --forms json,events,small-events
 *
 * `--rate` is bytes per second and reader, 0 for readers that never read. Each form runs against its own gateway, and
 * again under a policy, where the gateway parses events.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startReplicas } from '../replicas.ts';
import { type Administrate, administratorOf, residentBytes, startProgram } from './parts.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    readers: { type: 'string', default: '200' },
    megabytes: { type: 'string', default: '64' },
    rate: { type: 'string', default: '4096' },
    forms: { type: 'string', default: 'json,events,small-events' },
  },
});
const MEGABYTE = 1024 * 1024;
const readers = Number(values.readers);
/** Bytes for each reader that reads: enough to pass through every buffer. */
const WARM_BYTES = 4 * MEGABYTE;
/** Memory counts as settled when it changed by less than this in `STEADY_LOOKS` samples in a row. */
const STEADY_BYTES = MEGABYTE;
const STEADY_LOOKS = 5;
const MOST_LOOKS = 60;

interface Gateway {
  readonly url: URL;
  readonly key: string;
  readonly pid: number;
}

/** Two servers with the same upstream: the policy of the second filters the answers. */
async function prepare(administrate: Administrate, upstream: string): Promise<string> {
  for (const slug of ['open', 'filtered']) {
    const external = { url: `${upstream}/mcp` };
    await administrate('POST', '/servers', { slug, name: slug, kind: 'external', defaultRole: 'viewer', external });
  }
  const rules = [{ role: 'viewer', capability: 'tool', pattern: 'endless', effect: 'allow' }];
  await administrate('PUT', '/servers/filtered/policy', { rules });
  return (await administrate('POST', '/service-accounts', { name: 'reader' })).secret ?? '';
}

/** A connection that has sent its request and does not read the answer yet. */
async function askFor({ url, key }: Gateway, form: string, bytes: number): Promise<Socket> {
  const socket = connect({ host: url.hostname, port: Number(url.port) });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  const params = { name: 'endless', arguments: { form, bytes } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  socket.write(
    `POST ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${key}\r\n` +
      'accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\nconnection: close\r\n' +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

async function readAll(socket: Socket): Promise<void> {
  let bytes = 0;
  let beginning = '';
  socket.on('data', (chunk) => {
    if (bytes === 0) beginning = chunk.toString('latin1', 0, 500);
    bytes += chunk.length;
  });
  socket.resume();
  await once(socket, 'close');
  if (bytes < WARM_BYTES) throw new Error(`A reader got ${bytes} bytes: ${beginning}`);
}

/** Resident bytes once they hardly change. */
async function settled(pid: number): Promise<number> {
  let last = residentBytes(pid);
  let steady = 0;
  for (let look = 0; look < MOST_LOOKS && steady < STEADY_LOOKS; look += 1) {
    await delay(1000);
    const now = residentBytes(pid);
    steady = Math.abs(now - last) < STEADY_BYTES ? steady + 1 : 0;
    last = now;
  }
  return last;
}

async function measure(gateway: Gateway, form: string, upstream: string): Promise<string> {
  const sent = async () => Number(await (await fetch(`${upstream}/sent`)).text());
  const cold = await settled(gateway.pid);
  const fast = await Promise.all(Array.from({ length: readers }, () => askFor(gateway, form, WARM_BYTES)));
  await Promise.all(fast.map(readAll));
  const warm = await settled(gateway.pid);
  const before = await sent();
  const slow: Socket[] = [];
  const more = async () => {
    const asked = Array.from({ length: readers }, () => askFor(gateway, form, Number(values.megabytes) * MEGABYTE));
    slow.push(...(await Promise.all(asked)));
  };
  await more();
  const timer = setInterval(() => {
    for (const socket of slow) if (Number(values.rate) > 0) socket.read(Number(values.rate));
  }, 1000);
  const loaded = await settled(gateway.pid);
  const taken = (await sent()) - before;
  await more();
  const doubled = await settled(gateway.pid);
  const open = slow.filter((socket) => !socket.destroyed).length;
  clearInterval(timer);
  for (const socket of slow) socket.destroy();
  const kilobytes = (bytes: number) => `${Math.round(bytes / readers / 1024)} KB`;
  return (
    `${kilobytes(loaded - warm)} a reader beyond the warm gateway, ${kilobytes(doubled - loaded)} for each of so many more ` +
    `(${[cold, warm, loaded, doubled].map((bytes) => Math.round(bytes / MEGABYTE)).join(', ')} MB cold, warm, loaded, doubled); ` +
    `${kilobytes(taken)} sent to each; ${open} of ${2 * readers} readers are still there`
  );
}

for (const form of values.forms.split(',')) {
  for (const slug of ['open', 'filtered']) {
    const upstream = await startProgram('endless.mjs');
    const replicas = await startReplicas(1, values.database);
    try {
      const key = await prepare(administratorOf(replicas), upstream.origin);
      const url = new URL(`${replicas.urls[0]}/servers/default/${slug}/mcp`);
      console.log(
        `${form}, ${slug}: ${await measure({ url, key, pid: replicas.pids[0] ?? 0 }, form, upstream.origin)}`,
      );
    } finally {
      upstream.end();
      await replicas.stop();
    }
  }
}
process.exit(0);
