import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Timestamp } from '../../../values/time.ts';
import type { WorkspaceApi } from '../definition/workspace-api.ts';
import { createProtocolHandler } from './protocol-server.ts';

test('a fault of the server goes to its log, and the caller learns nothing of it', async () => {
  const faults: unknown[] = [];
  const api: WorkspaceApi = {
    allows: () => true,
    call: () => Promise.reject(new Error('select secret from somewhere')),
  };
  const handler = createProtocolHandler((error) => faults.push(error));
  const call = {
    api,
    caller: {
      workspace: 1,
      actor: { type: 'user', id: 'one', name: 'one' },
      role: 'viewer',
      signal: new AbortController().signal,
    },
    now: '2026-01-01T00:00:00.000000Z' as Timestamp,
    era: 'legacy',
    allows: () => true,
    denied: () => assert.fail('nothing is denied'),
    fault: (error: unknown) => faults.push(error),
  } as const;
  for (const [method, params] of [
    ['tools/call', { name: 'get_overview', arguments: {} }],
    ['resources/read', { uri: 'signalbox://overview' }],
    ['prompts/get', { name: 'daily_report' }],
  ] as const) {
    const request = new Request('http://builtin.invalid/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const text = await (await handler(request, call)).text();
    assert.match(text, /"code":-32603,"message":"Internal error"/, method);
    assert.doesNotMatch(text, /secret/);
  }
  assert.equal(faults.length, 3);
});
