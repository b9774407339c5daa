import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../config.ts';
import { defaultTarget } from '../../identity/callers/target.ts';
import { createLogger } from '../../watching/logger.ts';
import { RefusedSockets, settingLacked } from './refused-sockets.ts';

test('the log names the missing setting once for each caller, and callers without number get few lines', () => {
  const lines: string[] = [];
  const refused = new RefusedSockets(createLogger('warn', { write: (line) => lines.push(line) }));
  const config = { ...readConfig({}, {}), apiAuth: 'key' } as const;
  const [key, old] = [true, false].map((canSignIn) => settingLacked(config, defaultTarget, canSignIn));
  const caller = { path: '/api/events/in', address: '192.0.2.1', userAgent: 'a client' };
  for (let time = 0; time < 3; time++) {
    refused.tell(key!, caller);
    refused.tell(old!, caller);
    refused.tell(key!, { ...caller, address: '192.0.2.2' });
  }
  assert.equal(lines.length, 3);
  assert.match(lines[0]!, /192\.0\.2\.1.*PREFECT_API_AUTH_STRING to the API key/);
  assert.match(lines[1]!, /newer client/);
  assert.match(lines[2]!, /192\.0\.2\.2/);
  for (let host = 0; host < 5000; host++) refused.tell(key!, { ...caller, address: `2001:db8::${host}` });
  assert.ok(lines.length < 100, `${lines.length} lines`);
});
