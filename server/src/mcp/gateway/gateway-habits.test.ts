/** Habits of clients that work at a server work through the gateway, for every kind of server alike. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ORGANIZATION, send, servingUrl } from '../../../test/support/gateway.ts';
import { MODERN, sessionClient, startRemix, type TestRemix } from '../../../test/support/remix.ts';

const VERSIONS = ['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const KINDS = ['docs', 'mix', 'orchestration-default'];

/** Of an answer in either form. */
function idIn(text: string): unknown {
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text).id;
}

describe('habits of clients', () => {
  let remix: TestRemix;
  let key: string;
  before(async () => {
    remix = await startRemix({ docs: { tools: ['search', 'read'] } }, { database: 'sqlite' });
    const saved = await remix.save('mix', [{ server: 'docs', tools: [{ name: 'search' }] }]);
    assert.equal(saved.status, 201, saved.text);
    key = remix.gateway.admin.key;
    const listed = (await remix.gateway.admin.get(`${ORGANIZATION}/servers`)).text;
    for (const slug of KINDS) assert.ok(listed.includes(`"${slug}"`), slug);
  });
  after(() => remix.stop());

  for (const slug of KINDS) {
    const post = (message: object, headers: Record<string, string> = {}) =>
      send(remix.gateway, slug, message, { key, headers });
    const initialize = (protocolVersion: string, headers: Record<string, string> = {}) => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'habits', version: '1' } };
      return post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }, headers);
    };
    /** The built-in server has no sessions. */
    const opened = async (): Promise<Record<string, string>> =>
      slug === 'orchestration-default' ? {} : { ...(await sessionClient(remix.gateway, slug, key)).headers };

    test(`${slug}: a client gets the revision that it asks for`, async () => {
      for (const version of VERSIONS) {
        const { text, status } = await initialize(version);
        assert.equal(status, 200, text);
        // The server behind it has one revision; the gateway's own have all.
        if (slug !== 'docs') assert.match(text, new RegExp(`"protocolVersion":"${version}"`));
      }
    });

    test(`${slug}: what a client writes as null or as an empty text counts as left out`, async () => {
      const headers = await opened();
      const told = await post({ jsonrpc: '2.0', method: 'notifications/initialized', params: null }, headers);
      assert.equal(told.status, 202, told.text);
      const plain = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers);
      assert.match(plain.text, /"tools":\[\{/);
      for (const params of [null, {}, { cursor: null }, { _meta: null }, { cursor: null, _meta: null }]) {
        const { text, status } = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params }, headers);
        assert.deepEqual([status, text], [200, plain.text], JSON.stringify(params));
      }
      if (slug === 'mix') {
        const { text } = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: '' } }, headers);
        assert.equal(text, plain.text);
      }
    });

    test(`${slug}: a revision that nobody knows is refused by its name, wherever it is said`, async () => {
      const headers = await opened();
      for (const version of ['garbage', '2020-01-01', '2099-01-01', '', '2025-06-18, 2025-06-18']) {
        const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
        const { status, body } = await post(list, { ...headers, 'mcp-protocol-version': version });
        assert.deepEqual([status, body.id, body.error?.code], [400, 1, -32022], version);
        assert.ok(body.error.data.supported.includes('2025-11-25'), version);
        const begun = await initialize('2025-06-18', { 'mcp-protocol-version': version });
        assert.deepEqual([begun.status, begun.body.error?.code], [400, -32022], version);
      }
      for (const version of VERSIONS) {
        const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
        const { status, text } = await post(list, { ...headers, 'mcp-protocol-version': version });
        assert.equal(status, 200, `${version} ${text}`);
      }
      const later = { ...MODERN, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
      const modern = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: later } };
      const asked = { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'tools/list' };
      assert.equal((await post(modern, asked)).body.error?.code, -32022);
    });

    test(`${slug}: an id may be any text or number, also one that is under way`, async () => {
      const headers = await opened();
      // The SDK of the built-in server takes whole numbers.
      const fractions = slug === 'orchestration-default' ? [] : [1.5];
      for (const id of [
        ...fractions,
        0,
        -1,
        1,
        2 ** 31,
        Number.MAX_SAFE_INTEGER,
        '',
        '1',
        'a b',
        '"',
        'é😀',
        'x'.repeat(500),
      ]) {
        const { text, status } = await post({ jsonrpc: '2.0', id, method: 'tools/list' }, headers);
        assert.deepEqual([status, idIn(text)], [200, id]);
      }
      const together = await Promise.all(
        Array.from({ length: 6 }, () => post({ jsonrpc: '2.0', id: 'same', method: 'tools/list' }, headers)),
      );
      for (const { text } of together) assert.equal(idIn(text), 'same');
    });

    test(`${slug}: a client may accept, and end its address, in any usual way`, async () => {
      const headers = await opened();
      const url = remix.gateway.origin + servingUrl(slug);
      for (const accept of ['application/json, text/event-stream', 'text/event-stream, application/json', '*/*']) {
        for (const type of ['application/json', 'application/json; charset=utf-8', 'application/json;charset=UTF-8']) {
          for (const end of ['', '/']) {
            const answer = await fetch(url + end, {
              method: 'POST',
              headers: { ...headers, authorization: `Bearer ${key}`, accept, 'content-type': type },
              body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
            });
            assert.equal(answer.status, 200, `${accept} ${type} ${end}`);
            assert.match(await answer.text(), /"tools"/);
          }
        }
      }
    });
  }
});
