/**
 * Attacks by a server on the gateway, and the answers its callers get. Larger floods:
 * SIGNALBOX_TEST_FLOOD_MEGABYTES=1024.
 */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import {
  ask,
  callTool,
  openStream,
  send,
  servingUrl,
  startGateway,
  type TestGateway,
} from '../../../test/support/gateway.ts';
import { startWatchedUpstream, type WatchedUpstream } from '../../../test/support/watched-upstream.ts';

const FLOOD_BYTES = Number(process.env['SIGNALBOX_TEST_FLOOD_MEGABYTES'] ?? 32) * 1024 * 1024;
const MAX_GROWTH = 64 * 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };

const quickBrotli = (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The memory of this process, which runs both server and test. */
function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Writes this many bytes as fast as the reader takes them; stops when the reader disconnects. */
async function flood(response: ServerResponse, chunk: Buffer, bytes = FLOOD_BYTES): Promise<number> {
  let sent = 0;
  while (sent < bytes && !response.destroyed) {
    sent += chunk.length;
    if (response.write(chunk)) await new Promise((resolve) => setImmediate(resolve));
    else {
      await new Promise<void>((resolve) => {
        response.once('drain', resolve);
        response.once('close', resolve);
      });
    }
  }
  response.end();
  return sent;
}

describe('hostile servers behind the gateway', () => {
  let gateway: TestGateway;
  let healthy: WatchedUpstream;
  let key: string;

  before(async () => {
    gateway = await startGateway();
    healthy = await startWatchedUpstream();
    await gateway.register('healthy', {}, healthy.url);
    for (const slug of ['hostile', 'narrow']) await gateway.register(slug);
    await gateway.register('slow', { external: { url: gateway.upstream.url, answerSeconds: 1 } });
    await gateway.allow('narrow', { capability: 'tool', pattern: 'echo', effect: 'allow' });
    key = (await gateway.member('member@example.com')).key;
  });
  beforeEach(() => gateway.upstream.answerWith(undefined));
  after(async () => {
    await gateway.stop();
    await healthy.stop();
  });

  const call = (slug: string, body: unknown = callTool('echo')) => send(gateway, slug, body, { key });

  /** Runs `work` during calls to the other server, and returns the peak growth of memory. */
  const growthOf = async (work: () => Promise<unknown>): Promise<number> => {
    collectGarbage();
    const before = memory();
    let most = 0;
    let running = true;
    const others = (async () => {
      while (running) {
        assert.equal((await call('healthy')).status, 200);
        if (memory() - before > MAX_GROWTH / 2) collectGarbage();
        most = Math.max(most, memory() - before);
      }
    })();
    await work();
    running = false;
    await others;
    return most;
  };

  test('one that does not answer: 504 in time, with the id of the request', async () => {
    gateway.upstream.answerWith(() => {});
    const { status, body } = await call('slow');
    assert.equal(status, 504);
    assert.equal(body.id, 1);
  });

  test('one that sends its answer byte by byte: 504 in time', async () => {
    gateway.upstream.answerWith((_request, response) => {
      response.writeHead(200, JSON_TYPE);
      const timer = setInterval(() => response.write(' '), 100);
      response.once('close', () => clearInterval(timer));
    });
    const { status, body } = await call('slow');
    assert.equal(status, 504);
    assert.equal(body.id, 1);
  });

  test('one that breaks off: an error before the first byte, later an answer that is visibly incomplete', async () => {
    gateway.upstream.answerWith((_request, response) => {
      response.socket?.destroy();
    });
    assert.equal((await call('hostile')).status, 502);
    gateway.upstream.answerWith((_request, response) => {
      response.writeHead(200, { ...JSON_TYPE, 'content-length': '1000' });
      response.write('{"jsonrpc":"2.0",', () => response.socket?.destroy());
    });
    const { status, body } = await call('hostile');
    assert.equal(status, 502);
    assert.equal(body.id, 1);
    gateway.upstream.answerWith((_request, response) => {
      response.writeHead(200, EVENTS);
      response.write('data: {"half":', () => response.socket?.resetAndDestroy());
    });
    await assert.rejects(call('hostile'));
    assert.equal((await call('healthy')).status, 200);
  });

  test('one that answers with another id, no id, twice or without a message: an error', async () => {
    const result = (id: string) => `{"jsonrpc":"2.0","id":${id},"result":{}}`;
    const wrong = [
      result('2'),
      result('"1"'),
      result('11'),
      result('null'),
      '{"jsonrpc":"2.0","result":{}}',
      '{"result":{"id":1},"jsonrpc":"2.0"}',
      `[${result('1')},${result('1')}]`,
      'hello',
      '',
      '1',
      '"id":1}',
    ];
    for (const text of wrong) {
      gateway.upstream.answerWith((_request, response) => response.writeHead(200, JSON_TYPE).end(text));
      for (const slug of ['hostile', 'narrow']) {
        const { status, body } = await call(slug);
        assert.equal(status, 502, text);
        assert.equal(body.id, 1);
      }
    }
    for (const text of [
      result('1'),
      ` ${result('1')}\n`,
      '{"id":1,"jsonrpc":"2.0","result":{}}',
      '{"result":{},"jsonrpc":"2.0","id":1}',
      '{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"},"id":null}',
    ]) {
      gateway.upstream.answerWith((_request, response) => response.writeHead(200, JSON_TYPE).end(text));
      assert.deepEqual(await call('hostile').then(({ status, text: came }) => [status, came]), [200, text]);
    }
  });

  test('one that does not speak HTTP or sends endless headers: an error', async () => {
    for (const bytes of [
      'hello\r\n\r\n',
      'HTTP/1.1 999999 x\r\n\r\n',
      `HTTP/1.1 200 OK\r\na: ${'b'.repeat(200_000)}\r\n\r\n`,
    ]) {
      gateway.upstream.answerWith((_request, response) => {
        response.socket?.write(bytes, () => response.socket?.destroy());
      });
      const { status, body } = await call('hostile');
      assert.equal(status, 502, bytes.slice(0, 20));
      assert.equal(body.id, 1);
    }
  });

  test('one that sends a bomb: no more of it is decoded than a plain one may have', async () => {
    const zeros = Buffer.alloc(96 * 1024 * 1024);
    for (const [encoding, compress] of [
      ['gzip', gzipSync],
      ['br', quickBrotli],
      ['zstd', zstdCompressSync],
    ] as const) {
      const bomb = compress(zeros);
      for (const type of [JSON_TYPE, EVENTS]) {
        gateway.upstream.answerWith((_request, response) =>
          response.writeHead(200, { ...type, 'content-encoding': encoding }).end(bomb),
        );
        const growth = await growthOf(async () => {
          const answer = await call('narrow', ask('tools/list')).catch(() => undefined);
          assert.ok(answer === undefined || answer.status === 502, encoding);
        });
        assert.ok(growth < MAX_GROWTH, `${encoding}: ${growth}`);
      }
    }
    assert.equal((await call('healthy')).status, 200);
    assert.equal(gateway.upstream.seen.at(-1)?.headers['accept-encoding'], undefined);
  });

  test('one that floods a list: an error before much of it is buffered', async () => {
    gateway.upstream.answerWith((_request, response) => {
      response.writeHead(200, JSON_TYPE);
      void flood(response, Buffer.alloc(65_536, 0x20));
    });
    const growth = await growthOf(async () => {
      const { status, body } = await call('narrow', ask('tools/list'));
      assert.equal(status, 502);
      assert.equal(body.id, 1);
    });
    assert.ok(growth < MAX_GROWTH, `${growth}`);
  });

  test('one that answers with more values than a message may hold: an error that says so', async () => {
    const values = `[${'1,'.repeat(60_000)}1]`;
    const list = `{"tools":[{"name":"echo","inputSchema":{"enum":${values}}}]}`;
    gateway.upstream.answerWith((_request, response) => {
      response.writeHead(200, JSON_TYPE).end(`{"jsonrpc":"2.0","id":1,"result":${list}}`);
    });
    const { status, body } = await call('narrow', ask('tools/list'));
    assert.equal(status, 502);
    assert.match(body.error.message, /more than 50000 values/);
    // Where nothing is filtered, nothing is parsed.
    assert.equal((await call('hostile', ask('tools/list'))).status, 200);
    gateway.upstream.answerWith((_request, response) => {
      response.writeHead(200, EVENTS).write(`data: {"jsonrpc":"2.0","id":1,"result":${list}}\n\n`);
    });
    await assert.rejects(call('narrow', ask('tools/list')));
    assert.equal((await call('healthy')).status, 200);
  });

  test('one that floods one event: the stream ends before much of it is buffered', async () => {
    gateway.upstream.answerWith((_request, response) => {
      response.writeHead(200, EVENTS).write('data: ');
      void flood(response, Buffer.alloc(65_536, 0x61));
    });
    const growth = await growthOf(() => assert.rejects(call('narrow')));
    assert.ok(growth < MAX_GROWTH, `${growth}`);
  });

  test('one that floods a stopped reader: the gateway stops reading from it', async () => {
    let sent = 0;
    gateway.upstream.answerWith((_request, response) => {
      response.writeHead(200, EVENTS);
      const chunk = Buffer.from(`data: ${'x'.repeat(16_000)}\n\n`);
      const more = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
        sent += chunk.length;
      };
      response.on('drain', more);
      more();
    });
    const { hostname, port } = new URL(gateway.origin);
    const growth = await growthOf(async () => {
      const sockets = ['hostile', 'narrow', 'hostile', 'narrow'].map((slug) => {
        const socket = connect({ host: hostname, port: Number(port) });
        socket.pause();
        socket.write(
          `GET ${servingUrl(slug)} HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nauthorization: Bearer ${key}\r\n\r\n`,
        );
        return socket;
      });
      let last = -1;
      // Buffers of the system fill first; then no more bytes are taken.
      while (sent === 0 || sent !== last) {
        last = sent;
        for (let turn = 0; turn < 20; turn++) assert.equal((await call('healthy')).status, 200);
      }
      for (const socket of sockets) socket.destroy();
    });
    assert.ok(growth < MAX_GROWTH, `${growth}`);
    assert.ok(sent < 64 * 1024 * 1024, `${sent}`);
  });

  test(`one that sends ${FLOOD_BYTES / 1024 / 1024} MB of events: they pass through to a reader that reads`, async () => {
    let sent = 0;
    gateway.upstream.answerWith((_request, response) => {
      response.writeHead(200, EVENTS);
      void flood(response, Buffer.from(`data: ${'x'.repeat(64_000)}\n\n`)).then((bytes) => {
        sent = bytes;
      });
    });
    const { hostname, port } = new URL(gateway.origin);
    let received = 0;
    const growth = await growthOf(
      () =>
        new Promise<void>((resolve) => {
          const socket = connect({ host: hostname, port: Number(port) });
          socket.on('data', (part) => {
            received += part.length;
          });
          socket.once('close', () => resolve());
          socket.write(
            `GET ${servingUrl('narrow')} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer ${key}\r\n\r\n`,
          );
        }),
    );
    assert.ok(received >= sent && sent >= FLOOD_BYTES, `${received} of ${sent}`);
    assert.ok(growth < MAX_GROWTH, `${growth}`);
  });

  test('one that delays many requests: other requests and servers are unaffected', async () => {
    gateway.upstream.answerWith(() => {});
    const hanging = await Promise.allSettled([
      ...Array.from({ length: 100 }, () => call('slow').then(({ status }) => assert.ok(status >= 503))),
      (async () => {
        for (let index = 0; index < 50; index++) assert.equal((await call('healthy')).status, 200);
      })(),
    ]);
    assert.deepEqual(
      hanging.filter(({ status }) => status === 'rejected'),
      [],
    );
  });

  test("one that ends its stream: the reader's stream ends too", async () => {
    const stream = await openStream(gateway, 'healthy', { key });
    await healthy.streaming(1);
    healthy.streams.at(-1)?.end('data: last\n\n');
    await stream.ended;
    assert.ok(stream.text().includes('last'));
  });
});
