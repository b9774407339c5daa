import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { person, startPlatform } from '../../../../test/support/platform.ts';
import { databasesOfRun, type TestServer } from '../../../../test/support/server.ts';

const organization = '/organizations/default';

for (const database of databasesOfRun) {
  describe(`finding members and servers by name on ${database}`, () => {
    let server: TestServer;
    let admin: Awaited<ReturnType<typeof person>>;
    let member: Awaited<ReturnType<typeof person>>;
    before(async () => {
      ({ server, admin } = await startPlatform(database));
      member = await person(server, 'max_power@example.com', 'member');
      await person(server, 'maxxpower@example.com', 'member');
      for (const [slug, visibility] of [
        ['weather', 'discoverable'],
        ['weather-plans', 'concealed'],
      ]) {
        const external = { url: 'https://mcp.example.com/mcp' };
        const body = { slug, name: `${slug} of 100 %`, kind: 'external', visibility, external };
        const made = await admin.post(`${organization}/servers`, body);
        assert.equal(made.status, 201, made.text);
      }
    });
    after(() => server.stop());

    const names = async (who: typeof admin, list: string, query: string) => {
      const answer = await who.get(`${organization}/${list}?${query}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.items.map((one: { email?: string; slug?: string }) => one.email ?? one.slug);
    };

    test('a part of an address is found in either case, letter by letter', async () => {
      assert.deepEqual(await names(member, 'members', 'name=MAX_P'), ['max_power@example.com']);
      assert.equal((await names(member, 'members', 'name=max&limit=1')).length, 1);
      assert.deepEqual(await names(member, 'members', 'name=%25'), []);
      assert.ok((await names(member, 'members', '')).length >= 3);
    });

    test('a part of a name or slug finds the servers that the caller may see', async () => {
      assert.deepEqual(await names(admin, 'servers', 'name=weather'), ['weather', 'weather-plans']);
      assert.deepEqual(await names(member, 'servers', 'name=weather'), ['weather']);
      assert.deepEqual(await names(member, 'servers', 'name=100%20%25'), ['weather']);
      assert.deepEqual(await names(admin, 'servers', 'name=storm'), []);
    });

    test('a text that is too long is refused and named', async () => {
      const answer = await admin.get(`${organization}/members?name=${'x'.repeat(201)}`);
      assert.equal(answer.status, 422);
      assert.match(answer.text, /name/);
    });
  });
}
