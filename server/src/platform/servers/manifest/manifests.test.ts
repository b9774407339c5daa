import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnswerSink, Upstream } from '../../../mcp/upstream/upstream.ts';
import { jsonTextOf } from '../../../values/json.ts';
import { readManifest } from './manifests.ts';

test('a slow hosted server is read when it starts within its time limit', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const asked = Promise.withResolvers<() => void>();
  let started = false;
  const upstream: Upstream = {
    send: ({ body }, sink) => {
      const { id, method } = JSON.parse(body?.toString('utf8') ?? '{}');
      const answer = () => answerTo(id, method, sink);
      if (started) answer();
      else asked.resolve(answer);
      return { abort: () => {}, resume: () => {} };
    },
  };
  const server = { upstreams: { upstreamOf: async () => upstream }, hosting: { replaceOutdated: async () => {} } };
  const connection = jsonTextOf({ transport: 'stdio', startSeconds: 60 });
  const versions = { connection_version: 1, denied_as: 'forbidden', personal_credential: null } as const;
  const row = { id: 'slow', kind: 'hosted', connection, ...versions } as const;
  const reading = readManifest(server, row);
  const answer = await asked.promise;
  t.mock.timers.tick(50_000);
  started = true;
  answer();
  const read = await reading;
  assert.deepEqual('eras' in read ? read.eras : read.message, ['legacy']);
});

function answerTo(id: unknown, method: string, sink: AnswerSink): void {
  const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'slow', version: '1' } };
  const outcome = method === 'initialize' ? { result } : { error: { code: -32601, message: 'Method not found' } };
  sink.begin(200, { 'content-type': 'application/json' });
  sink.data(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, ...outcome })));
  sink.end();
}
