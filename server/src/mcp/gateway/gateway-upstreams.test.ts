import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { ask, callTool, ORGANIZATION, send, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { databases } from '../../../test/support/server.ts';
import {
  type SeenRequest,
  startWatchedUpstream,
  type WatchedUpstream,
} from '../../../test/support/watched-upstream.ts';

const SECRET = 'a-stored-secret';

for (const database of databases) {
  describe(`servers behind the gateway on ${database}`, () => {
    let gateway: TestGateway;
    let other: WatchedUpstream;
    let key: string;
    let count = 0;

    before(async () => {
      gateway = await startGateway({ database });
      other = await startWatchedUpstream();
      key = gateway.admin.key;
    });
    beforeEach(() => {
      gateway.upstream.answerWith(undefined);
      other.answerWith(undefined);
    });
    after(async () => {
      await gateway.stop();
      await other.stop();
    });

    /** A server with this credential or address, and its slug. */
    const registered = async (external: Record<string, unknown> = {}): Promise<string> => {
      const slug = `server-${++count}`;
      const { status, text } = await gateway.register(slug, { external: { url: gateway.upstream.url, ...external } });
      assert.equal(status, 201, text);
      assert.ok(!text.includes(SECRET));
      return slug;
    };
    const call = (slug: string) => send(gateway, slug, callTool('echo'), { key });
    const lastSeen = (): SeenRequest => gateway.upstream.seen.at(-1)!;

    test('the gateway sends the stored credential, and never the caller’s', async () => {
      const bearer = await registered({ credential: { kind: 'bearer', secret: SECRET } });
      assert.equal((await call(bearer)).status, 200);
      assert.equal(lastSeen().headers.authorization, `Bearer ${SECRET}`);
      const header = await registered({ credential: { kind: 'header', name: 'X-Api-Key', secret: SECRET } });
      assert.equal((await call(header)).status, 200);
      assert.equal(lastSeen().headers['x-api-key'], SECRET);
      assert.equal(lastSeen().headers.authorization, undefined);
      await call(await registered());
      assert.equal(lastSeen().headers.authorization, undefined);
    });

    test('several headers are sent together, and no answer shows their values', async () => {
      const headers = [
        { name: 'X-Api-Key', secret: SECRET },
        { name: 'X-Tenant', secret: 'acme' },
      ];
      const slug = await registered({ credential: { kind: 'headers', headers } });
      assert.equal((await call(slug)).status, 200);
      assert.deepEqual([lastSeen().headers['x-api-key'], lastSeen().headers['x-tenant']], [SECRET, 'acme']);
      const { body, text } = await gateway.admin.get(`${ORGANIZATION}/servers/${slug}`);
      assert.deepEqual(body.external.credential, {
        kind: 'headers',
        headers: [{ name: 'X-Api-Key' }, { name: 'X-Tenant' }],
      });
      assert.doesNotMatch(text, /acme/);
      const tested = await gateway.admin.post(`${ORGANIZATION}/server-connection-test`, { server: slug, external: {} });
      assert.equal(tested.body.error, null, tested.text);
      assert.equal(lastSeen().headers['x-tenant'], 'acme');
    });

    test('headers that stand twice, none, and more than eight are refused', async () => {
      const named = (name: string) => ({ name, secret: SECRET });
      for (const headers of [
        [named('x-a'), named('X-A')],
        [],
        Array.from({ length: 9 }, (_, index) => named(`x-${index}`)),
      ]) {
        const external = { url: gateway.upstream.url, credential: { kind: 'headers', headers } };
        const { status, body, text } = await gateway.register('refused', { external });
        assert.equal(status, 422, text);
        const fields = body.error.details.map(({ field }: { field: string }) => field);
        assert.ok(fields.includes('external.credential.headers.headers'), text);
      }
    });

    test('a changed credential takes effect at the next request', async () => {
      const slug = await registered({ credential: { kind: 'bearer', secret: 'first' } });
      await call(slug);
      const external = { url: gateway.upstream.url, credential: { kind: 'bearer', secret: 'second' } };
      assert.equal((await gateway.admin.patch(`${ORGANIZATION}/servers/${slug}`, { external })).status, 200);
      await call(slug);
      assert.equal(lastSeen().headers.authorization, 'Bearer second');
    });

    test('an edit without a credential keeps the stored one, but never sends it to another origin', async () => {
      const slug = await registered({ credential: { kind: 'bearer', secret: SECRET }, answerSeconds: 7 });
      const patch = (external: object) => gateway.admin.patch(`${ORGANIZATION}/servers/${slug}`, { external });
      const moved = await patch({ url: new URL('/elsewhere', gateway.upstream.url).href });
      assert.equal(moved.status, 200, moved.text);
      assert.deepEqual(moved.body.external, {
        url: new URL('/elsewhere', gateway.upstream.url).href,
        credential: { kind: 'bearer' },
        answerSeconds: 7,
      });
      await call(slug);
      assert.deepEqual([lastSeen().url, lastSeen().headers.authorization], ['/elsewhere', `Bearer ${SECRET}`]);
      const stolen = await patch({ url: other.url });
      assert.equal(stolen.status, 422, stolen.text);
      assert.equal(stolen.body.error.details[0].field, 'external.credential');
      assert.equal((await patch({ url: other.url, credential: { kind: 'none' } })).status, 200);
    });

    test('a token is fetched once for many calls, and again when the server rejects it', async () => {
      let issued = 0;
      const asked: SeenRequest[] = [];
      other.answerWith((request, response) => {
        asked.push(request);
        issued += 1;
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ access_token: `token-${issued}`, token_type: 'Bearer', expires_in: 3600 }));
      });
      const credential = {
        kind: 'client_credentials',
        tokenUrl: new URL('/token', other.url).href,
        clientId: 'client:1',
        scope: 'read write',
        secret: SECRET,
      };
      const slug = await registered({ credential });
      const answers = await Promise.all(Array.from({ length: 20 }, () => call(slug)));
      assert.ok(answers.every(({ status }) => status === 200));
      assert.equal(issued, 1);
      const form = new URLSearchParams(asked[0]?.body);
      assert.deepEqual(Object.fromEntries(form), {
        grant_type: 'client_credentials',
        resource: gateway.upstream.url,
        scope: 'read write',
      });
      assert.equal(asked[0]?.headers.authorization, `Basic ${btoa(`client%3A1:${SECRET}`)}`);
      gateway.upstream.answerWith((_request, response) => response.writeHead(401).end());
      assert.equal((await call(slug)).status, 502);
      gateway.upstream.answerWith(undefined);
      assert.equal((await call(slug)).status, 200);
      assert.equal(lastSeen().headers.authorization, 'Bearer token-3');
    });

    test('when the server rejects a token, concurrent calls share one new token', async () => {
      let issued = 0;
      other.answerWith((_request, response) => {
        issued += 1;
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ access_token: `token-${issued}`, token_type: 'Bearer', expires_in: 3600 }));
      });
      const credential = { kind: 'client_credentials', tokenUrl: other.url, clientId: 'c', secret: SECRET };
      const slug = await registered({ credential });
      assert.equal((await call(slug)).status, 200);
      const shown: (string | undefined)[] = [];
      gateway.upstream.answerWith(({ headers, body }, response) => {
        shown.push(headers.authorization);
        if (headers.authorization !== 'Bearer token-2') {
          // The rest of this answer comes late, when the other one is already there.
          response.writeHead(401).write('no longer');
          return;
        }
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { came: JSON.parse(body) } }));
      });
      const answers = await Promise.all(Array.from({ length: 20 }, () => call(slug)));
      for (const { status, text, body } of answers) {
        assert.equal(status, 200, text);
        assert.deepEqual(body.result.came, callTool('echo'));
      }
      assert.equal(issued, 2);
      gateway.upstream.answerWith(({ headers }, response) => {
        shown.push(headers.authorization);
        response.writeHead(401).end();
      });
      shown.length = 0;
      assert.equal((await call(slug)).status, 502);
      assert.deepEqual(shown, ['Bearer token-2', 'Bearer token-3'], 'the gateway tries one new token, and no more');
    });

    test("when no token is available the caller gets an error, without the token endpoint's answer", async () => {
      other.answerWith((_request, response) => response.writeHead(400).end(`{"error":"invalid_client ${SECRET}"}`));
      const credential = { kind: 'client_credentials', tokenUrl: other.url, clientId: 'c', secret: SECRET };
      const { status, body, text } = await call(await registered({ credential }));
      assert.equal(status, 502);
      assert.match(body.error.message, /token endpoint/);
      assert.ok(!text.includes(SECRET));
    });

    test('a 401 of the server becomes a 502, because the platform holds the credential', async () => {
      gateway.upstream.answerWith((_request, response) =>
        response.writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="https://evil.example"' }).end(),
      );
      const { status, headers, body } = await call(await registered());
      assert.equal(status, 502);
      assert.equal(headers['www-authenticate'], undefined);
      assert.equal(body.id, 1);
      assert.match(body.error.message, /credential/);
    });

    test('cookies and other private headers of the server are not returned', async () => {
      gateway.upstream.answerWith((_request, response) => {
        response.setHeader('set-cookie', 'a=1');
        response.setHeader('x-secret', 'b');
        response.setHeader('access-control-allow-origin', '*');
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":1,"result":{}}');
      });
      const { headers } = await call(await registered());
      for (const name of ['set-cookie', 'x-secret', 'access-control-allow-origin']) {
        assert.equal(headers[name], undefined, name);
      }
    });

    test('a redirect that keeps the method is followed, and another origin never gets the credential', async () => {
      gateway.upstream.answerWith((_request, response) => {
        response.writeHead(307, { location: other.url });
        // The rest of this answer comes late, when the other one is already there.
        response.write('moved');
      });
      const slug = await registered({ credential: { kind: 'bearer', secret: SECRET } });
      const { status, body } = await call(slug);
      assert.equal(status, 200);
      assert.equal(body.id, 1);
      assert.equal(other.seen.at(-1)?.headers.authorization, undefined);
      assert.deepEqual(JSON.parse(other.seen.at(-1)?.body ?? ''), callTool('echo'));
    });

    test('redirects to forbidden networks, in circles or to a GET are refused', async () => {
      const targets = ['http://169.254.169.254/latest/meta-data', 'http://[fd00:ec2::254]/', 'file:///etc/passwd', 'x'];
      for (const [status, location] of [
        ...targets.map((target) => [308, target] as const),
        [302, other.url] as const,
        [301, other.url] as const,
        [303, other.url] as const,
      ]) {
        const seen = other.seen.length;
        gateway.upstream.answerWith((_request, response) => response.writeHead(status, { location }).end());
        const answer = await call(await registered());
        assert.equal(answer.status, 502, location);
        assert.equal(answer.headers['location'], undefined);
        assert.equal(other.seen.length, seen);
      }
    });

    test('the address of a metadata service is refused at the request, and discovery reports the reason', async () => {
      const slug = await registered({ url: 'http://169.254.169.254/mcp' });
      assert.equal((await call(slug)).status, 502);
      const { status, body } = await gateway.admin.post(`${ORGANIZATION}/servers/${slug}/capabilities/refresh`);
      assert.equal(status, 200);
      assert.match(body.error, /nothing is sent/);
    });

    test('an unreachable server is an error, and rests after several failures', async () => {
      const gone = await startWatchedUpstream();
      await gone.stop();
      const slug = await registered({ url: gone.url });
      let answer = await call(slug);
      let failures = 0;
      for (; answer.status === 502; answer = await call(slug)) failures += 1;
      const { status, headers, body } = answer;
      assert.equal(status, 503);
      // Requests of the platform itself at the registration of the server count too.
      assert.ok(failures <= 5);
      assert.ok(Number(headers['retry-after']) > 0);
      assert.equal(body.id, 1);
      assert.equal((await call(await registered())).status, 200);
    });

    test('each call is one request, over reused connections', async () => {
      const slug = await registered();
      await call(slug);
      const [seen, connections] = [gateway.upstream.seen.length, gateway.upstream.connections()];
      for (let index = 0; index < 50; index++) await call(slug);
      assert.equal(gateway.upstream.seen.length - seen, 50);
      assert.equal(gateway.upstream.connections() - connections, 0);
    });

    test('what the server offers is read in both eras of the protocol', async () => {
      const slug = await registered();
      const { status, body } = await gateway.admin.post(`${ORGANIZATION}/servers/${slug}/capabilities/refresh`);
      assert.equal(status, 200);
      assert.equal(body.error, null);
      assert.deepEqual(body.eras, ['legacy', 'modern']);
    });

    test('an answer with an error status of its own passes through', async () => {
      const error =
        '{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}}';
      gateway.upstream.answerWith((_request, response) =>
        response.writeHead(400, { 'content-type': 'application/json' }).end(error),
      );
      const { status, text } = await send(gateway, await registered(), ask('server/discover'), { key });
      assert.deepEqual({ status, text }, { status: 400, text: error });
    });
  });
}
