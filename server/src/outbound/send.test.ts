import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as NetServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { networksOf } from '../network/networks.ts';
import { classOfAddress } from './address-class.ts';
import { checkAddress, type Resolver } from './guard.ts';
import { OutboundError } from './outbound-error.ts';
import { claimEndpoint } from './own-endpoints.ts';
import { type OutboundOptions, send } from './send.ts';

/** Blocked addresses: one of each range, and its edges. */
const blocked4 = [
  '0.0.0.0 0.255.255.255 10.0.0.0 10.1.2.3 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.0.1.1',
  '127.255.255.254 168.63.129.16 169.254.0.1 169.254.169.254 169.254.170.2 169.254.255.255 172.16.0.1 172.31.255.255',
  '192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7',
  '203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255',
].flatMap((line) => line.split(' '));

const blocked6 = [
  ':: ::1 fe80::1 fe80::a9fe:a9fe febf::1 fc00::1 fd00::1 fd00:ec2::254 fd20:ce::254 fdff::1 fec0::1 ff02::1 ff0e::1',
  '100::1 2001::1 2001:10::1 2001:20::1 2001:db8::1 3fff::1 5f00::1 4000::1 8000::1 64:ff9b:1::1 2620:4f:8000::1',
].flatMap((line) => line.split(' '));

const open =
  '8.8.8.8 1.1.1.1 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 192.167.1.1 223.255.255.254 2606:4700::1 2a00:1450::5 64:ff9b::808:808 2002:808:808::1 ::ffff:8.8.8.8'.split(
    ' ',
  );

function groups(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

/** IPv6 forms that carry an IPv4 address. */
function carried(address: string): string[] {
  const hex = groups(address);
  return [
    `::ffff:${address}`,
    `::ffff:${hex}`,
    `0:0:0:0:0:ffff:${hex}`,
    `::ffff:0:${hex}`,
    `64:ff9b::${hex}`,
    `64:ff9b::${address}`,
    `2002:${hex}::`,
    `2002:${hex}:1:2:3:4:5:6`,
    ...(hex.startsWith('0:') ? [] : [`::${hex}`]),
    `2a00:1450::5efe:${hex}`,
    `2a00:1450::200:5efe:${hex}`,
  ];
}

/** Ways to write an IPv4 address in a URL. */
function spellings(address: string): string[] {
  const bytes = address.split('.').map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  const number = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  const hex = (value: number) => `0x${value.toString(16)}`;
  const octal = (value: number) => `0${value.toString(8)}`;
  return [
    address,
    `${address}.`,
    String(number),
    hex(number),
    hex(number).toUpperCase().replace('0X', '0x'),
    octal(number),
    bytes.map(hex).join('.'),
    bytes.map(octal).join('.'),
    `${a}.${(b << 16) | (c << 8) | d}`,
    `${a}.${b}.${(c << 8) | d}`,
    [...address].map((digit) => (digit === '.' ? '。' : String.fromCodePoint(0xff10 + Number(digit)))).join(''),
    encodeURIComponent(address).replaceAll('1', '%31'),
  ];
}

describe('addresses', () => {
  test('each range outside the internet is recognized', () => {
    for (const address of [...blocked4, ...blocked6, ...blocked4.flatMap(carried)]) {
      assert.notEqual(classOfAddress(address), 'public', address);
    }
    for (const address of open) assert.equal(classOfAddress(address), 'public', address);
  });

  test('the address of the database is refused in every spelling, and its other ports are not', () => {
    const spellings = {
      '10.0.0.5': [
        '10.0.0.5',
        '::ffff:10.0.0.5',
        '::ffff:a00:5',
        '0:0:0:0:0:FFFF:0a00:0005',
        '64:ff9b::a00:5',
        '::10.0.0.5',
      ],
      'fd00::5': ['fd00::5', 'FD00:0:0::0005', 'fd00:0:0:0:0:0:0:5', 'fd00::5%eth0'],
      '::ffff:10.0.0.6': ['10.0.0.6', '::ffff:a00:6'],
    };
    for (const [address, others] of Object.entries(spellings)) {
      claimEndpoint(address, 5432);
      for (const other of others) {
        assert.throws(
          () => checkAddress(other, 5432, { allowPrivate: true }),
          /an address that this server itself uses/,
          other,
        );
        checkAddress(other, 5433, { allowPrivate: true });
      }
    }
  });

  test('a private network that is listed is, in every spelling of its addresses', () => {
    for (const list of ['10.0.0.0/8', '::ffff:10.0.0.0/104']) {
      const policy = { allowPrivate: false, networks: networksOf(list)! };
      for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '::ffff:a01:203']) checkAddress(address, 80, policy);
      assert.throws(() => checkAddress('::ffff:172.16.0.1', 80, policy));
    }
  });

  test('metadata services of clouds are refused even where private addresses are allowed', () => {
    const metadata =
      '169.254.169.254 169.254.170.2 100.100.100.200 168.63.129.16 fd00:ec2::254 fd20:ce::254 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::1';
    for (const address of metadata.split(' ')) assert.equal(classOfAddress(address), 'forbidden', address);
    assert.equal(classOfAddress('no address'), 'forbidden');
    assert.equal(classOfAddress('127.0.0.1%eth0'), 'private');
  });
});

describe("requests to users' targets", () => {
  let server: Server;
  let silent: NetServer;
  let port: number;
  let silentPort: number;
  let connections = 0;
  const seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];
  before(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
        answer(request, response);
      });
    });
    server.on('connection', () => connections++);
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    port = (server.address() as AddressInfo).port;
    silent = createTcpServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    silentPort = (silent.address() as AddressInfo).port;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
    silent.close();
  });

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const url = request.url ?? '';
    if (url.startsWith('/loop')) response.writeHead(302, { location: `${url}x` }).end();
    else if (url.startsWith('/to?')) response.writeHead(307, { location: decodeURIComponent(url.slice(4)) }).end();
    else if (url.startsWith('/see?')) response.writeHead(303, { location: decodeURIComponent(url.slice(5)) }).end();
    else if (url === '/large') response.end('x'.repeat(3_000_000));
    else if (url === '/endless') response.write('a little');
    else response.writeHead(200, { 'x-answer': 'yes' }).end('fine');
  }

  const allowed = (more: Partial<OutboundOptions> = {}): OutboundOptions => ({
    allowPrivate: true,
    timeoutSeconds: 60,
    ...more,
  });
  const strict = (more: Partial<OutboundOptions> = {}): OutboundOptions => ({
    allowPrivate: false,
    timeoutSeconds: 60,
    ...more,
  });
  const get = (url: string, options: OutboundOptions) => send({ method: 'GET', url }, options);
  const faultOf = async (attempt: Promise<unknown>) => {
    const error = await attempt.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof OutboundError, String(error));
    return error;
  };
  const resolvingTo =
    (...addresses: string[]): Resolver =>
    (_name, done) =>
      done(
        null,
        addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
      );

  test('no spelling of a blocked address gets a connection', async () => {
    const before = connections;
    const hosts = [
      ...blocked4.flatMap(spellings),
      ...[...blocked6, ...blocked4.flatMap(carried)].map((address) => `[${address}]`),
    ];
    assert.ok(new Set(hosts).size > 300, `${new Set(hosts).size} spellings`);
    for (const host of hosts) {
      const { fault } = await faultOf(get(`http://${host}:${port}/`, strict()));
      assert.match(fault, /^(refused|unusable)$/, host);
    }
    assert.equal(connections, before);
  });

  test('a name that resolves to a blocked address gets no connection, even when another of its addresses is allowed', async () => {
    const before = connections;
    for (const address of [...blocked4, ...blocked6, ...blocked4.flatMap(carried)]) {
      const resolve = resolvingTo('8.8.8.8', address);
      assert.equal((await faultOf(get(`http://fine.example:${port}/`, strict({ resolve })))).fault, 'refused', address);
    }
    const metadata = resolvingTo('169.254.169.254');
    assert.equal((await faultOf(get('http://fine.example/', allowed({ resolve: metadata })))).fault, 'refused');
    assert.equal(connections, before);
  });

  test('the connection goes to the address that was checked', async () => {
    let asked = 0;
    const resolve: Resolver = (name, done) => {
      asked++;
      resolvingTo(asked === 1 ? '127.0.0.1' : '169.254.169.254')(name, done);
    };
    assert.equal((await get(`http://rebinding.example:${port}/`, allowed({ resolve }))).status, 200);
    assert.equal(asked, 1);
    assert.equal(seen.at(-1)?.headers.host, `rebinding.example:${port}`);
  });

  test('a redirect is returned unless redirects are followed, and then each target is checked', async () => {
    const home = `http://127.0.0.1:${port}`;
    assert.equal((await get(`${home}/to?${home}/landed`, allowed())).status, 307);
    assert.equal((await get(`${home}/to?${home}/landed`, allowed({ maxRedirects: 2 }))).body, 'fine');
    assert.equal((await get(`${home}/loop`, allowed({ maxRedirects: 3 }))).status, 302);
    const before = connections;
    const inside = `${home}/to?http%3A%2F%2F169.254.169.254%2Flatest%2Fmeta-data`;
    assert.equal((await faultOf(get(inside, allowed({ maxRedirects: 2 })))).fault, 'refused');
    assert.ok(connections <= before + 1);
    assert.equal((await faultOf(get(`${home}/to?file:///etc/passwd`, allowed({ maxRedirects: 2 })))).fault, 'unusable');
  });

  test('a redirect to another origin drops the credentials, and 303 becomes a GET', async () => {
    const target = encodeURIComponent(`http://localhost:${port}/other`);
    await send(
      {
        method: 'POST',
        url: `http://127.0.0.1:${port}/see?${target}`,
        headers: { authorization: 'Bearer a', cookie: 'b=c', 'content-type': 'text/plain', 'x-kept': 'yes' },
        body: 'secret',
      },
      allowed({ maxRedirects: 1 }),
    );
    const last = seen.at(-1);
    assert.equal(last?.method, 'GET');
    assert.equal(last?.body, '');
    assert.deepEqual(
      [last?.headers['authorization'], last?.headers['cookie'], last?.headers['x-kept']],
      [undefined, undefined, 'yes'],
    );
  });

  test('time and size are limited for request and answer', async () => {
    const home = `http://127.0.0.1:${port}`;
    const silence = await faultOf(get(`http://127.0.0.1:${silentPort}/`, allowed({ timeoutSeconds: 0.2 })));
    assert.equal(silence.fault, 'timeout');
    assert.equal((await faultOf(get(`${home}/endless`, allowed({ timeoutSeconds: 0.2 })))).fault, 'timeout');
    assert.equal((await get(`${home}/large`, allowed({ maxResponseBytes: 1000 }))).body.length, 1000);
    const large = send({ method: 'POST', url: home, body: 'x'.repeat(2000) }, allowed({ maxRequestBytes: 1000 }));
    assert.equal((await faultOf(large)).fault, 'size');
  });

  test('the error of a failed request contains neither the URL nor its secrets', async () => {
    for (const url of [
      'http://127.0.0.1:1/s3cret',
      'ftp://s3cret.example/',
      'http://s3cret.invalid/',
      's3cret',
      'http://:s3cret/',
    ]) {
      const { message } = await faultOf(get(url, allowed()));
      assert.doesNotMatch(message, /s3cret/);
    }
    const header = send({ method: 'GET', url: `http://127.0.0.1:${port}`, headers: { 'x-a': 's3cret\nx' } }, allowed());
    assert.equal((await faultOf(header)).fault, 'unusable');
  });
});
