import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, before, beforeEach, describe, test } from 'node:test';
import { ask, send, servingUrl, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { databasesOfRun } from '../../../test/support/server.ts';
import { readConfig } from '../../config.ts';
import { ConfigError } from '../../errors.ts';
import { DEVICE_COOKIE, SESSION_COOKIE } from '../../http/session/session-cookie.ts';
import { TrustedProxies } from '../../network/trusted-proxies.ts';
import { untouchedHeaders } from './arrive/headers-upstream.ts';
import { untouchedHeadersDownstream } from './return/headers-downstream.ts';

const OF_ORIGIN = {
  'clear-site-data': '"*"',
  'strict-transport-security': 'max-age=1',
  'service-worker-allowed': '/',
  refresh: '0; url=/',
  'alt-svc': 'h3="evil.example:443"',
  'content-security-policy-report-only': "default-src 'self'",
  nel: '{}',
  'report-to': '{}',
};
const RENDERED = [
  'text/html',
  'TEXT/HTML; charset=utf-8',
  'image/svg+xml',
  'application/xhtml+xml',
  'text/xml',
  'application/pdf',
  'text/plain',
  'application/json, text/html',
  'application/json; a=1, text/html',
  '',
];

for (const database of databasesOfRun) {
  describe(`answers of MCP servers on the platform's origin, on ${database}`, () => {
    let gateway: TestGateway;
    const slugs = ['own', 'ours'] as const;

    before(async () => {
      gateway = await startGateway({ database });
      const made = [
        await gateway.register('own', { kind: 'hosted', authentication: 'none' }),
        await gateway.register('ours'),
      ];
      for (const { status, text } of made) assert.equal(status, 201, text);
    });
    after(() => gateway.stop());
    beforeEach(() => {
      gateway.upstream.seen.length = 0;
      gateway.upstream.answerWith(undefined);
    });

    const asked = (slug: string, headers: Record<string, string> = {}) =>
      send(gateway, slug, ask('ping'), { key: gateway.admin.key, headers });

    test('cookies of the platform do not reach a server, in any spelling, and other cookies pass unchanged', async () => {
      const cookie = async (sent: string) => {
        await asked('own', { cookie: sent });
        return gateway.upstream.seen.at(-1)?.headers.cookie;
      };
      for (const name of [SESSION_COOKIE, DEVICE_COOKIE, 'signalbox_oidc', 'signalbox_of_tomorrow']) {
        for (const spelled of [
          name,
          name.toUpperCase(),
          `__Host-${name}`,
          `__secure-${name}`,
          ` =${name}`,
          `"${name}`,
        ]) {
          assert.equal(await cookie(`${spelled}=secret`), undefined, spelled);
          assert.equal(await cookie(`a=1; ${spelled}=secret; b="x=y"`), 'a=1; b="x=y"', spelled);
        }
      }
      const theirs = 'a=1;b=2;  my_signalbox_session=3; c';
      assert.equal(await cookie(theirs), theirs);
      await asked('ours', { cookie: `${SESSION_COOKIE}=secret; a=1` });
      assert.equal(gateway.upstream.seen.at(-1)?.headers.cookie, undefined);
    });

    test('a server cannot set cookies of the platform', async () => {
      const ours = [
        'signalbox_session=evil; Path=/',
        'SIGNALBOX_DEVICE=evil',
        '__Host-signalbox_session=evil; Secure; Path=/',
        '__Secure-Signalbox_oidc=',
        '=signalbox_session=evil',
        '  signalbox_session  =evil; Domain=example.com',
        '\tsignalbox_session',
      ];
      gateway.upstream.answerWith((_request, response) =>
        response
          .writeHead(200, { 'content-type': 'application/json', 'set-cookie': [...ours, 'mine=1; Path=/'] })
          .end('{}'),
      );
      assert.deepEqual((await asked('own')).headers['set-cookie'], ['mine=1; Path=/']);
      gateway.upstream.answerWith((_request, response) =>
        response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': ours }).end('hello'),
      );
      assert.equal((await asked('own')).headers['set-cookie'], undefined);
      assert.equal((await asked('ours')).headers['set-cookie'], undefined);
    });

    for (const slug of slugs) {
      test(`${slug}: content that a browser may render is sandboxed, and headers about the origin are removed`, async () => {
        for (const type of RENDERED) {
          gateway.upstream.answerWith((_request, response) => {
            if (type !== '') response.setHeader('content-type', type);
            response
              .writeHead(500, {
                'content-security-policy': 'script-src *',
                'x-content-type-options': 'no',
                ...OF_ORIGIN,
              })
              .end('<script>fetch("/api/v0/me")</script>');
          });
          const { headers, text, status } = await asked(slug);
          // The gateway answers with its own error where an error status comes without a message.
          assert.equal(status, slug === 'own' ? 500 : 502);
          if (slug !== 'own') {
            assert.equal(headers['content-type'], 'application/json');
            assert.doesNotMatch(text, /script/);
            continue;
          }
          assert.equal(text, '<script>fetch("/api/v0/me")</script>');
          assert.equal(headers['content-security-policy'], 'sandbox', type);
          assert.equal(headers['x-content-type-options'], 'nosniff', type);
          assert.equal(headers['cross-origin-resource-policy'], 'same-origin', type);
          for (const name of Object.keys(OF_ORIGIN)) assert.equal(headers[name], undefined, `${type} ${name}`);
        }
      });

      test(`${slug}: JSON and event streams pass byte for byte, and headers about the origin are removed`, async () => {
        const json = `{ "jsonrpc":"2.0", "id":1,"result":{"html":"<script>","n":1.0}}`;
        const bodies = {
          'application/json; charset=utf-8': json,
          'text/event-stream': `: x\n\nid: 1\ndata: ${json}\n\n`,
        };
        for (const [type, body] of Object.entries(bodies)) {
          gateway.upstream.answerWith((_request, response) =>
            response.writeHead(200, { 'content-type': type, ...OF_ORIGIN }).end(body),
          );
          const { headers, text } = await asked(slug);
          assert.equal(text, body);
          assert.equal(headers['content-type'], type);
          assert.equal(headers['content-security-policy'], undefined);
          for (const name of Object.keys(OF_ORIGIN)) assert.equal(headers[name], undefined, name);
        }
      });
    }

    test("a redirect leads to a web address, and no browser asks for a password in the platform's name", async () => {
      const answered = async (headers: Record<string, string>) => {
        gateway.upstream.answerWith((_request, response) =>
          response.writeHead(headers['location'] === undefined ? 401 : 302, headers).end(),
        );
        return (await asked('own')).headers;
      };
      for (const location of ['/there', 'https://elsewhere.example/x', '//elsewhere.example']) {
        assert.equal((await answered({ location })).location, location);
      }
      for (const location of [
        'javascript:alert(1)',
        ' JavaScript:alert(1)',
        'data:text/html,x',
        'blob:x',
        'file:///etc',
      ]) {
        assert.equal((await answered({ location })).location, undefined, location);
      }
      const bearer = 'Bearer resource_metadata="https://own.example"';
      assert.equal((await answered({ 'www-authenticate': bearer }))['www-authenticate'], bearer);
      for (const challenge of [
        'Basic realm="signalbox"',
        `${bearer}, basic realm=x`,
        'NTLM',
        'Negotiate',
        'Digest realm=x',
      ]) {
        assert.equal((await answered({ 'www-authenticate': challenge }))['www-authenticate'], undefined, challenge);
      }
    });
  });

  describe(`MCP servers with an origin of their own on ${database}`, () => {
    let gateway: TestGateway;
    const publicUrl = 'https://signalbox.example';
    const serversUrl = 'https://mcp.example';

    before(async () => {
      gateway = await startGateway({
        database,
        config: { publicUrl, serversUrl, trustedProxies: new TrustedProxies(['127.0.0.1']) },
      });
      for (const slug of ['open', 'own']) {
        const fields = slug === 'own' ? { kind: 'hosted', authentication: 'none' } : {};
        assert.equal((await gateway.register(slug, fields)).status, 201);
      }
    });
    after(() => gateway.stop());

    const PLATFORM = [
      '/',
      '/api/health',
      '/api/ready',
      '/api/v0/me',
      '/api/admin/version',
      '/signin',
      '/api/docs',
      '/x',
    ];

    test('serving URLs are on that origin', async () => {
      const { body } = await gateway.admin.get('/organizations/default/servers/open');
      assert.equal(body.servingUrl, `${serversUrl}${servingUrl('open')}`);
      const { text } = await gateway.admin.get('/organizations/default/servers');
      assert.doesNotMatch(text, /signalbox\.example\/servers/);
      assert.match(text, /https:\/\/mcp\.example\/servers/);
    });

    for (const [how, headersOf] of [
      ['in Host', (host: string) => ({ host })],
      ['as a trusted proxy tells it', (host: string) => ({ 'x-forwarded-host': host, 'x-forwarded-proto': 'https' })],
    ] as const) {
      test(`its host name, ${how}, serves only MCP servers`, async () => {
        for (const host of ['mcp.example', 'MCP.example', 'mcp.example:8443', 'mcp.example.']) {
          for (const path of PLATFORM) {
            const { status, body } = await gateway.request('GET', path, undefined, {
              authorization: `Bearer ${gateway.admin.key}`,
              ...headersOf(host),
            });
            assert.deepEqual(
              { status, body },
              { status: 404, body: { detail: 'Only MCP servers are served at this host name.' } },
              path,
            );
          }
          assert.equal(await upgrade('/api/events/out', headersOf(host)), 404);
        }
        for (const slug of ['open', 'own']) {
          const headers = { ...headersOf('mcp.example') };
          assert.equal((await send(gateway, slug, ask('ping'), { key: gateway.admin.key, headers })).status, 200, slug);
        }
      });

      test(`another host name, ${how}, serves no MCP server`, async () => {
        gateway.upstream.seen.length = 0;
        for (const host of ['signalbox.example', 'localhost', '127.0.0.1:4200']) {
          for (const slug of ['open', 'own', 'none']) {
            const { status, body } = await send(gateway, slug, ask('ping'), {
              key: gateway.admin.key,
              headers: headersOf(host),
            });
            assert.equal(status, 404);
            assert.equal(body.error.message, `MCP servers are available only at ${serversUrl}.`);
          }
          assert.equal((await gateway.request('GET', '/api/health', undefined, headersOf(host))).status, 200);
        }
        assert.equal(gateway.upstream.seen.length, 0);
      });
    }

    function upgrade(path: string, headers: Record<string, string>): Promise<number | undefined> {
      return new Promise((resolve, reject) => {
        const request = httpRequest(new URL(path, gateway.origin), {
          agent: false,
          headers: {
            connection: 'Upgrade',
            upgrade: 'websocket',
            'sec-websocket-version': '13',
            'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
            'sec-websocket-protocol': 'prefect',
            ...headers,
          },
        });
        request.on('error', reject);
        request.on('response', (response) => {
          resolve(response.statusCode);
          request.destroy();
        });
        request.on('upgrade', (response, socket) => {
          resolve(response.statusCode);
          socket.destroy();
        });
        request.end();
      });
    }
  });
}

test('a client without a proxy cannot choose the origin with a forwarded header', async () => {
  const gateway = await startGateway({ config: { serversUrl: 'https://mcp.example' } });
  try {
    const headers = { 'x-forwarded-host': 'mcp.example' };
    await gateway.register('open');
    assert.equal((await gateway.request('GET', '/api/health', undefined, headers)).status, 200);
    assert.equal((await send(gateway, 'open', ask('ping'), { key: gateway.admin.key, headers })).status, 404);
  } finally {
    await gateway.stop();
  }
});

test('a separate origin needs a separate host name', () => {
  const at = (publicUrl: string, serversUrl: string) => () =>
    readConfig({}, { SIGNALBOX_PUBLIC_URL: publicUrl, SIGNALBOX_SERVERS_URL: serversUrl });
  assert.equal(at('https://signalbox.example', 'https://mcp.example')().serversUrl, 'https://mcp.example');
  assert.equal(at('', 'https://mcp.example:8443')().serversUrl, 'https://mcp.example:8443');
  for (const same of ['https://signalbox.example', 'http://SIGNALBOX.example:8443', 'https://signalbox.example.']) {
    assert.throws(at('https://signalbox.example', same), ConfigError, same);
  }
  for (const wrong of [
    'mcp.example',
    'https://mcp.example/',
    'https://mcp.example/x',
    'https://u@mcp.example',
    'ftp://x',
  ]) {
    assert.throws(at('', wrong), /SIGNALBOX_SERVERS_URL/, wrong);
  }
});

test('repeated headers, and headers that Connection names, are filtered too', () => {
  assert.deepEqual(untouchedHeaders({ connection: 'x-one', 'x-one': '1', cookie: 'signalbox_session=1' }), {});
  assert.deepEqual(
    untouchedHeadersDownstream({ 'content-type': 'application/json', 'set-cookie': ['Signalbox_x=1'] }),
    {
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
    },
  );
});
