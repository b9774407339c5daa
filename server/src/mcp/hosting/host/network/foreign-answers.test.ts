import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { ask } from '../../../../../test/support/hosted.ts';
import { networksOf } from '../../../../network/networks.ts';
import { OutboundError } from '../../../../outbound/outbound-error.ts';
import { send } from '../../../../outbound/send.ts';
import { metadataFetch } from '../../../../platform/oauth/metadata-fetch.ts';
import { guardedFetch } from '../../../credentials/guarded-fetch.ts';
import { HttpUpstream } from '../../../upstream/http-upstream.ts';
import { UpstreamError } from '../../../upstream/upstream.ts';
import { WayOut } from './way-out.ts';

const body = 'content-length: 2\r\n\r\nhi';
/** Heads that Node or undici cannot read, or cannot write again; true where the answer passes as it is. */
const HEADS: Readonly<Record<string, readonly [head: string, passes: boolean]>> = {
  'the status 000': ['HTTP/1.1 000 x\r\n', false],
  'the status 099': ['HTTP/1.1 099 x\r\n', false],
  'the status 1000': ['HTTP/1.1 1000 x\r\n', false],
  'a status of letters': ['HTTP/1.1 abc x\r\n', false],
  'a switch of the protocol': ['HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: x\r\n', false],
  'a switch of the protocol to none': ['HTTP/1.1 101 x\r\n', false],
  'a control character in a value': ['HTTP/1.1 200 x\r\nx-a: a\x01b\r\n', false],
  'a control character in a name': ['HTTP/1.1 200 x\r\nx\x01a: b\r\n', false],
  'a space in a name': ['HTTP/1.1 200 x\r\nx a: b\r\n', false],
  'more headers than fit': [`HTTP/1.1 200 x\r\n${'a: b\r\n'.repeat(40_000)}`, false],
  'no HTTP': ['SSH-2.0-x\r\n', false],
  'the status 999': ['HTTP/1.1 999 x\r\n', true],
  'a control character in the reason': ['HTTP/1.1 200 \x01\r\n', true],
  'bytes beyond ASCII in a value': ['HTTP/1.1 200 x\r\nx-a: \xff\r\n', true],
  'thousands of headers': [`HTTP/1.1 200 x\r\n${'a: b\r\n'.repeat(2_100)}`, true],
};
const names = Object.keys(HEADS);
const policy = { allowPrivate: true };

describe('answers of foreign servers that cannot be passed on', () => {
  let target: Server;
  let listener: Server;
  let wayOut: WayOut;
  let port: number;
  const url = (name: string) => `http://127.0.0.1:${port}/${names.indexOf(name)}`;
  before(async () => {
    target = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (data) => {
        const name = names[Number(/ \/(\d+)/.exec(String(data))?.[1])] ?? '';
        socket.end(Buffer.from(HEADS[name]![0] + body, 'latin1'));
      });
    });
    listener = createServer();
    for (const server of [target, listener]) await once(server.listen(0, '127.0.0.1'), 'listening');
    port = (target.address() as AddressInfo).port;
    const networks = networksOf('127.0.0.1')!;
    wayOut = new WayOut(listener, { current: async () => ({ allowPrivate: true, networks }) });
  });
  after(() => {
    wayOut.close();
    target.close();
  });

  for (const [name, [head, passes]] of Object.entries(HEADS)) {
    const status = passes ? Number(head.slice(9, 12)) : 502;

    test(`${name}: a program gets ${status} through its proxy, and the proxy serves on`, async () => {
      const given = {
        port: (listener.address() as AddressInfo).port,
        host: '127.0.0.1',
        path: url(name),
        agent: false,
      };
      const answered = await new Promise((resolve, reject) => {
        const asked = request(given, (answer) => {
          answer.resume().once('end', () => resolve(answer.statusCode));
        });
        asked.once('error', reject);
        asked.end();
      });
      assert.equal(answered, status);
    });

    test(`${name}: the gateway gets ${passes ? 'the answer' : 'an error of the upstream'}`, async () => {
      const upstream = await HttpUpstream.open(new URL(url(name)), {
        ...policy,
        answerSeconds: 10,
        connections: 1,
        maxAnswerBytes: 1024,
      });
      const asked = ask(upstream, {});
      if (passes) assert.equal((await asked).status, status);
      else await assert.rejects(asked, UpstreamError);
      await upstream.close();
    });

    test(`${name}: what this server fetches itself fails with an error of the target`, async () => {
      const fetches = {
        send: () => send({ method: 'GET', url: url(name) }, { ...policy, timeoutSeconds: 10 }),
        'OAuth of servers': () => guardedFetch(policy)(url(name), {}),
        'documents of clients': () => metadataFetch({ current: async () => policy })(url(name)),
      };
      for (const [what, fetched] of Object.entries(fetches)) {
        // A `Response` has no status above 599.
        if (passes && (status < 600 || what === 'send')) assert.equal((await fetched()).status, status, what);
        else await assert.rejects(fetched, OutboundError, what);
      }
    });
  }
});
