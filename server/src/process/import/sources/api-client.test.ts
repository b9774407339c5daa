import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { freePort } from '../../../../test/support/free-port.ts';
import { ConfigError } from '../../../errors.ts';
import { ApiSource } from './api-source.ts';

let servers: Server[] = [];

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Faked {
  readonly version?: string;
  /** An answer of its own to a path: its status and body. */
  readonly answers?: Readonly<Record<string, readonly [number, unknown]>>;
}

/** A Prefect server below /api that has nothing. */
function prefect({ version = '3.9.1', answers = {} }: Faked = {}): RequestListener {
  return (request, response) => {
    const path = request.url?.replace(/^\/api/, '') ?? '';
    const isBelow = request.url?.startsWith('/api/');
    const known: Record<string, unknown> = { '/flows/count': 0, '/admin/version': version, '/flows/filter': [] };
    const [status, body] =
      answers[path] ?? (isBelow && path in known ? [200, known[path]] : [404, { detail: 'Not Found' }]);
    const isPage = typeof body === 'string' && body.startsWith('<');
    response.writeHead(status, { 'content-type': isPage ? 'text/html' : 'application/json' });
    response.end(isPage ? body : JSON.stringify(body));
  };
}

const PAGE = '<!doctype html><title>Sign in</title><script>secret()</script>';

describe('what a source that cannot be read is answered with', () => {
  afterEach(() => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
    servers = [];
  });

  const refused = async (url: string, sentence: RegExp, more: object = {}) => {
    await assert.rejects(ApiSource.connect({ url, ...more }), (error: unknown) => {
      assert.ok(error instanceof ConfigError, String(error));
      assert.match(error.message, sentence);
      assert.doesNotMatch(error.message, /opensesame|script/);
      return true;
    });
  };

  test('addresses that are not those of an API', async () => {
    await refused('localhost:4200', /"localhost:4200" is not the address of an API, such as http/);
    await refused('http://ada:opensesame@127.0.0.1:4200/api', /has credentials in it\. .*PREFECT_API_AUTH_STRING/);
    await refused('ftp://ada:opensesame@127.0.0.1/api', /is not the address of an API/);
    const page = 'https://app.prefect.cloud/account/a-1/workspace/w-2/dashboard';
    await refused(page, /The API is https:\/\/api\.prefect\.cloud\/api\/accounts\/a-1\/workspaces\/w-2\./);
    await refused('https://api.prefect.cloud/api', /accounts\/<account id>\/workspaces\/<workspace id>/);
  });

  test('an address without /api is read at /api, and the person is told', async () => {
    const url = await listen(prefect());
    const { source, remarks } = await ApiSource.connect({ url: `${url}/` });
    assert.equal(source.name, `${url}/api`);
    assert.deepEqual(remarks, [`The API of ${url} is at ${url}/api: read from there.`]);
    assert.deepEqual((await ApiSource.connect({ url: `${url}/api` })).remarks, []);
  });

  test('a server that is not Prefect, and one whose API lies elsewhere', async () => {
    const nothing = await listen((_request, response) => response.writeHead(404).end());
    await refused(nothing, /is not the API of a Prefect server: \/flows\/count answered 404\. .*ends with \/api/);
    await refused(`${nothing}/api`, /\/api is not the API of a Prefect server/);
    const other = await listen((_request, response) => response.end('{"hello":1}'));
    await refused(other, /counts no flows/);
  });

  test('older and newer servers', async () => {
    const second = await listen(prefect({ version: '2.20.4' }));
    await refused(`${second}/api`, /is a Prefect 2\.20\.4 server\. Upgrade it to Prefect 3 first/);
    for (const version of ['3.1.0', '3.10.0', '4.0.0']) {
      const url = await listen(prefect({ version }));
      const { remarks } = await ApiSource.connect({ url: `${url}/api` });
      assert.match(
        remarks.join(),
        new RegExp(`is a Prefect ${version} server\\. Imports are tested with Prefect 3\\.4 to 3\\.9`),
      );
    }
    const cloud = await listen(prefect({ answers: { '/admin/version': [404, {}] } }));
    assert.deepEqual((await ApiSource.connect({ url: `${cloud}/api` })).remarks, []);
  });

  test('credentials that are missing, wrong or too weak', async () => {
    const closed = await listen(prefect({ answers: { '/flows/count': [401, { detail: 'Unauthorized' }] } }));
    await refused(
      `${closed}/api`,
      /requires a credential, and none was sent\. Set PREFECT_API_KEY .* or PREFECT_API_AUTH_STRING/,
    );
    await refused(`${closed}/api`, /does not accept the value of PREFECT_API_KEY/, { apiKey: 'opensesame' });
    await refused(`${closed}/api`, /does not accept the value of PREFECT_API_AUTH_STRING/, {
      authString: 'a:opensesame',
    });
    const weak = await listen(prefect({ answers: { '/flows/count': [403, { detail: 'Forbidden' }] } }));
    await refused(`${weak}/api`, /may not be read with this credential\. Check PREFECT_API_KEY\./, {
      apiKey: 'opensesame',
    });
  });

  test('a page of a proxy, whatever its status, and an address that redirects', async () => {
    for (const status of [200, 403, 404]) {
      const url = await listen(prefect({ answers: { '/flows/count': [status, PAGE] } }));
      if (status !== 404)
        await refused(`${url}/api`, new RegExp(`answered ${status} with a web page and not with JSON`));
    }
    const url = await listen((request, response) => {
      response.writeHead(308, { location: `https://prefect.example${request.url}?token=opensesame` }).end();
    });
    await refused(`${url}/api`, /redirects to https:\/\/prefect\.example\/api\/flows\/count\. Give the address/);
  });

  test('a port where nobody listens', async () => {
    await refused(
      `http://127.0.0.1:${await freePort()}/api`,
      /cannot be read: .*ECONNREFUSED.* No server listens there/,
    );
  });

  test('TLS where there is none', async () => {
    const url = await listen(prefect());
    await refused(`${url.replace('http:', 'https:')}/api`, /It does not use TLS: write http:\/\//);
  });

  test('a busy database passes, and the person is told why it takes longer', async () => {
    const failures = [500, 503];
    const inner = prefect();
    const url = await listen((request, response) => {
      const status = request.url === '/api/variables/filter' ? failures.shift() : undefined;
      if (status === undefined) return inner(request, response);
      response.writeHead(status, { 'retry-after': '0' }).end('{"exception_message":"database is locked"}');
    });
    const { source } = await ApiSource.connect({ url: `${url}/api` });
    const said: string[] = [];
    source.onWait = (doing) => said.push(doing);
    await assert.rejects(
      Array.fromAsync(source.objects('variables')).then(() => Promise.reject(new Error('read'))),
      /read/,
    );
    assert.equal(said.length, 2);
    assert.match(said[0] ?? '', /again in 0\.5 s: .* answered 500: database is locked/);
  });

  test('a server that asks for CSRF tokens gets one', async () => {
    const inner = prefect();
    const url = await listen((request, response) => {
      const isAsked = request.url?.startsWith('/api/csrf-token?client=');
      if (isAsked) return response.end(JSON.stringify({ token: 'tok', client: 'any' }));
      const { 'prefect-csrf-token': token, 'prefect-csrf-client': client } = request.headers;
      if (request.method === 'POST' && !(token === 'tok' && client)) {
        return response.writeHead(403).end('{"detail":"Missing CSRF token."}');
      }
      return inner(request, response);
    });
    assert.equal((await ApiSource.connect({ url: `${url}/api` })).source.name, `${url}/api`);
  });

  test('a server whose pages are smaller is read in smaller pages', async () => {
    const asked: unknown[] = [];
    const rows = Array.from({ length: 7 }, (_, id) => ({ id, name: `v${id}` }));
    const inner = prefect();
    const url = await listen(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      const { limit, offset = 0 } = JSON.parse(Buffer.concat(parts).toString() || '{}');
      if (limit > 3) return response.writeHead(422).end('{"detail":"Invalid limit: must be less than or equal to 3."}');
      if (request.url !== '/api/variables/filter') return inner(request, response);
      asked.push(limit);
      return response.end(JSON.stringify(rows.slice(offset, offset + limit)));
    });
    const { source } = await ApiSource.connect({ url: `${url}/api` });
    assert.equal((await Array.fromAsync(source.objects('variables'))).flat().length, 7);
    assert.deepEqual(asked, [3, 3, 3]);
  });

  test('a kind that the source does not know is left out, and the report says so', async () => {
    const url = await listen(prefect());
    const { source } = await ApiSource.connect({ url: `${url}/api` });
    assert.deepEqual(await Array.fromAsync(source.objects('saved_searches')), []);
    assert.deepEqual(source.remarks, ['The source does not know saved searches, so none were imported.']);
  });
});
