/** Requests that two HTTP readers could split differently. Each gets one answer, or 400 and a closed connection. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { callTool, servingUrl, startGateway, type TestGateway } from '../../../test/support/gateway.ts';

const path = servingUrl('open');
const body = JSON.stringify(callTool('echo'));
const smuggled = JSON.stringify(callTool('smuggled'));

interface Vector {
  readonly what: string;
  readonly bytes: string;
  /** How many requests in it a strict reader accepts; undefined: either one or none is right. */
  readonly requests?: number;
}

/** A POST with these header lines in place of its usual framing. */
function post(
  lines: readonly string[],
  content: string,
  { line = `POST ${path} HTTP/1.1`, host = 'host: localhost' } = {},
) {
  return `${[line, host, 'authorization: Bearer KEY', 'content-type: application/json', ...lines, '', ''].join('\r\n')}${content}`;
}

const length = `content-length: ${body.length}`;
const second = post([`content-length: ${smuggled.length}`], smuggled);
const chunked = 'transfer-encoding: chunked';
const chunk = (text: string, size = text.length.toString(16)) => `${size}\r\n${text}\r\n`;
const whole = `${chunk(body)}0\r\n\r\n`;

const conflicting: Vector[] = [
  ['transfer-encoding: chunked', length],
  [length, 'transfer-encoding: chunked'],
  ['content-length: 0', 'transfer-encoding: chunked'],
  ['transfer-encoding: chunked', 'content-length: 4'],
  ['transfer-encoding: chunked', 'transfer-encoding: identity', length],
  ['transfer-encoding: identity, chunked', length],
].map((lines) => ({
  what: `both kinds of length: ${lines.join(' / ')}`,
  bytes: post(lines, whole + second),
  requests: 0,
}));

const lengths: Vector[] = [
  '+5',
  '-1',
  '0x10',
  '5 5',
  '5,5',
  '5, 6',
  '1e2',
  '٥',
  '',
  ' ',
  '5;',
  '"5"',
  '99999999999999999999999',
  '5.0',
  '0b1',
  'chunked',
  '5\t6',
  '\x0b5',
  '5\x00',
  'NaN',
  'Infinity',
  '1_0',
  '--5',
  '-0',
  '+0',
  '5e',
  '5#',
  '5h',
  '0x',
  '0o5',
  '₅',
].map((value) => ({
  what: `a length of ${JSON.stringify(value)}`,
  bytes: post([`content-length: ${value}`], body + second),
  requests: 0,
}));

const twoLengths: Vector[] = [
  [length, 'content-length: 0'],
  ['content-length: 0', length],
  [length, `content-length: ${body.length + 1}`],
  [length, 'Content-Length: 1'],
  [length, 'CONTENT-LENGTH: 1'],
].map((lines) => ({ what: `two lengths: ${lines.join(' / ')}`, bytes: post(lines, body + second), requests: 0 }));

const encodings: Vector[] = [
  'xchunked',
  'chunked, identity',
  'chunked, gzip',
  'gzip',
  'chunked\x0b',
  'chunkedchunked',
  '"chunked"',
  'chunked;q=1',
  'identity',
  'cow',
  'deflate, gzip',
  '\x0bchunked',
  'chunke',
  'chunked, cow',
  'chunked,, identity',
].map((value) => ({
  what: `the encoding ${JSON.stringify(value)}`,
  bytes: post([`transfer-encoding: ${value}`], whole + second),
  requests: 0,
}));

const sizes = [
  'g',
  '-1',
  '0x5',
  '+5',
  '',
  ' 5',
  '5 ',
  '5g',
  '٥',
  'ffffffffffffffffffff',
  '5\x00',
  '5\x0b',
  '5_0',
  '5.',
  '0b101',
  "5'",
  '5"',
  '5,5',
  '5=',
  '5:',
];
const chunkSizes: Vector[] = sizes.map((size) => ({
  what: `a chunk of size ${JSON.stringify(size)}`,
  bytes: post([chunked], `${chunk(body.slice(0, 5), size)}0\r\n\r\n${second}`),
  requests: 0,
}));

const chunkFrames: Vector[] = [
  { what: 'a chunk that is longer than it says', bytes: post([chunked], `5\r\n${body}\r\n0\r\n\r\n`) },
  { what: 'a chunk that ends in LF', bytes: post([chunked], `${body.length.toString(16)}\n${body}\n0\n\n`) },
  {
    what: 'a chunk whose data ends in LF',
    bytes: post([chunked], `${body.length.toString(16)}\r\n${body}\n0\r\n\r\n`),
  },
  { what: 'a size line that ends in LF', bytes: post([chunked], `${body.length.toString(16)}\n${body}\r\n0\r\n\r\n`) },
  { what: 'a size line that ends in CR', bytes: post([chunked], `${body.length.toString(16)}\r${body}\r\n0\r\n\r\n`) },
  { what: 'a chunk extension that holds LF', bytes: post([chunked], `5;a\nb\r\n${body.slice(0, 5)}\r\n0\r\n\r\n`) },
  { what: 'a chunk extension that holds CR', bytes: post([chunked], `5;a\rb\r\n${body.slice(0, 5)}\r\n0\r\n\r\n`) },
  {
    what: 'a chunk extension that never ends',
    bytes: post([chunked], `5;${'a'.repeat(40_000)}\r\n${body.slice(0, 5)}\r\n0\r\n\r\n`),
  },
  { what: 'no CR LF after the data', bytes: post([chunked], `${body.length.toString(16)}\r\n${body}0\r\n\r\n`) },
  { what: 'the last chunk without its end', bytes: post([chunked], `${chunk(body)}0\r\nX`) },
  { what: 'a trailer with LF alone', bytes: post([chunked], `${chunk(body)}0\r\na: b\n\r\n`) },
  { what: 'a trailer that is no header', bytes: post([chunked], `${chunk(body)}0\r\na b\r\n\r\n`) },
  { what: 'a trailer with a NUL', bytes: post([chunked], `${chunk(body)}0\r\na: \0\r\n\r\n`) },
].map((vector) => ({ ...vector, requests: 0 }));

const badNames = [
  'content-length : 5',
  ' content-length: 5',
  '\tx: y',
  'x\x00: y',
  'x y: z',
  'x\x0b: y',
  '(x): y',
  'x@: y',
  'x[: y',
  ': y',
  'x',
  'é: y',
  'x\r: y',
  'x\x7f: y',
  '"x": y',
  'x,y: z',
  'x;y: z',
  'x/y: z',
  'x=y: z',
  'x?y: z',
  'transfer-encoding : chunked',
  'x\xa0: y',
  'x{y: z',
  'x}: y',
  'x\\: y',
].map((line) => ({ what: `the header line ${JSON.stringify(line)}`, bytes: post([length, line], body), requests: 0 }));

const badValues = ['x: a\x00b', 'x: a\rb', 'x: a\x0bb', 'x: a\x01b', 'x: \x1f', 'x: \x7f', 'x: a\r\rb', 'x: \x08'].map(
  (line) => ({
    what: `the header ${JSON.stringify(line)}`,
    bytes: post([length, line], body),
    requests: 0,
  }),
);

const folded: Vector[] = [
  [length, 'x: a', ' b'],
  [length, 'x: a', '\tb'],
  ['transfer-encoding:', ' chunked'],
  ['transfer-encoding: identity,', ' chunked'],
  ['content-length:', ` ${body.length}`],
  ['content-length: 1', ' 2'],
  [length, 'host: localhost', ' evil'],
].map((lines) => ({ what: `folded lines: ${JSON.stringify(lines)}`, bytes: post(lines, body), requests: 0 }));

const lineEnds: Vector[] = [
  post([length], body).replaceAll('\r\n', '\n'),
  post([length], body).replaceAll('\r\n', '\r'),
  post([length], body).replace('\r\n\r\n', '\n\n'),
  post([length], body).replace('\r\n\r\n', '\r\n\n'),
  post([length], body).replace('\r\nhost', '\nhost'),
  post([length], body).replace('\r\nhost', '\rhost'),
  post([length], body).replace('\r\nhost', '\r\r\nhost'),
  post([length], body).replace('localhost\r\n', 'localhost\n'),
].map((bytes, index) => ({ what: `other line ends (${index})`, bytes, requests: 0 }));

const startLines = [
  `POST  ${path} HTTP/1.1`,
  `POST ${path}  HTTP/1.1`,
  `POST\t${path}\tHTTP/1.1`,
  `POST ${path}`,
  `POST ${path} HTTP/1.1 x`,
  `POST ${path} HTTP/2.0`,
  `POST ${path} HTTP/0.9`,
  `POST ${path} http/1.1`,
  `POST ${path} HTTP/1.10`,
  `POST ${path} HTTP/11`,
  `POST ${path} HTTP/1`,
  `POST ${path} HTTPS/1.1`,
  ` POST ${path} HTTP/1.1`,
  `post ${path} HTTP/1.1`,
  `PO\x00ST ${path} HTTP/1.1`,
  `POST ${path}\x00 HTTP/1.1`,
  `POST ${path}\x7f HTTP/1.1`,
  `POST HTTP/1.1`,
  `${path} HTTP/1.1`,
  `POST ${path} HTTP/1.1\x00`,
  `POST ${path} ICE/1.0`,
  `P${'O'.repeat(30_000)}ST ${path} HTTP/1.1`,
  `POST /${'a'.repeat(30_000)} HTTP/1.1`,
  `PRI * HTTP/2.0`,
  `"POST" ${path} HTTP/1.1`,
  `POST, ${path} HTTP/1.1`,
  `POST ${path} HTTP /1.1`,
  `POST ${path} HTTP/1.`,
  `POST ${path} HTTP/-1.1`,
  `CONNECT ${path} HTTP/1.1`,
].map((line) => ({
  what: `the line ${JSON.stringify(line.slice(0, 60))}`,
  bytes: post([length], body, { line }),
  // Several spaces and other versions may be read or refused; they have only one reading.
  ...(/ {2}| HTTP\/(2.0|0.9)|mcp$/.test(line.trim()) ? {} : { requests: 0 }),
}));

const hosts = [
  'host: localhost\r\nhost: localhost',
  'host: localhost\r\nHost: evil.example',
  'x: y',
  'host : localhost',
  'host:',
  'host: a b',
  'host: evil.example',
  'host: localhost, evil.example',
  'host: localhost\x00',
  'host: localhost/evil',
  'host: evil@localhost',
  'host: http://localhost',
  'host: localhost:99999',
  'host: [::1',
  'host: localhost\r\nhost:',
  'host: localhost#x',
  'host: localhost?x',
].map((host) => ({ what: `the host ${JSON.stringify(host)}`, bytes: post([length], body, { host }), requests: 0 }));

const many: Vector[] = [
  { what: 'headers without end', bytes: post([length, `x: ${'y'.repeat(100_000)}`], body), requests: 0 },
  {
    what: 'ten thousand headers',
    bytes: post([length, ...Array.from({ length: 10_000 }, (_, index) => `x${index}: y`)], body),
    requests: 0,
  },
  {
    what: 'an upgrade',
    bytes: post([length, 'connection: upgrade', 'upgrade: h2c', 'http2-settings: AAMAAABk'], body),
  },
  { what: 'an expectation that is unknown', bytes: post([length, 'expect: 200-maybe'], body) },
  { what: 'an answer in place of a request', bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', requests: 0 },
  { what: 'TLS', bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', requests: 0 },
  { what: 'a proxy line', bytes: `PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n${post([length], body)}`, requests: 0 },
];

const right: Vector[] = [
  { what: 'one request', bytes: post([length], body), requests: 1 },
  { what: 'two requests at once', bytes: post([length], body) + post([length], body), requests: 2 },
  { what: 'five requests at once', bytes: post([length], body).repeat(5), requests: 5 },
  { what: 'chunks', bytes: post([chunked], whole), requests: 1 },
  {
    what: 'chunks of one byte',
    bytes: post([chunked], `${[...body].map((byte) => chunk(byte)).join('')}0\r\n\r\n`),
    requests: 1,
  },
  {
    what: 'chunks with extensions',
    bytes: post([chunked], `${body.length.toString(16)};a=b\r\n${body}\r\n0\r\n\r\n`),
    requests: 1,
  },
  { what: 'chunks with zeros before the size', bytes: post([chunked], `000${chunk(body)}0\r\n\r\n`), requests: 1 },
  { what: 'chunks, then another request', bytes: post([chunked], whole) + post([length], body), requests: 2 },
  { what: 'a length with space around it', bytes: post([`content-length:   ${body.length}  `], body), requests: 1 },
  { what: 'a header with an empty value', bytes: post([length, 'x:'], body), requests: 1 },
  { what: 'a trailer', bytes: post([chunked], `${chunk(body)}0\r\nx: y\r\n\r\n`), requests: 1 },
  { what: 'an empty line before', bytes: `\r\n${post([length], body)}`, requests: 1 },
];

const bad = [
  ...conflicting,
  ...lengths,
  ...twoLengths,
  ...encodings,
  ...chunkSizes,
  ...chunkFrames,
  ...badNames,
  ...badValues,
  ...folded,
  ...lineEnds,
  ...startLines,
  ...hosts,
  ...many,
];

describe('requests that readers could split differently', () => {
  let gateway: TestGateway;
  let key: string;
  before(async () => {
    gateway = await startGateway();
    await gateway.register('open');
    key = gateway.admin.key;
  });
  after(() => gateway.stop());

  /**
   * Statuses of all answers until the server closes the connection; after the given number of answers the client closes
   * it.
   */
  const statusesOf = ({ bytes, requests = 0 }: Vector): Promise<{ statuses: number[]; closed: boolean }> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(gateway.origin);
      const socket = connect({ host: hostname, port: Number(port) });
      let text = '';
      const found = () => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
      socket.on('data', (part) => {
        text += part.toString('latin1');
        if (requests > 0 && found().length >= requests && text.includes('}}')) socket.end();
      });
      socket.on('error', () => {});
      socket.once('close', () => resolve({ statuses: found(), closed: true }));
      socket.setTimeout(30_000, () => reject(new Error(`No answer and no end of the connection: ${text}`)));
      socket.write(Buffer.from(bytes.replaceAll('KEY', key), 'latin1'));
      if (requests === 0) socket.end();
    });

  test(`each of ${right.length} valid requests gets one answer`, async () => {
    for (const vector of right) {
      const seen = gateway.upstream.seen.length;
      const { statuses } = await statusesOf(vector);
      assert.deepEqual(statuses, Array(vector.requests).fill(200), vector.what);
      assert.equal(gateway.upstream.seen.length - seen, vector.requests, vector.what);
    }
  });

  test(`each of ${bad.length} invalid requests gets at most one answer, and a hidden request reaches no server`, async () => {
    const wrong: string[] = [];
    for (const vector of bad) {
      const seen = gateway.upstream.seen.length;
      const { statuses } = await statusesOf(vector);
      const reached = gateway.upstream.seen.slice(seen);
      const refused = statuses.every((status) => status >= 400 && status < 500);
      if (statuses.length > 1 || reached.some(({ body: text }) => text.includes('smuggled')))
        wrong.push(`${vector.what}: ${statuses}, cut apart`);
      else if (vector.requests === 0 && (!refused || reached.length > 0))
        wrong.push(`${vector.what}: ${statuses}, ${reached.length} reached`);
    }
    assert.deepEqual(wrong, []);
    assert.ok(bad.length + right.length >= 200, `${bad.length + right.length}`);
  });
});
