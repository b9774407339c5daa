import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../config.ts';
import { defaultTarget } from '../identity/authenticate.ts';
import { createLogger } from '../logger.ts';
import { RefusedSockets, settingLacked } from './refused-sockets.ts';

test('the log names each missing setting once, however often a client is refused', () => {
  const lines: string[] = [];
  const refused = new RefusedSockets(createLogger('warn', { write: (line) => lines.push(line) }));
  const config = { ...readConfig({}, {}), apiAuth: 'key' } as const;
  const [key, old] = [true, false].map((canSignIn) => settingLacked(config, defaultTarget, canSignIn));
  for (let time = 0; time < 3; time++) {
    refused.tell(key!, '/api/events/in', 'a client');
    refused.tell(old!, '/api/events/in', 'a client');
  }
  assert.equal(lines.length, 2);
  assert.match(lines[0]!, /PREFECT_API_AUTH_STRING to the API key/);
  assert.match(lines[1]!, /newer client/);
});
