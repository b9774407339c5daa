/**
 * Sends requests with a revoked key after the revoke is answered: no server may accept one. The script makes keys, uses
 * them on every server, revokes them on one and uses them again on the others without a pause.
 *
 *   node bench/revocation.ts --replicas 3 --database postgres --requests 100000
 *   node bench/revocation.ts --url http://127.0.0.1:4200 --key sbx_… [--replica http://127.0.0.1:4201 …]
 *
 * The first form starts servers and a database of its own. `--key` is a key of an administrator of the organization
 * `default`.
 */
import { parseArgs } from 'node:util';
import { startReplicas } from './replicas.ts';

const { values } = parseArgs({
  options: {
    replicas: { type: 'string' },
    database: { type: 'string', default: 'postgres' },
    url: { type: 'string', default: 'http://127.0.0.1:4200' },
    key: { type: 'string', default: '' },
    replica: { type: 'string', multiple: true, default: [] },
    requests: { type: 'string', default: '100000' },
  },
});
const own = values.replicas === undefined ? undefined : await startReplicas(Number(values.replicas), values.database);
const servers = own?.urls ?? [values.url, ...values.replica];
const administrator = own?.key ?? values.key;
const total = Number(values.requests);
/** Number of requests sent at once with each revoked key. */
const BURST = 50;
const KEYS_AT_ONCE = 4;

async function call(server: string, key: string, method: string, path: string, body?: object) {
  const response = await fetch(`${server}/api/v0${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

let asked = 0;
let accepted = 0;
let keys = 0;

async function revokeKeys(account: string): Promise<void> {
  const path = `/organizations/default/service-accounts/${account}/api-keys`;
  while (asked < total) {
    // Each server revokes in turn; the requests go to the other servers, if there are any.
    const revoking = servers[keys % servers.length] ?? '';
    const others = servers.length > 1 ? servers.filter((server) => server !== revoking) : servers;
    const made = await call(revoking, administrator, 'POST', path, { descriptor: 'short-lived' });
    if (made.status !== 201) throw new Error(`Could not make a key: ${made.status} ${JSON.stringify(made.body)}`);
    keys += 1;
    const before = await Promise.all(servers.map((server) => call(server, made.body.secret, 'GET', '/me')));
    if (before.some(({ status }) => status !== 200)) throw new Error('A server refused a new key.');
    const revoked = await call(revoking, administrator, 'DELETE', `${path}/${made.body.apiKey.id}`);
    if (revoked.status !== 204) throw new Error(`Could not revoke a key: ${revoked.status}`);
    const after = await Promise.all(
      Array.from({ length: BURST }, (_, index) =>
        call(others[index % others.length] ?? '', made.body.secret, 'GET', '/me'),
      ),
    );
    asked += after.length;
    accepted += after.filter(({ status }) => status !== 401).length;
  }
}

try {
  const started = performance.now();
  const accounts = await Promise.all(
    Array.from({ length: KEYS_AT_ONCE }, async (_, index) => {
      const name = `revocation-${Date.now()}-${index}`;
      const made = await call(servers[0] ?? '', administrator, 'POST', '/organizations/default/service-accounts', {
        name,
      });
      return made.body.serviceAccount.id as string;
    }),
  );
  await Promise.all(accounts.map(revokeKeys));
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `${asked} requests with ${keys} revoked keys on ${servers.length} server(s), ${(asked / seconds).toFixed(0)}/s: ${accepted} accepted`,
  );
  process.exitCode = accepted === 0 ? 0 : 1;
} finally {
  await own?.stop();
}
