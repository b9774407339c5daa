/** A caller with read access to a workspace gets none of its secrets, by any route. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { routes } from '../../src/app.ts';
import { maskSecrets } from '../../src/encryption/mask.ts';
import { type PlatformCaller, person } from '../support/platform.ts';
import { databases, startServer, type TestServer } from '../support/server.ts';

const SECRET = 'canary-4f1c9be2';

test('values are masked by their name, and templates, switches and other names are unchanged', () => {
  const given = {
    job_variables: {
      image: 'python:3.12',
      env: { LOG_LEVEL: SECRET, EMPTY: '', FROM_BLOCK: '{{ prefect.blocks.secret.x }}' },
      api_key: SECRET,
      dbPassword: SECRET,
      'registry-token': SECRET,
      connection_string: SECRET,
      credentials: { type: SECRET, inner: [SECRET] },
      url: `postgres://user:${SECRET}@db/x`,
      containers: [{ env: [{ name: 'A', value: SECRET }], args: ['--x'] }],
      pairs: [{ name: 'MY_TOKEN', value: SECRET }],
      auto_remove: true,
      cpu: 2,
      tokenizer: 'fast',
      passenger: 'ada',
    },
    parameters: { password: 'no job variable' },
  };
  const shown = JSON.parse(maskSecrets(JSON.stringify(given)));
  assert.ok(!JSON.stringify(shown).includes(SECRET), JSON.stringify(shown));
  assert.equal(shown.job_variables.env.FROM_BLOCK, '{{ prefect.blocks.secret.x }}');
  const { image, cpu, auto_remove, tokenizer, passenger, containers } = shown.job_variables;
  assert.deepEqual([image, cpu, auto_remove, tokenizer, passenger], ['python:3.12', 2, true, 'fast', 'ada']);
  assert.deepEqual(containers, [{ env: [{ name: 'A', value: '********' }], args: ['--x'] }]);
  assert.deepEqual(shown.parameters, given.parameters);
  const exact = '{"job_variables":{"b":1.0,"2":12345678901234567890,"1":[1e400]},"x":1.0}';
  assert.equal(maskSecrets(exact).replace('null', '1e400'), exact, 'numbers and order are unchanged');
});

for (const database of databases) {
  describe(`reading secrets on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    let hosted: string;
    let sockets: string;
    const keys: Record<string, string> = {};
    const ids: Record<string, string> = {};
    before(async () => {
      server = await startServer({ database });
      admin = await person(server, 'ada@example.com', 'admin');
      const made = (await admin.post('/organizations/default/workspaces', { name: 'w', handle: 'w' })).body;
      hosted = `/api/accounts/${made.organizationId}/workspaces/${made.id}`;
      for (const role of ['viewer', 'editor']) {
        const member = await person(server, `${role}@example.com`, 'member');
        await admin.put(`/organizations/default/workspaces/${made.id}/grants/${member.id}`, { role });
        keys[role] = member.key;
      }
      sockets = (await server.listen()).replace(/\/api$/, hosted);
      await fill();
    });
    after(() => server.stop());

    const ask = (role: string, method: string, path: string, body?: unknown) =>
      server.request(method, `${hosted}${path}`, body === undefined ? undefined : JSON.stringify(body), {
        authorization: `Bearer ${keys[role]}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      });
    const make = async (path: string, body: unknown) => {
      const answer = await ask('editor', 'POST', path, body);
      assert.ok(answer.status < 300, `${path}: ${answer.text}`);
      return answer.body;
    };
    const job_variables = { env: { PLAIN: SECRET }, password: SECRET, image: 'python' };

    async function fill() {
      const type = (await ask('editor', 'GET', '/block_types/slug/secret')).body;
      const schemas = await ask('editor', 'POST', '/block_schemas/filter', {
        block_schemas: { block_type_id: { any_: [type.id] } },
      });
      const block = await make('/block_documents/', {
        name: 'canary',
        data: { value: SECRET },
        block_type_id: type.id,
        block_schema_id: schemas.body[0].id,
      });
      const flow = await make('/flows/', { name: 'f' });
      await make('/work_pools/', {
        name: 'pool',
        type: 'process',
        base_job_template: {
          job_configuration: { env: '{{ env }}', token: SECRET },
          variables: {
            type: 'object',
            properties: {
              env: { type: 'object', default: { A: SECRET } },
              api_key: { type: 'string', default: SECRET },
              image: { type: 'string', default: 'python' },
            },
          },
        },
      });
      const deployment = await make('/deployments/', {
        name: 'd',
        flow_id: flow.id,
        work_pool_name: 'pool',
        job_variables,
        enforce_parameter_schema: false,
      });
      const run = await make(`/deployments/${deployment.id}/create_flow_run`, { job_variables });
      const automation = await make('/automations/', {
        name: 'a',
        trigger: { type: 'event', expect: ['x'], posture: 'Reactive', threshold: 1, within: 0 },
        actions: [{ type: 'run-deployment', source: 'selected', deployment_id: deployment.id, job_variables }],
      });
      Object.assign(ids, {
        block: block.id,
        flow: flow.id,
        deployment: deployment.id,
        run: run.id,
        automation: automation.id,
      });
      await emit();
    }

    async function emit() {
      const event = {
        occurred: new Date().toISOString(),
        event: 'canary',
        id: crypto.randomUUID(),
        resource: { 'prefect.resource.id': 'canary.1' },
        payload: { job_variables, access_token: SECRET },
      };
      const posted = await ask('editor', 'POST', '/events', [event]);
      assert.equal(posted.status, 204, posted.text);
    }

    test('no route that a viewer may read returns a secret, and an editor sees the stored value', async () => {
      const own = { id: '', block_type_slug: 'secret', slug: 'secret', name: 'pool', work_pool_name: 'pool' };
      const reads = routes.filter(({ permission }) => permission.endsWith(':read'));
      let shown = 0;
      for (const { method, path } of reads) {
        const candidates = path.includes('{id}') ? Object.values(ids) : [''];
        for (const id of candidates) {
          const address = path.replace(/\{(\w+)\}/g, (_, name: string) =>
            name === 'id'
              ? id
              : name === 'block_document_name'
                ? 'canary'
                : ((own as Record<string, string>)[name] ?? 'd'),
          );
          for (const query of ['', '?include_secrets=true']) {
            const body = method === 'POST' ? (query ? { include_secrets: true } : {}) : undefined;
            const answer = await ask('viewer', method, address + (method === 'POST' ? '' : query), body);
            assert.ok(!answer.text.includes(SECRET), `${method} ${address}${query}: ${answer.text}`);
            if (answer.text.includes('********')) shown++;
          }
        }
      }
      assert.ok(shown >= 10, `${shown} answers contain a masked value`);
      for (const path of [`/deployments/${ids['deployment']}`, `/flow_runs/${ids['run']}`]) {
        assert.deepEqual((await ask('editor', 'GET', path)).body.job_variables.env, { PLAIN: SECRET });
      }
    });

    test('include_secrets is refused to a viewer, and recorded for an editor', async () => {
      const asked = [
        ['GET', `/block_documents/${ids['block']}?include_secrets=true`, undefined],
        ['GET', '/block_types/slug/secret/block_documents?include_secrets=true', undefined],
        ['GET', '/block_types/slug/secret/block_documents/name/canary?include_secrets=true', undefined],
        ['POST', '/block_documents/filter', { include_secrets: true }],
      ] as const;
      for (const [method, path, body] of asked) {
        const refused = await ask('viewer', method, path, body);
        assert.equal(refused.status, 403, path);
        assert.match(refused.text, /requires the role editor/);
        const answer = await ask('editor', method, path, body);
        assert.ok(answer.text.includes(SECRET), path);
      }
      const audit = await admin.get('/organizations/default/audit?limit=20');
      const noted = audit.body.items.filter(({ action }: { action: string }) => action === 'secrets.read');
      assert.equal(noted.length, asked.length);
      assert.equal(noted[0].actorName, 'editor@example.com');
      assert.ok(JSON.stringify(noted[0]).includes(ids['block']!) && !JSON.stringify(noted).includes(SECRET));
    });

    test('the audit names each document that was read, nested ones too, and the address of the reader', async () => {
      const type = await make('/block_types/', { name: 'Outer', slug: 'outer' });
      const secret = (await ask('editor', 'GET', '/block_types/slug/secret')).body;
      const inner = (await ask('editor', 'GET', `/block_documents/${ids['block']}`)).body;
      const schema = await make('/block_schemas/', {
        block_type_id: type.id,
        capabilities: [],
        fields: {
          title: 'Outer',
          type: 'object',
          properties: { child: { $ref: '#/definitions/Secret' } },
          definitions: { Secret: inner.block_schema.fields },
          block_schema_references: {
            child: { block_type_slug: secret.slug, block_schema_checksum: inner.block_schema.checksum },
          },
        },
      });
      const document = (name: string, child: string) =>
        make('/block_documents/', {
          name,
          data: { child: { $ref: { block_document_id: child } } },
          block_type_id: type.id,
          block_schema_id: schema.id,
        });
      const outer = await document('outer', ids['block']!);
      const read = await ask('editor', 'GET', `/block_documents/${outer.id}?include_secrets=true`);
      assert.ok(read.text.includes(SECRET), read.text);
      const [newest] = (await admin.get('/organizations/default/audit?limit=1')).body.items;
      assert.equal(newest.action, 'secrets.read');
      assert.deepEqual(newest.details, { block_documents: [outer.id, ids['block']] });
      assert.equal(newest.address, '127.0.0.1');
    });

    test('a viewer gets no secret through a socket of events', async () => {
      const frames: Record<string, string> = {};
      for (const role of ['viewer', 'editor']) {
        const socket = new WebSocket(`${sockets}/events/out`, 'prefect', {
          headers: { authorization: `Bearer ${keys[role]}` },
        });
        await once(socket, 'open');
        socket.send('{"type":"auth","token":null}');
        await once(socket, 'message');
        const filter = { occurred: { since: '2025-01-01T00:00:00Z' }, event: { name: ['canary'] } };
        socket.send(JSON.stringify({ type: 'filter', filter }));
        socket.ping();
        await once(socket, 'pong');
        const next = once(socket, 'message');
        await emit();
        const [data] = (await next) as [Buffer];
        frames[role] = data.toString();
        socket.terminate();
      }
      assert.ok(frames['editor']?.includes(SECRET));
      assert.ok(frames['viewer']?.includes('"canary"') && !frames['viewer'].includes(SECRET));
    });
  });
}
