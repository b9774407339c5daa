import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type PlatformCaller, person } from '../../../../test/support/platform.ts';
import { databasesOfRun, startServer, type TestServer } from '../../../../test/support/server.ts';
import { readConfig } from '../../../config.ts';
import type { ImportOffer } from './schema.ts';

const ORGANIZATION = '/organizations/default';
const SCHEMAS = 'https://static.modelcontextprotocol.io/schemas';
const STDIO = { type: 'stdio' };
const SECRET = 'hunter2-and-more';

/** What the list of builds says of the source of a package. */
const npm = (identifier: string, more: object = {}) => source('npm', identifier, more);
const pypi = (identifier: string, more: object = {}) => source('pypi', identifier, more);
const source = (registryType: string, identifier: string, more: object) => ({
  kind: 'package',
  registryType,
  identifier,
  version: null,
  extras: [],
  program: null,
  arguments: [],
  ...more,
});

for (const database of databasesOfRun) {
  describe(`files that a server is made from on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    before(async () => {
      const hostingCeilings = { ...readConfig({}, {}).hostingCeilings, queuedBuilds: 100 };
      server = await startServer({ database, config: { hosting: 'process', apiAuth: 'key', hostingCeilings } });
      admin = await person(server, 'ada@example.com', 'admin');
    });
    after(() => server.stop());

    const preview = (serverJson: unknown) => admin.post(`${ORGANIZATION}/server-import-preview`, { serverJson });
    const importing = (serverJson: unknown, more: object = {}) =>
      admin.post(`${ORGANIZATION}/server-imports`, { serverJson, ...more });
    async function imported(serverJson: unknown, more: object = {}) {
      const { status, body, text } = await importing(serverJson, more);
      assert.equal(status, 201, text);
      assert.doesNotMatch(text, /hunter2/);
      return body;
    }
    /** The source of the first build of a server. */
    async function sourceOf({ slug }: { slug: string }) {
      const { body } = await admin.get(`${ORGANIZATION}/servers/${slug}/builds`);
      return body.items[0].source;
    }
    const sourceFrom = async (file: unknown, more: object = {}) => sourceOf(await imported(file, more));
    async function offersIn(file: unknown): Promise<ImportOffer[]> {
      const { status, body, text } = await preview(file);
      assert.equal(status, 200, text);
      assert.doesNotMatch(text, /hunter2/);
      return body.servers;
    }
    async function refusal(file: unknown, more: object = {}): Promise<[string, string, string]> {
      const { status, body, text } = await importing(file, more);
      assert.equal(status, 422, text);
      const [{ field, message }] = body.error.details;
      return [body.error.code, field, message];
    }
    const packaged = (registryType: string, identifier: string, more: object = {}) => ({
      name: 'com.example/tool',
      packages: [{ registryType, identifier, version: '1.0.0', transport: STDIO, ...more }],
    });
    const words = (...list: string[]) => list.map((value) => ({ type: 'positional', value }));

    test('the answer of a registry is unwrapped, and its list as well', async () => {
      const one = {
        server: packaged('npm', '@example/tool'),
        _meta: { 'io.modelcontextprotocol.registry/official': { status: 'active' } },
      };
      const made = await imported(one);
      assert.deepEqual([made.slug, made.name, made.leftOut], ['tool', 'tool', ['_meta']]);
      assert.deepEqual(await sourceOf(made), npm('@example/tool', { version: '1.0.0' }));
      const list = { servers: [one, { server: packaged('pypi', 'other-tool') }], metadata: { count: 2 } };
      const [code, field, message] = await refusal(list);
      assert.deepEqual([code, field], ['server_not_chosen', 'from']);
      assert.match(message, /servers\.0\.server\.packages\.0, servers\.1\.server\.packages\.0/);
      const chosen = await imported(list, { from: 'servers.1.server.packages.0' });
      assert.deepEqual(await sourceOf(chosen), pypi('other-tool', { version: '1.0.0' }));
      assert.equal((await refusal(list, { from: 'servers.2' }))[0], 'server_unknown');
      const spoiled = { servers: [{ server: { name: 'com.example/empty' } }, 7, one] };
      assert.deepEqual(
        (await offersIn(spoiled)).map(({ from, problem }) => [from, problem?.code]),
        [
          ['servers.0', 'no_remote'],
          ['servers.1', 'validation_failed'],
          ['servers.2.server.packages.0', undefined],
        ],
      );
    });

    test('files of older schemas are read', async () => {
      const environment = [{ name: 'TOOL_KEY', is_required: true, is_secret: true }];
      const first = {
        $schema: `${SCHEMAS}/2025-07-09/server.schema.json`,
        name: 'com.example/first',
        website_url: 'https://example.com',
        packages: [
          {
            registry_type: 'npm',
            registry_base_url: 'https://registry.npmjs.org',
            identifier: '@example/first',
            version: '1.0.0',
            transport: STDIO,
            package_arguments: [{ type: 'positional', value_hint: 'folder', is_required: true }],
            environment_variables: environment,
          },
        ],
      };
      const [offer] = await offersIn(first);
      assert.deepEqual(
        offer?.questions.map(({ field, name, isRequired, isSecret }) => [field, name, isRequired, isSecret]),
        [
          ['environment', 'TOOL_KEY', true, true],
          ['arguments', 'folder', true, false],
        ],
      );
      assert.deepEqual(offer?.leftOut, ['websiteUrl']);
      const entered = { environment: { TOOL_KEY: SECRET }, arguments: { folder: '/srv' } };
      assert.deepEqual(
        await sourceFrom(first, entered),
        npm('@example/first', { version: '1.0.0', arguments: ['/srv'] }),
      );
      const oldest = {
        name: 'com.example/oldest',
        version_detail: { version: '0.9.0' },
        packages: [{ registry_name: 'pypi', name: 'oldest-tool', version: '0.9.0' }],
        remotes: [{ transport_type: 'sse', url: 'https://example.com/sse' }],
      };
      assert.deepEqual(await sourceFrom(oldest), pypi('oldest-tool', { version: '0.9.0' }));
      const remote = {
        name: 'com.example/far',
        remotes: [{ transport_type: 'streamable', url: 'https://example.com/m' }],
      };
      assert.deepEqual(
        (await offersIn(remote)).map(({ kind, problem }) => [kind, problem]),
        [['external', null]],
      );
      const other = { ...first, $schema: 'https://example.com/server.schema.json' };
      const [code, field] = await refusal(other);
      assert.deepEqual([code, field], ['schema_not_supported', 'serverJson.$schema']);
    });

    test('versions are taken in each spelling of their registry, and are exact or the newest', async () => {
      const cases: [string, string | undefined, string | null][] = [
        ['pypi', '0.0.1-beta.9', '0.0.1b9'],
        ['pypi', '1.0.0-rc.1', '1.0.0rc1'],
        ['pypi', 'v1.0.0', '1.0.0'],
        ['pypi', '1.0.post2.dev3', '1.0.post2.dev3'],
        ['pypi', '2!1.0.0.Alpha01+local-1', '2!1.0.0a1+local.1'],
        ['pypi', '1.0-1', '1.0.post1'],
        ['npm', 'v1.2.3', '1.2.3'],
        ['npm', '1.2.3-beta.4', '1.2.3-beta.4'],
        ['npm', undefined, null],
        ['npm', 'latest', null],
      ];
      for (const [registry, version, kept] of cases) {
        const found = await sourceFrom(packaged(registry, 'some-tool', { version }));
        assert.equal(found.version, kept, `${registry} ${version}`);
      }
      for (const [registry, version] of [
        ['npm', '^1.2.3'],
        ['npm', '1.2'],
        ['npm', 'next'],
        ['pypi', '>=1.0'],
        ['pypi', '1.0.0, <2'],
        ['pypi', 'file:../other'],
        ['pypi', `1${'.0'.repeat(5_000)}`],
      ] as const) {
        const [code, field] = await refusal(packaged(registry, 'some-tool', { version }));
        assert.ok(field.endsWith('version'), `${registry} ${version}: ${code} ${field}`);
      }
    });

    test('arguments of npx and uvx that name the package or its program are followed', async () => {
      const cases: [object, object][] = [
        [
          packaged('pypi', 'basic-memory', { runtimeHint: 'uvx', runtimeArguments: words('basic-memory', 'mcp') }),
          pypi('basic-memory', { version: '1.0.0', arguments: ['mcp'] }),
        ],
        [
          packaged('pypi', 'headroom-ai', {
            runtimeArguments: [{ type: 'named', name: '--from', value: 'headroom-ai[mcp,extra]' }],
            packageArguments: words('headroom', 'mcp', 'serve'),
          }),
          pypi('headroom-ai', {
            version: '1.0.0',
            extras: ['mcp', 'extra'],
            program: 'headroom',
            arguments: ['mcp', 'serve'],
          }),
        ],
        [
          packaged('npm', '@example/tool', { runtimeArguments: words('-y', '--package=@example/tool@1.0.0', 'run') }),
          npm('@example/tool', { version: '1.0.0', program: 'run' }),
        ],
        [packaged('npm', 'tool', { runtimeArguments: words('-y', 'tool') }), npm('tool', { version: '1.0.0' })],
      ];
      for (const [file, expected] of cases) assert.deepEqual(await sourceFrom(file), expected);
      for (const [given, message] of [
        [words('other-tool'), /another package/],
        [words('-y', '--registry=https://npm.example'), /no option --registry/],
        [[{ type: 'named', name: '--node-options', value: '--inspect' }], /no option --node-options/],
      ] as const) {
        const [code, field, said] = await refusal(packaged('npm', 'tool', { runtimeArguments: given }));
        assert.deepEqual(
          [code, field.startsWith('serverJson.packages.0.runtimeArguments.')],
          ['packages_not_supported', true],
        );
        assert.match(said, message);
      }
    });

    test('an argument that may be repeated stands there once for each value', async () => {
      const argument = { type: 'named', name: '--dir', isRequired: true, isRepeated: true };
      const rest = { type: 'positional', valueHint: 'file', isRepeated: true };
      const file = packaged('npm', 'files', { packageArguments: [argument, rest] });
      assert.deepEqual((await sourceFrom(file, { arguments: { '--dir': ['/a', '/b'], file: ['x', 'y'] } })).arguments, [
        '--dir',
        '/a',
        '--dir',
        '/b',
        'x',
        'y',
      ]);
      assert.deepEqual((await sourceFrom(file, { arguments: { '--dir': '/a' } })).arguments, ['--dir', '/a']);
      const once = packaged('npm', 'files', { packageArguments: [{ ...argument, isRepeated: false }] });
      const [code, field] = await refusal(once, { arguments: { '--dir': ['/a', '/b'] } });
      assert.deepEqual([code, field], ['value_not_allowed', 'arguments.--dir']);
    });

    test('a slug that is taken gets a number, and a name that everybody uses gets its owner', async () => {
      const file = (name: string) => ({ ...packaged('npm', 'x'), name });
      const slugs = [];
      for (const name of ['com.first/mcp', 'com.first/mcp', 'com.second/mcp', `com.long/${'a'.repeat(70)}`]) {
        slugs.push((await imported(file(name))).slug);
      }
      assert.deepEqual(slugs, ['first-mcp', 'first-mcp-2', 'second-mcp', 'a'.repeat(60)]);
      assert.equal((await imported(file(`com.long/${'a'.repeat(70)}`))).slug, `${'a'.repeat(54)}-2`);
      const many = await Promise.all(Array.from({ length: 4 }, () => imported(file('com.at-once/mcp'))));
      assert.equal(new Set(many.map(({ slug }) => slug)).size, 4);
    });

    test('every member of a file that has no effect is named', async () => {
      const file = {
        $schema: `${SCHEMAS}/2025-12-11/server.schema.json`,
        name: 'com.example/all',
        version: '1.0.0',
        repository: { url: 'https://example.com/r', source: 'git' },
        icons: [],
        remotes: [{ type: 'sse', url: 'https://example.com/sse' }],
        packages: [
          {
            ...packaged('npm', 'all').packages[0],
            fileSha256: 'x',
            transport: { ...STDIO, url: 'x' },
            environmentVariables: [{ name: 'A', mystery: 1, variables: { b: { other: 1 } } }],
          },
          packaged('pypi', 'all').packages[0],
        ],
      };
      const { leftOut } = await imported(file);
      assert.deepEqual(
        leftOut.sort(),
        [
          'icons',
          'packages.0.environmentVariables.0.mystery',
          'packages.0.environmentVariables.0.variables.b.other',
          'packages.0.fileSha256',
          'packages.0.transport.url',
          'packages.1',
          'remotes.0',
          'repository',
          'version',
        ].sort(),
      );
      const offers = await offersIn(file);
      assert.deepEqual(
        offers.map(({ from, kind, isFirstChoice, problem }) => [from, kind, isFirstChoice, problem?.code]),
        [
          ['remotes.0', 'external', false, 'transport_not_supported'],
          ['packages.0', 'hosted', true, undefined],
          ['packages.1', 'hosted', false, undefined],
        ],
      );
      assert.equal((await sourceFrom(file, { from: 'packages.1' })).registryType, 'pypi');
    });

    test('the settings of MCP clients are read, one server or many', async () => {
      const settings = {
        globalShortcut: '',
        mcpServers: {
          files: { command: 'npx', args: ['-y', '@example/files@2.0.1', '/srv/a b'], env: { FILES_TOKEN: SECRET } },
          git: {
            command: '/usr/local/bin/uvx',
            args: ['--from', 'git-tool[ssh]==1.0', 'git-tool', '--repository', '.'],
          },
          far: {
            type: 'http',
            url: 'https://example.com/mcp',
            headers: { Authorization: `Bearer ${SECRET}` },
            gallery: true,
          },
          events: { url: 'https://example.com/sse' },
          windows: { command: 'cmd', args: ['/c', 'npx', 'tool'], disabled: true },
          bridge: {
            command: 'npx.cmd',
            args: ['mcp-remote@latest', 'https://example.com/x', '--header', `X-Key:\${KEY}`, '--allow-http'],
            env: { KEY: SECRET },
          },
          image: { command: 'docker', args: ['run', '-i', 'example/tool'] },
          local: { command: 'node', args: ['/home/ada/server.js'] },
          range: { command: 'npx', args: ['tool@^1'] },
          ranged: { command: 'uvx', args: ['tool>=1'] },
          keyed: { command: 'npx', args: ['tool', '--api-key', SECRET] },
          database: { command: 'npx', args: ['tool', `postgresql://ada:${SECRET}@db.example/x`] },
        },
      };
      const offers = new Map((await offersIn(settings)).map((offer) => [offer.from.split('.').at(-1), offer]));
      assert.deepEqual(
        [...offers.values()].map(({ source, leftOut, problem }) => [source, leftOut, problem?.code]),
        [
          ['npm @example/files 2.0.1', [], undefined],
          ['pypi git-tool[ssh] 1.0', [], undefined],
          ['https://example.com/mcp', ['mcpServers.far.gallery'], undefined],
          ['https://example.com/sse', [], 'transport_not_supported'],
          ['npm tool newest', ['mcpServers.windows.disabled'], undefined],
          ['https://example.com/x', ['mcpServers.bridge.args.--allow-http'], undefined],
          ['', [], 'packages_not_supported'],
          ['', [], 'packages_not_supported'],
          ['npm tool ^1', [], 'packages_not_supported'],
          ['', [], 'packages_not_supported'],
          ['npm tool', [], 'packages_not_supported'],
          ['npm tool', [], 'packages_not_supported'],
        ],
      );
      assert.match(offers.get('image')?.problem?.message ?? '', /starts docker/);
      assert.match(offers.get('keyed')?.problem?.message ?? '', /is a secret/);
      assert.equal((await refusal(settings))[0], 'server_not_chosen');
      const files = await imported(settings, { from: 'mcpServers.files' });
      assert.deepEqual(await sourceOf(files), npm('@example/files', { version: '2.0.1', arguments: ['/srv/a b'] }));
      const kept = (await admin.get(`${ORGANIZATION}/servers/${files.slug}/environment`)).body.items;
      assert.deepEqual(
        kept.map(({ name, sensitive }: { name: string; sensitive: boolean }) => [name, sensitive]),
        [['FILES_TOKEN', true]],
      );
      assert.deepEqual(
        await sourceFrom(settings, { from: 'mcpServers.git' }),
        pypi('git-tool', { version: '1.0', extras: ['ssh'], program: 'git-tool', arguments: ['--repository', '.'] }),
      );
      const far = await imported(settings, { from: 'mcpServers.far' });
      assert.deepEqual(
        [far.slug, far.external.url, far.external.credential],
        ['far', 'https://example.com/mcp', { kind: 'bearer' }],
      );
      const bridge = await imported(settings, { from: 'mcpServers.bridge' });
      assert.deepEqual(
        [bridge.external.url, bridge.external.credential],
        ['https://example.com/x', { kind: 'header', name: 'X-Key' }],
      );
      assert.deepEqual(
        await sourceFrom({ mcpServers: { only: { command: 'uvx', args: ['only-tool'] } } }),
        pypi('only-tool'),
      );
      assert.deepEqual(
        await sourceFrom({ command: 'bunx', args: ['alone@1.0.0'] }),
        npm('alone', { version: '1.0.0' }),
      );
      const audit = (await admin.get(`${ORGANIZATION}/audit?limit=200`)).text;
      assert.doesNotMatch(audit, /hunter2/);
    });

    test('servers without the member around them, and an item that is not right, keep nothing else from being used', async () => {
      const bare = {
        exa: { url: 'https://exa.example/mcp', patience: 5 },
        other: { command: 'uvx', args: ['other-tool'] },
      };
      assert.deepEqual(
        (await offersIn(bare)).map(({ from, source, leftOut }) => [from, source, leftOut]),
        [
          ['exa', 'https://exa.example/mcp', ['exa.patience']],
          ['other', 'pypi other-tool newest', []],
        ],
      );
      const file = {
        ...packaged('npm', 'fine', { environment_variables: [{}] }),
        remotes: [{ type: 'streamable-http' }, 7, { transportType: 'streamable-http', url: 'https://x.example/m' }],
      };
      assert.deepEqual(
        (await offersIn(file)).map(({ from, isFirstChoice, problem }) => [from, isFirstChoice, problem?.field]),
        [
          ['remotes.0', false, 'serverJson.remotes.0.url'],
          ['remotes.1', false, 'serverJson.remotes.1'],
          ['remotes.2', true, undefined],
          ['packages.0', false, undefined],
        ],
      );
    });

    test('what the settings of a client leave open is asked for', async () => {
      const text = `{
        // The settings of an editor, as people write them.
        "inputs": [
          { "id": "api-key", "type": "promptString", "description": "The key // of the service", "password": true },
          { "id": "region", "type": "pickString", "options": ["eu", "us"], "default": "eu" },
        ],
        "servers": {
          "tool": {
            "type": "stdio", "command": "npx", "args": ["-y", "tool", "--region", "\${input:region}", "\${workspaceFolder}/x", "<folder>"],
            "env": { "TOOL_KEY": "\${input:api-key}", "TOOL_HOST": "\${TOOL_HOST:-localhost}", "TOOL_NOTE": "", "TOOL_USER": "YOUR_USER" },
          }, /* and
          no more */
        },
      }`;
      const [offer] = await offersIn(text);
      assert.deepEqual(
        offer?.questions.map((one) => [one.field, one.name, one.isRequired, one.isSecret, one.default, one.choices]),
        [
          ['variables', 'api-key', true, true, null, []],
          ['variables', 'TOOL_HOST', false, true, null, []],
          ['environment', 'TOOL_NOTE', false, true, null, []],
          ['environment', 'TOOL_USER', true, true, null, []],
          ['variables', 'region', false, false, 'eu', ['eu', 'us']],
          ['variables', 'workspaceFolder', true, false, null, []],
          ['arguments', '4', true, false, null, []],
        ],
      );
      const given = {
        variables: { 'api-key': SECRET, workspaceFolder: '/srv' },
        environment: { TOOL_USER: 'ada' },
        arguments: { 4: '/data' },
      };
      assert.deepEqual((await sourceFrom(text, given)).arguments, ['--region', 'eu', '/srv/x', '/data']);
      assert.deepEqual((await refusal(text)).slice(0, 2), ['variable_missing', 'variables.workspaceFolder']);
    });

    test('a hostile file costs little and is answered', async () => {
      const deep = `${'['.repeat(100_000)}`;
      for (const text of [deep, '/*'.repeat(100_000), '"\\'.repeat(100_000), ', '.repeat(100_000), '{"a":1']) {
        assert.equal((await importing(text)).status, 422);
        assert.equal((await preview(text)).status, 422);
      }
      for (const file of [null, 7, [], {}, { server: [] }, { server: { server: {} } }, { mcpServers: {} }]) {
        assert.equal((await preview(file)).status, 422, JSON.stringify(file));
      }
      for (const server of [
        {},
        { command: 7 },
        { url: 7 },
        { command: 'npx' },
        { command: '', args: 'x' },
        { args: [] },
      ]) {
        assert.equal((await importing({ mcpServers: { server } })).status, 422, JSON.stringify(server));
      }
      const many = Object.fromEntries(
        Array.from({ length: 200 }, (_, index) => [`s${index}`, { url: 'https://x.example' }]),
      );
      assert.equal((await preview({ mcpServers: many })).status, 422);
      const odd = {
        mcpServers: { __proto__: { command: 'npx', args: ['tool'] }, constructor: { url: 'https://x.example/m' } },
      };
      assert.equal((await preview(odd)).status, 200);
    });

    test('only administrators of the organization see what a file offers', async () => {
      const bob = await person(server, 'bob@example.com', 'member');
      const { status } = await bob.post(`${ORGANIZATION}/server-import-preview`, { serverJson: packaged('npm', 'x') });
      assert.equal(status, 403);
    });
  });
}
