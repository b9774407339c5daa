import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ORGANIZATION } from '../../../../test/support/gateway.ts';
import { startRemix, type TestRemix } from '../../../../test/support/remix.ts';
import { databasesOfRun } from '../../../../test/support/server.ts';

const SERVERS = `${ORGANIZATION}/servers`;
const PREVIEW = `${ORGANIZATION}/remix-preview`;

for (const database of databasesOfRun) {
  describe(`storing a remix on ${database}`, () => {
    let remix: TestRemix;
    before(async () => {
      remix = await startRemix({ docs: { tools: ['search', 'read'] }, wiki: { tools: ['search'] } }, { database });
    });
    after(() => remix.stop());

    const both = [
      { server: 'docs', tools: [{ name: 'search' }] },
      { server: 'wiki', tools: [{ name: 'search' }] },
    ];

    test('two capabilities of one name are refused, and the error names both servers', async () => {
      const { status, body } = await remix.save('clash', both);
      assert.deepEqual([status, body.error.code], [409, 'capability_conflict']);
      assert.match(body.error.message, /"docs" and "wiki" both have the name "search"/);
      assert.equal((await remix.gateway.admin.get(`${SERVERS}/clash`)).status, 404);
    });

    test('a preview shows what would be listed, what is missing and the conflicts, and stores nothing', async () => {
      const sources = [{ server: 'docs', tools: [{ name: 'search' }, { name: 'gone' }] }, both[1]];
      const { status, body, text } = await remix.gateway.admin.post(PREVIEW, { remix: { sources } });
      assert.equal(status, 200, text);
      assert.deepEqual(
        body.capabilities.map(({ name, item }: { name: string; item: object | null }) => [name, item !== null]),
        [
          ['search', true],
          ['gone', false],
          ['search', true],
        ],
      );
      assert.deepEqual(
        body.conflicts.map(({ name, servers }: { name: string; servers: string[] }) => [name, servers]),
        [['search', [remix.ids['docs'], remix.ids['wiki']]]],
      );
    });

    test('its selection can be read and sent back, and sources keep their place', async () => {
      const { admin } = remix.gateway;
      const { status, body, text } = await remix.save('kept', [
        { server: 'docs', tools: [{ name: 'search', as: 'find' }] },
      ]);
      assert.equal(status, 201, text);
      assert.deepEqual(body.remix.sources[0].tools, [{ name: 'search', as: 'find', title: null, description: null }]);
      const again = await admin.patch(`${SERVERS}/kept`, { remix: body.remix });
      assert.deepEqual([again.status, again.body.remix], [200, body.remix]);
      const { body: offered } = await admin.get(`${SERVERS}/kept/capabilities`);
      assert.deepEqual(
        offered.tools.map(({ name }: { name: string }) => name),
        ['find'],
      );
    });

    test('bad selections are refused with the field', async () => {
      const { gateway } = remix;
      await remix.save('inner', [{ server: 'docs', tools: [{ name: 'read' }] }]);
      const wrong: [object, string][] = [
        [{ server: 'nowhere', tools: [] }, 'sources.0.server'],
        [{ server: 'inner', tools: [] }, 'sources.0.server'],
        [{ server: 'docs', tools: [{ name: 'search', as: 'with space' }] }, 'sources.0.tools.0.as'],
        [
          { server: 'docs', resourceTemplates: [{ name: 'a://{b}', as: 'c://{b}' }] },
          'sources.0.resourceTemplates.0.as',
        ],
      ];
      for (const [source, field] of wrong) {
        for (const answer of [
          await remix.save('wrong', [source]),
          await gateway.admin.post(PREVIEW, { remix: { sources: [source] } }),
        ]) {
          assert.equal(answer.status, 422, answer.text);
          assert.equal(answer.body.error.details[0].field, `remix.${field}`);
        }
      }
      assert.equal((await remix.save('twice', [...both, both[0]!])).status, 422);
      const many = Array.from({ length: 21 }, () => ({ server: 'docs' }));
      assert.equal((await remix.save('many', many)).status, 422);
      const elsewhere = await gateway.admin.patch(`${SERVERS}/docs`, { remix: { sources: [] } });
      assert.equal(elsewhere.status, 422);
    });

    test('an editor adds only what the editor may use at the server, and keeps what others chose', async () => {
      const { gateway } = remix;
      await remix.save('shared', [{ server: 'docs', tools: [{ name: 'search' }] }]);
      const editor = await gateway.member('editor@example.com');
      await gateway.admin.put(`${SERVERS}/shared/grants/${editor.id}`, { role: 'editor' });
      const sources = (tools: object[]) => ({ remix: { sources: [{ server: remix.ids['docs'], tools }] } });
      const kept = await editor.patch(`${SERVERS}/shared`, sources([{ name: 'search', as: 'find' }]));
      assert.equal(kept.status, 200, kept.text);
      const added = await editor.patch(`${SERVERS}/shared`, sources([{ name: 'search' }, { name: 'read' }]));
      assert.equal(added.status, 422);
      assert.match(added.text, /You need a role on this server/);
      await gateway.admin.put(`${SERVERS}/docs/grants/${editor.id}`, { role: 'viewer' });
      await gateway.allow('docs', { capability: 'tool', pattern: 'search', effect: 'allow' });
      const denied = await editor.patch(`${SERVERS}/shared`, sources([{ name: 'read' }]));
      assert.match(denied.text, /does not allow you to use this/);
      const viewer = await gateway.member('viewer@example.com');
      assert.equal((await viewer.post(PREVIEW, { remix: { sources: [] } })).status, 403);
      assert.equal((await viewer.post(PREVIEW, { remix: { sources: [] }, server: 'shared' })).status, 403);
      assert.equal((await viewer.get(`${SERVERS}/shared`)).body.remix, null);
    });

    test('a server that is deleted goes out of what the remix offers', async () => {
      const { gateway } = remix;
      await gateway.register('brief', {}, remix.sources['docs']!.url);
      await remix.save('lasting', [
        { server: 'brief', tools: [{ name: 'read' }] },
        { server: 'wiki', tools: [{ name: 'search' }] },
      ]);
      assert.equal((await gateway.admin.delete(`${SERVERS}/brief`)).status, 204);
      const { body } = await gateway.admin.post(`${SERVERS}/lasting/capabilities/refresh`);
      assert.deepEqual(
        body.tools.map(({ name }: { name: string }) => name),
        ['search'],
      );
    });
  });
}
