import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { person } from '../../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { tables } from '../../database/tables/tables.ts';
import { createEncryption } from '../../encryption/encryption.ts';
import { Keyring } from '../../encryption/keyring.ts';
import { newId } from '../../values/id.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';
import { KEPT_SECONDS, type Rotating, rotateSecrets } from './rotate.ts';
import { secretColumns } from './stored-secrets.ts';

for (const database of databases) {
  describe(`rotating the encryption key on ${database}`, () => {
    let server: TestServer;
    let type: { id: string };
    let schema: { id: string };
    beforeEach(async () => {
      server = await startServer({ database });
      type = (await server.get('/block_types/slug/secret')).body;
      const filter = { block_schemas: { block_type_id: { any_: [type.id] } } };
      schema = (await server.post('/block_schemas/filter', filter)).body[0];
    });
    afterEach(() => server.stop());

    const store = async (value: string): Promise<string> => {
      const block = { name: `block-${newId()}`, data: { value }, block_type_id: type.id, block_schema_id: schema.id };
      const answer = await server.post('/block_documents/', block);
      assert.equal(answer.status, 201, answer.text);
      return answer.body.id;
    };
    /** One after the other: so many at once would wait for a connection, and on a busy machine too long. */
    const storeMany = async (count: number): Promise<string[]> => {
      const ids: string[] = [];
      while (ids.length < count) ids.push(await store(`secret ${ids.length}`));
      return ids;
    };
    const read = async (id: string) =>
      (await server.get(`/block_documents/${id}?include_secrets=true`)).body.data?.value as string | undefined;
    /** Acts like the command in its own process: it knows only the key file and the database. */
    const rotate = (more: Partial<Rotating> = {}, after = 0) => {
      const now = (): Timestamp => addSeconds(server.context().now, after);
      return rotateSecrets({
        store: server.server.store,
        keyring: new Keyring(server.server.config),
        clock: { now } as Rotating['clock'],
        onProgress: () => {},
        ...more,
      });
    };

    test('a running server reads text of the new key, writes with it, and the old key is removed', async () => {
      const ids = await storeMany(120);
      const [old] = new Keyring(server.server.config).all();
      const progress: number[] = [];
      const first = await rotate({ onProgress: (done) => progress.push(done) });
      assert.deepEqual(
        { ...first, keyId: '', kept: [] },
        { keyId: '', isNew: true, reencrypted: 121, unreadable: 0, retired: [], kept: [] },
      );
      assert.deepEqual(first.kept, [old?.id]);
      assert.deepEqual(progress, [50, 100, 120, 121]);
      for (const [index, id] of ids.entries()) assert.equal(await read(id), `secret ${index}`);
      const later = await store('written later');
      const second = await rotate({}, KEPT_SECONDS + 1);
      assert.deepEqual(second, {
        keyId: first.keyId,
        isNew: false,
        reencrypted: 0,
        unreadable: 0,
        retired: [old?.id],
        kept: [],
      });
      assert.equal(await read(later), 'written later');
      assert.equal(await read(ids[7] ?? ''), 'secret 7');
      const lines = readFileSync(join(server.server.config.home, 'encryption.key'), 'utf8').trim().split('\n');
      assert.equal(lines.length, 1);
    });

    test('credentials of MCP servers are encrypted again too', async () => {
      const admin = await person(server, 'ada@example.com', 'admin');
      const credential = { kind: 'bearer', secret: 'upstream-secret' };
      const external = { url: 'https://mcp.example/mcp', credential };
      const made = await admin.post('/organizations/default/servers', {
        name: 'S',
        slug: 's',
        kind: 'external',
        external,
      });
      assert.equal(made.status, 201, made.text);
      const { keyId } = await rotate();
      const [column] = secretColumns.filter(({ table }) => table === 'mcp_server');
      const rows = await server.server.store.platform
        .reads()
        .all(column!.next, { prefix: '', workspace_key: -1, id: '', limit: 9 });
      assert.deepEqual(
        rows.map(({ encrypted }) => encrypted.startsWith(`v2:${keyId}:`)),
        [true],
      );
      assert.ok(server.server.encryption.decrypt(rows[0]?.encrypted ?? '').includes('upstream-secret'));
    });

    test('a killed rotation continues with its key, and the old key stays until then', async () => {
      const ids = await storeMany(70);
      const [old] = new Keyring(server.server.config).all();
      const killed = rotate(
        {
          onProgress: () => {
            throw new Error('killed');
          },
        },
        0,
      );
      await assert.rejects(killed, /killed/);
      for (const [index, id] of ids.entries()) assert.equal(await read(id), `secret ${index}`);
      const rest = await rotate({}, KEPT_SECONDS + 1);
      assert.equal(rest.isNew, false);
      assert.equal(rest.reencrypted, 21);
      assert.deepEqual(rest.retired, [old?.id]);
      for (const [index, id] of ids.entries()) assert.equal(await read(id), `secret ${index}`);
      assert.equal((await rotate()).isNew, true, 'the next rotation makes a new key');
    });

    test('a concurrent change wins', async () => {
      const id = await store('before');
      const keyring = new Keyring(server.server.config);
      const { all } = keyring;
      let changed: Promise<unknown> | undefined;
      keyring.all = () => {
        changed ??= server.patch(`/block_documents/${id}`, { data: { value: 'changed' } });
        return all.call(keyring);
      };
      await rotate({ keyring });
      await changed;
      assert.equal(await read(id), 'changed');
    });

    test('two concurrent rotations make one key', async () => {
      const id = await store('kept');
      const both = await Promise.all([rotate(), rotate()]);
      assert.deepEqual(both.map(({ isNew }) => isNew).sort(), [false, true]);
      assert.equal(both[0]?.keyId, both[1]?.keyId);
      assert.equal(await read(id), 'kept');
    });

    test('text that no key decrypts is reported and left unchanged, and does not block the rest', async () => {
      const id = await store('lost');
      const foreign = createEncryption({ home: '', encryptionKey: Buffer.alloc(32, 7).toString('base64') }).encrypt(
        'lost',
      );
      const [column] = secretColumns;
      const context = server.context();
      await context.transaction(async (tx) => {
        const [row] = await tx.all(column!.next, { prefix: '', workspace_key: -1, id: '', limit: 1 });
        await tx.run(column!.replace, { ...row!, workspace_key: row!.workspace, replacement: foreign });
      });
      const { unreadable, reencrypted } = await rotate();
      assert.deepEqual([unreadable, reencrypted], [1, 1]);
      assert.equal((await server.get(`/block_documents/${id}?include_secrets=true`)).status, 500);
    });

    test('keys in the setting: the first encrypts everything again, and no key is made or removed', async () => {
      const [old] = new Keyring(server.server.config).all();
      const id = await store('by setting');
      const [oldText, newText] = [old!.bytes.toString('base64'), Buffer.alloc(32, 9).toString('base64')];
      const keyring = new Keyring({ home: '', encryptionKey: `${newText},${oldText}` });
      const rotation = await rotate({ keyring }, KEPT_SECONDS + 1);
      assert.deepEqual([rotation.isNew, rotation.reencrypted, rotation.retired], [false, 2, []]);
      assert.equal(await read(id), undefined, 'this server knows the old key only');
    });
  });
}

test('every column of encrypted text is rotated', () => {
  const encrypted = Object.entries(tables).flatMap(([table, columns]) =>
    Object.keys(columns)
      .filter((column) => column.startsWith('encrypted_'))
      .map((column) => `${table}.${column}`),
  );
  assert.deepEqual(
    encrypted.filter((name) => !secretColumns.some(({ table, column }) => `${table}.${column}` === name)),
    [],
  );
});
