/** Addresses of servers that would lead the gateway into networks it must not enter. */

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { callTool, ORGANIZATION, send, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import type { Config } from '../../config.ts';
import { networksOf } from '../../network/networks.ts';
import { claimPort } from '../../outbound/own-endpoints.ts';

const addresses = [
  '127.0.0.1',
  '127.0.0.2',
  '127.255.255.254',
  '0.0.0.0',
  '10.0.0.1',
  '169.254.169.254',
  '192.168.1.1',
  '172.16.0.1',
  '100.100.100.200',
  '168.63.129.16',
];

/** Ways to write one IPv4 address in a URL. */
function spellingsOf(address: string): string[] {
  const bytes = address.split('.').map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  const number = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  const hex = (value: number) => `0x${value.toString(16)}`;
  const octal = (value: number) => `0${value.toString(8)}`;
  const high = ((a << 8) | b).toString(16);
  const low = ((c << 8) | d).toString(16);
  const wide = (text: string) => text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
  return [
    address,
    `${address}.`,
    String(number),
    hex(number),
    octal(number),
    `0x${hex(number).slice(2).padStart(8, '0').toUpperCase()}`,
    bytes.map(hex).join('.'),
    bytes.map(octal).join('.'),
    bytes.map((byte) => `0x${byte.toString(16).padStart(4, '0')}`).join('.'),
    bytes.map((byte) => `000${byte.toString(8)}`).join('.'),
    `${a}.${b}.${(c << 8) | d}`,
    `${a}.${(b << 16) | (c << 8) | d}`,
    `${hex(a)}.${octal(b)}.${c}.${hex(d)}`,
    `${a}.${hex((b << 16) | (c << 8) | d)}`,
    wide(address),
    address.replaceAll('.', '。'),
    address.replaceAll('.', '．'),
    address.replaceAll('.', '%2e'),
    [...address].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(''),
    `[::ffff:${address}]`,
    `[::ffff:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${high}:${low}]`,
    `[::ffff:0:${high}:${low}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b::${high}:${low}]`,
    `[2002:${high}:${low}::]`,
    `[2002:${high}:${low}:1:2:3:4:5]`,
    `[0000:0000:0000:0000:0000:ffff:${high}:${low}]`,
    `[2a00:1450::5efe:${high}:${low}]`,
  ];
}

const others = [
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[fec0::1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'LocalHost',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'ｌｏｃａｌｈｏｓｔ',
  'loc%61lhost',
  '⑯⑨。②⑤④。⑯⑨｡②⑤④',
  '１２７.1',
  '127.1',
  '0',
  '0x0',
];

const spellings = [...new Set([...addresses.flatMap(spellingsOf), ...others])];

describe('addresses in forbidden networks', () => {
  let gateway: TestGateway;
  let trap: Server;
  let port: number;
  let connections = 0;

  before(async () => {
    gateway = await startGateway({ config: { allowPrivateTargets: false } });
    trap = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => trap.listen(0, '::', resolve));
    port = (trap.address() as { port: number }).port;
  });
  after(async () => {
    await gateway.stop();
    trap.close();
  });

  test(`none of ${spellings.length} spellings causes a connection, as the address of a server or of its tokens`, async () => {
    assert.ok(spellings.length >= 300);
    const { status, text } = await gateway.register('target', {}, 'http://127.0.0.1:1/mcp');
    assert.equal(status, 201, text);
    const server = `${ORGANIZATION}/servers/target`;
    for (const spelling of spellings) {
      const url = `http://${spelling}:${port}/mcp`;
      const credential = { kind: 'client_credentials', tokenUrl: url, clientId: 'c', secret: 's' };
      const none = { kind: 'none' };
      for (const external of [
        { url, credential: none },
        { url: 'http://192.0.2.1/mcp', credential },
      ]) {
        const changed = await gateway.admin.patch(server, { external });
        assert.ok(changed.status === 200 || changed.status === 422, `${spelling}: ${changed.text}`);
        if (changed.status === 422) continue;
        const answer = await send(gateway, 'target', callTool('echo'), { key: gateway.admin.key });
        assert.equal(answer.status, 502, spelling);
        const refreshed = await gateway.admin.post(`${server}/capabilities/refresh`);
        assert.equal(refreshed.status, 200, `${spelling}: ${refreshed.text}`);
        assert.notEqual(refreshed.body.error, null);
      }
    }
    assert.equal(connections, 0);
  });
});

describe('private targets once there are accounts', () => {
  const reach = async (config: Partial<Config>, url?: string) => {
    const gateway = await startGateway({ config });
    try {
      const own = new URL(gateway.origin).port;
      const release = claimPort(Number(own));
      try {
        await gateway.register('target', {}, url?.replace('{own}', own));
        const { status, text } = await send(gateway, 'target', callTool('echo'), { key: gateway.admin.key });
        return { status, text };
      } finally {
        release();
      }
    } finally {
      await gateway.stop();
    }
  };
  const statusOf = async (...given: Parameters<typeof reach>) => (await reach(...given)).status;
  const unsaid = { allowPrivateTargets: undefined };

  test('are refused unless the operator allows them or lists their network', async () => {
    assert.equal(await statusOf(unsaid), 502);
    assert.equal(await statusOf({ ...unsaid, allowedPrivateNetworks: networksOf('10.0.0.0/8')! }), 502);
    assert.equal(await statusOf({ ...unsaid, allowedPrivateNetworks: networksOf('10.0.0.0/8, 127.0.0.0/8')! }), 200);
    assert.equal(await statusOf({ allowPrivateTargets: false, allowedPrivateNetworks: networksOf('127.0.0.1')! }), 200);
    assert.equal(await statusOf({ allowPrivateTargets: true }), 200);
  });

  test("never lead to this server's own address, in any spelling", async () => {
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0.0.0.0', '127.8.9.1']) {
      const url = `http://${host}:{own}/servers/default/target/mcp`;
      assert.match(
        (await reach({ allowPrivateTargets: true }, url)).text,
        /an address that this server itself uses/,
        host,
      );
    }
  });

  test('networks are addresses and CIDR blocks', () => {
    for (const wrong of ['x', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0', '::/129', '10.0.0.0/-1']) {
      assert.equal(networksOf(wrong), undefined, wrong);
    }
    assert.ok(networksOf('fd00::/8, 10.1.2.3')?.check('10.1.2.3'));
    assert.ok(!networksOf('')?.check('10.1.2.3'));
  });
});
