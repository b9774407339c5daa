import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eraOf, headerFault } from './era.ts';
import type { Request } from './message.ts';

const key = 'io.modelcontextprotocol/protocolVersion';
const call = (name: string, version?: string): Request => ({
  kind: 'request',
  id: 1,
  method: 'tools/call',
  params: { name, ...(version ? { _meta: { [key]: version } } : {}) },
});
const modern = (name: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': name,
});

describe('the two eras of the protocol', () => {
  test('a message that names its revision, or a header of the newest or a later one, is stateless', () => {
    assert.equal(eraOf(call('a', '2026-07-28'), {}), 'modern');
    assert.equal(eraOf(call('a'), { 'mcp-protocol-version': '2026-07-28' }), 'modern');
    assert.equal(eraOf(call('a'), { 'mcp-protocol-version': '2027-01-01' }), 'modern');
    for (const version of ['2025-11-25', '2025-03-26', 'draft', '9999', '']) {
      assert.equal(eraOf(call('a'), { 'mcp-protocol-version': version }), 'legacy', version);
    }
    assert.equal(eraOf(undefined, {}), 'legacy');
  });

  test('headers that agree with the message are accepted, plain or in base64', () => {
    const message = call('größe', '2026-07-28');
    const encoded = `=?base64?${Buffer.from('größe').toString('base64')}?=`;
    assert.equal(headerFault(message, 'modern', modern(encoded)), undefined);
    assert.equal(headerFault(call('echo', '2026-07-28'), 'modern', modern('echo')), undefined);
    assert.equal(headerFault(call('echo'), 'legacy', {}), undefined);
  });

  test('missing or different headers are errors', () => {
    const message = call('echo', '2026-07-28');
    const wrong = [
      {},
      { ...modern('echo'), 'mcp-name': undefined },
      { ...modern('echo'), 'mcp-method': undefined },
      { ...modern('echo'), 'mcp-method': 'Tools/Call' },
      { ...modern('echo'), 'mcp-protocol-version': '2025-11-25' },
      modern('Echo'),
      modern('echo, echo'),
      modern('=?base64?ZWNobw?='.replace('ZWNobw', 'RWNobw==')),
      modern('=?BASE64?ZWNobw==?='),
    ];
    for (const headers of wrong) {
      assert.equal(headerFault(message, 'modern', headers)?.code, -32020, JSON.stringify(headers));
    }
  });
});
