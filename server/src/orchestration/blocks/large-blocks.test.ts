import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';

const LARGE = 'x'.repeat(900_000);
/** Of 900 kB each: more than an answer may have. */
const MANY = 20;

for (const database of databases) {
  describe(`large blocks on ${database}`, () => {
    let server: TestServer;
    let names = 0;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    async function newType(fields: object = {}) {
      const slug = `large-${++names}`;
      const type = (await server.post('/block_types/', { name: slug, slug })).body;
      const addSchema = async (more: object) => {
        const given = { title: slug, type: 'object', block_type_slug: slug, ...fields, ...more };
        const answer = await server.post('/block_schemas/', { fields: given, block_type_id: type.id });
        assert.equal(answer.status, 201);
        return answer.body.id as string;
      };
      return { slug, id: type.id as string, schema: await addSchema({}), addSchema };
    }

    test('a page of documents that are too large together is refused, and a smaller page is whole', async () => {
      const { slug, id, schema } = await newType();
      for (let index = 0; index < MANY; index++) {
        const document = { name: `d${index}`, data: { x: LARGE }, block_type_id: id, block_schema_id: schema };
        assert.equal((await server.post('/block_documents/', document)).status, 201);
      }
      const block_types = { slug: { any_: [slug] } };
      for (const refused of [
        await server.post('/block_documents/filter', { block_types }),
        await server.get(`/block_types/slug/${slug}/block_documents`),
      ]) {
        assert.equal(refused.status, 422);
        assert.match(refused.body.detail, /more than 16 MB.*smaller limit/);
      }
      const page = await server.post('/block_documents/filter', { block_types, limit: 5 });
      assert.equal(page.status, 200);
      assert.deepEqual(
        page.body.map((document: { data: { x: string } }) => document.data.x.length),
        Array(5).fill(LARGE.length),
      );
    });

    test('a page of schemas that are too large together is refused, and a smaller page is whole', async () => {
      const { id, addSchema } = await newType();
      for (let index = 0; index < MANY; index++) await addSchema({ description: `${index}${LARGE}` });
      const block_schemas = { block_type_id: { any_: [id] } };
      const refused = await server.post('/block_schemas/filter', { block_schemas });
      assert.equal(refused.status, 422);
      assert.match(refused.body.detail, /more than 16 MB/);
      const page = await server.post('/block_schemas/filter', { block_schemas, limit: 5 });
      assert.equal(page.status, 200);
      assert.equal(page.body.length, 5);
    });

    test('a document that would hold a large one many times is refused', async () => {
      const { id, schema } = await newType();
      const save = (data: object) =>
        server.post('/block_documents/', { name: `n${++names}`, data, block_type_id: id, block_schema_id: schema });
      const thrice = (inner: string) => {
        const reference = { $ref: { block_document_id: inner } };
        return { a: reference, b: reference, c: reference };
      };
      const one = (await save({ x: LARGE })).body.id;
      const three = (await save(thrice(one))).body.id;
      const nine = (await save(thrice(three))).body.id;
      const refused = await save(thrice((await save(thrice(nine))).body.id));
      assert.equal(refused.status, 422);
      assert.match(refused.body.detail, /more than 32 MB/);
    });
  });
}
