/**
 * Requests that begin after the answer of a revoke, with the revoked key: none may be accepted. Keys are made, used,
 * revoked and used again without a pause, on one server or on several over one database.
 *
 *   node bench/revocation.ts --url http://127.0.0.1:4200 --key sbx_… --requests 100000 [--replica http://127.0.0.1:4201 …]
 *
 * `--key` is a key of an administrator of the organization `default`.
 */
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:4200' },
    key: { type: 'string', default: '' },
    replica: { type: 'string', multiple: true, default: [] },
    requests: { type: 'string', default: '100000' },
  },
});
const servers = [values.url, ...values.replica];
const total = Number(values.requests);
/** Requests with each revoked key, sent at once. */
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
    const made = await call(values.url, values.key, 'POST', path, { descriptor: 'short-lived' });
    if (made.status !== 201) throw new Error(`no key was made: ${made.status} ${JSON.stringify(made.body)}`);
    const before = await Promise.all(servers.map((server) => call(server, made.body.secret, 'GET', '/me')));
    if (before.some(({ status }) => status !== 200)) throw new Error('a new key was refused');
    const revoked = await call(values.url, values.key, 'DELETE', `${path}/${made.body.apiKey.id}`);
    if (revoked.status !== 204) throw new Error(`not revoked: ${revoked.status}`);
    const after = await Promise.all(
      Array.from({ length: BURST }, (_, index) =>
        call(servers[index % servers.length] ?? values.url, made.body.secret, 'GET', '/me'),
      ),
    );
    keys += 1;
    asked += after.length;
    accepted += after.filter(({ status }) => status !== 401).length;
  }
}

const started = performance.now();
const accounts = await Promise.all(
  Array.from({ length: KEYS_AT_ONCE }, async (_, index) => {
    const name = `revocation-${Date.now()}-${index}`;
    const made = await call(values.url, values.key, 'POST', '/organizations/default/service-accounts', { name });
    return made.body.serviceAccount.id as string;
  }),
);
await Promise.all(accounts.map(revokeKeys));
const seconds = (performance.now() - started) / 1000;
console.log(
  `${asked} requests with ${keys} revoked keys on ${servers.length} server(s), ${(asked / seconds).toFixed(0)}/s: ${accepted} accepted`,
);
process.exitCode = accepted === 0 ? 0 : 1;
