import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { putConfiguration } from '../../../database/opening/configuration.ts';
import type { JsonText } from '../../../values/json.ts';
import { installBlockCollection, readBlockCollection } from './block-collection.ts';

test('every schema in the collection belongs to a type in it, and so do its nested schemas', () => {
  const { types, schemas } = readBlockCollection();
  const slugs = new Set(types.map(({ slug }) => slug));
  const keys = new Set(schemas.map(({ checksum, version }) => `${checksum} ${version}`));
  assert.equal(slugs.size, types.length);
  assert.equal(keys.size, schemas.length);
  for (const { type, checksum, references } of schemas) {
    assert.ok(slugs.has(type), type);
    assert.match(checksum, /^sha256:[0-9a-f]{64}$/);
    for (const held of references) assert.ok(keys.has(`${held.checksum} ${held.version}`), `${type}.${held.name}`);
  }
});

for (const database of databases) {
  describe(`the block collection on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    test('a new workspace has the known block types, and a client finds their schemas by checksum', async () => {
      const types = (await server.post('/block_types/filter', {})).body;
      assert.equal(types.length, 54);
      const protectedOnes = types.filter((type: { is_protected: boolean }) => type.is_protected);
      assert.deepEqual(
        protectedOnes.map(({ slug }: { slug: string }) => slug),
        ['local-file-system', 'secret', 'webhook'],
      );
      const schemas = (await server.post('/block_schemas/filter', {})).body;
      assert.equal(schemas.length, 64);
      for (const { checksum, version } of schemas) {
        const found = await server.get(`/block_schemas/checksum/${checksum}?version=${version}`);
        assert.equal(found.body.checksum, checksum);
      }
      assert.deepEqual((await server.get('/block_capabilities/')).body.sort(), [
        ...['get-directory', 'notify', 'put-directory', 'read-path', 'write-path'],
      ]);
    });

    test('a schema with nested blocks includes their schemas', async () => {
      const [schema] = (
        await server.post('/block_schemas/filter', {
          block_schemas: { block_capabilities: { all_: ['write-path'] } },
        })
      ).body.filter((one: { fields: { block_type_slug: string } }) => one.fields.block_type_slug === 's3-bucket');
      assert.deepEqual(
        schema.fields.block_schema_references.credentials.map(
          (one: { block_type_slug: string }) => one.block_type_slug,
        ),
        ['aws-credentials', 'minio-credentials'],
      );
      assert.ok(schema.fields.definitions.AwsCredentials);
    });

    test('a deleted type stays deleted at the next start, until the collection changes', async () => {
      const slug = 'twilio-sms';
      const { body: type } = await server.get(`/block_types/slug/${slug}`);
      await server.delete(`/block_types/${type.id}`);
      await installBlockCollection(server.context());
      assert.equal((await server.get(`/block_types/slug/${slug}`)).status, 404);
      await server.context().transaction((tx) => putConfiguration(tx, 'block-collection', '"older"' as JsonText));
      await installBlockCollection(server.context());
      assert.equal((await server.get(`/block_types/slug/${slug}`)).status, 200);
      assert.equal((await server.post('/block_schemas/filter', {})).body.length, 64);
    });

    test('types that clients registered are unchanged', async () => {
      const { body: type } = await server.get('/block_types/slug/shell-operation');
      await server.patch(`/block_types/${type.id}`, { description: 'ours' });
      await server.context().transaction((tx) => putConfiguration(tx, 'block-collection', '"older"' as JsonText));
      await installBlockCollection(server.context());
      assert.equal((await server.get('/block_types/slug/shell-operation')).body.description, 'ours');
    });

    test('the protected types can be installed again, and lose their changes', async () => {
      const { body: secret } = await server.get('/block_types/slug/secret');
      await server.patch(`/block_types/${secret.id}`, { logo_url: 'no url', description: '', code_example: 'none' });
      assert.equal((await server.post('/block_types/install_system_block_types')).status, 200);
      const { updated: _, ...restored } = (await server.get('/block_types/slug/secret')).body;
      assert.deepEqual({ ...restored, updated: secret.updated }, secret);
    });

    test('addresses of a type are trimmed', async () => {
      const addresses = { logo_url: ' http://a ', documentation_url: '\t' };
      const { body } = await server.post('/block_types/', { name: 'Spaced', slug: 'spaced', ...addresses });
      assert.deepEqual([body.logo_url, body.documentation_url], ['http://a', '']);
      await server.patch(`/block_types/${body.id}`, { logo_url: 'http://b\n' });
      assert.equal((await server.get(`/block_types/${body.id}`)).body.logo_url, 'http://b');
    });
  });
}
