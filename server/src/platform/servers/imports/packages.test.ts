import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ask, buildAll } from '../../../../test/support/hosted.ts';
import { type PlatformCaller, person } from '../../../../test/support/platform.ts';
import { databasesOfRun, startServer, type TestServer } from '../../../../test/support/server.ts';
import { archive } from '../../../../test/support/tar.ts';
import { programOnPath } from '../../../mcp/hosting/host/runner/bubblewrap.ts';

const ORGANIZATION = '/organizations/default';
const IMPORTS = `${ORGANIZATION}/server-imports`;
const VERSION = '1.2.3';
const SECRET = 'hunter2-and-more';

const npm = programOnPath('npm') === undefined ? 'npm is not installed' : false;
const python = programOnPath('python3') === undefined ? 'python3 is not installed' : false;

/** Answers `initialize` with its arguments and whether it has its variable. */
const NODE_PROGRAM = `#!/usr/bin/env node
const { createInterface } = require('node:readline');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method !== 'initialize') return;
  const serverInfo = { name: process.argv.slice(2).join(' '), version: String(process.env.TOKEN === '${SECRET}') };
  const result = { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});
`;

const MAKE_WHEEL = `
import sys, zipfile
program = '''
import json, os, sys
def main():
    for line in sys.stdin:
        message = json.loads(line)
        if message.get('method') != 'initialize': continue
        info = {'name': ' '.join(sys.argv[1:]), 'version': str(os.environ.get('TOKEN') == '${SECRET}').lower()}
        result = {'protocolVersion': message['params']['protocolVersion'], 'capabilities': {}, 'serverInfo': info}
        print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], 'result': result}), flush=True)
'''
info = 'Greeting_Server-${VERSION}.dist-info/'
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    wheel.writestr('greeting_server.py', program)
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: Greeting-Server\\nVersion: ${VERSION}\\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(info + 'entry_points.txt', '[console_scripts]\\ngreeting.server = greeting_server:main\\nother = greeting_server:main\\n')
    wheel.writestr(info + 'RECORD', 'greeting_server.py,,\\n')
`;
const WHEEL = `greeting_server-${VERSION}-py3-none-any.whl`;

/** One of each kind; some of them are never a variable of a program, because this server sets them. */
const READ_BY_TOOLS = [
  ...[
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'LD_AUDIT',
    'DYLD_INSERT_LIBRARIES',
    'GCONV_PATH',
    'PATH',
    'HOME',
    'SHELL',
    'ENV',
  ],
  ...['BASH_ENV', 'IFS', 'TMPDIR', 'XDG_CONFIG_HOME', 'NODE_OPTIONS', 'NODE_PATH', 'NODE_EXTRA_CA_CERTS'],
  ...['NODE_TLS_REJECT_UNAUTHORIZED', 'PYTHONPATH', 'PYTHONSTARTUP', 'PYTHONHOME', 'RUBYOPT', 'PERL5LIB', 'PERL5OPT'],
  ...['JAVA_TOOL_OPTIONS', '_JAVA_OPTIONS', 'npm_config_registry', 'npm_config__authToken', 'npm_config_script_shell'],
  ...[
    'YARN_REGISTRY',
    'PIP_INDEX_URL',
    'PIP_CONFIG_FILE',
    'PIP_TRUSTED_HOST',
    'UV_DEFAULT_INDEX',
    'UV_PYTHON',
    'GOPROXY',
  ],
  ...[
    'GOFLAGS',
    'CARGO_HOME',
    'RUSTC_WRAPPER',
    'CC',
    'CFLAGS',
    'GIT_SSH_COMMAND',
    'GIT_CONFIG_GLOBAL',
    'SSL_CERT_FILE',
  ],
  ...['REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'OPENSSL_CONF', 'HTTP_PROXY', 'https_proxy', 'ALL_PROXY', 'NO_PROXY'],
];

/** What a package.json may say of programs, by the name of its package. */
const PACKAGES: Readonly<Record<string, unknown>> = {
  '@example/greeting': { greeting: './bin/run.js', other: './bin/other.js' },
  single: './bin/run.js',
  several: { one: 'bin/run.js', two: 'bin/run.js' },
  none: undefined,
  outside: '../other/run.js',
};

function packageOf(name: string): Buffer {
  return archive([
    { path: 'package/package.json', content: JSON.stringify({ name, version: VERSION, bin: PACKAGES[name] }) },
    { path: 'package/bin/run.js', content: NODE_PROGRAM },
  ]);
}

/** A registry of npm and an index of PyPI. Source: the registry's API; PEP 503. */
function registryOf(wheel: Buffer): RequestListener {
  return ({ url = '', headers }, response) => {
    const path = decodeURIComponent(url);
    if (path.endsWith('.whl')) return void response.end(wheel);
    if (path.startsWith('/simple/')) {
      response.setHeader('content-type', 'text/html');
      return void response.end(`<!DOCTYPE html><html><body><a href="/${WHEEL}">${WHEEL}</a></body></html>`);
    }
    const name = path.slice(1).replace(/\.tgz$/, '');
    const bytes = packageOf(name);
    if (path.endsWith('.tgz')) return void response.end(bytes);
    const dist = {
      tarball: `http://${headers.host}/${name}.tgz`,
      integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
    };
    const versions = { [VERSION]: { name, version: VERSION, bin: PACKAGES[name], dist } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name, 'dist-tags': { latest: VERSION }, versions }));
  };
}

for (const database of databasesOfRun) {
  describe(`packages of registry files on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller;
    let folder: string;
    let registry: Server;
    let origin: string;
    before(async () => {
      server = await startServer({ database, config: { hosting: 'process', apiAuth: 'key' } });
      admin = await person(server, 'ada@example.com', 'admin');
      folder = await mkdtemp(join(tmpdir(), 'signalbox-packages-'));
      if (!python) execFileSync('python3', ['-c', MAKE_WHEEL, join(folder, WHEEL)]);
      registry = createServer(registryOf(python ? Buffer.alloc(0) : await readFile(join(folder, WHEEL))));
      await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
      origin = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
    });
    after(async () => {
      await server.stop();
      registry.close();
      await rm(folder, { recursive: true, force: true });
    });

    /** Where builds find the packages, and the secret of the program. */
    const variables = [
      { name: 'npm_config_registry' },
      { name: 'PIP_INDEX_URL' },
      { name: 'UV_DEFAULT_INDEX' },
      { name: 'TOKEN', description: 'Its key.', isRequired: true, isSecret: true },
    ];
    const entered = () => ({
      npm_config_registry: origin,
      PIP_INDEX_URL: `${origin}/simple`,
      UV_DEFAULT_INDEX: `${origin}/simple`,
      TOKEN: SECRET,
    });
    const fileOf = (...packages: object[]) => ({ name: 'com.example/greeting', title: 'Greeting', packages });
    const packaged = (registryType: string, identifier: string, more: object = {}) => ({
      registryType,
      identifier,
      version: VERSION,
      transport: { type: 'stdio' },
      environmentVariables: variables,
      ...more,
    });
    async function imported(slug: string, found: object, more: object = {}) {
      const given = { serverJson: fileOf(found), slug, environment: entered(), ...more };
      const { status, body, text } = await admin.post(IMPORTS, given);
      assert.equal(status, 201, text);
      await buildAll(server);
      const { items } = (await admin.get(`${ORGANIZATION}/servers/${slug}/builds`)).body;
      assert.equal(items.length, 1);
      return { server: body, build: items[0] };
    }
    async function greeting(id: string) {
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
      const upstream = await server.server.hosting.upstreamOf(id);
      const { body } = await ask(upstream, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
      return body.result.serverInfo;
    }
    const args = [
      { type: 'positional', value: 'serve' },
      { type: 'named', name: '--region', default: 'eu', choices: ['eu', 'us'] },
      { type: 'named', name: '--verbose', format: 'boolean', value: 'true' },
      { type: 'named', name: '--quiet', format: 'boolean', default: 'false' },
      { type: 'positional', valueHint: 'folder', isRequired: true },
      { type: 'positional', value: '{tenant}-a', variables: { tenant: {} } },
    ];

    test('a package of npm is built, started with its arguments and variables, and goes live', {
      skip: npm,
    }, async () => {
      const found = packaged('npm', '@example/greeting', {
        registryBaseUrl: 'https://registry.npmjs.org',
        packageArguments: args,
        runtimeArguments: [{ type: 'positional', value: '-y' }],
      });
      const oci = { registryType: 'oci', identifier: 'ghcr.io/example/greeting', transport: { type: 'stdio' } };
      const sse = { remotes: [{ type: 'sse', url: 'https://x.example/sse' }] };
      const { server: made, build } = await imported('scoped', found, {
        serverJson: { ...fileOf(oci, found), ...sse },
        arguments: { folder: '/srv/a b' },
        variables: { tenant: 't1' },
        defaultRole: 'viewer',
      });
      assert.deepEqual(
        [build.state, build.error, build.resolved],
        ['succeeded', null, { runtime: 'node', version: VERSION }],
      );
      assert.deepEqual(
        [made.kind, made.name, made.defaultRole, made.hosted.transport, made.external],
        ['hosted', 'Greeting', 'viewer', 'stdio', null],
      );
      assert.deepEqual(await greeting(made.id), { name: 'serve --region eu --verbose /srv/a b t1-a', version: 'true' });
      const kept = (await admin.get(`${ORGANIZATION}/servers/scoped/environment`)).body.items;
      assert.deepEqual(
        kept.map(({ name, sensitive }: { name: string; sensitive: boolean }) => [name, sensitive]).at(-1),
        ['TOKEN', true],
      );
      for (const path of ['servers/scoped/builds', 'servers/scoped/environment', 'audit', `servers/scoped`]) {
        assert.doesNotMatch((await admin.get(`${ORGANIZATION}/${path}`)).text, /hunter2/, path);
      }
    });

    test('the program of a package is the one with its name or the only one', { skip: npm }, async () => {
      const single = await imported('single', packaged('npm', 'single'));
      assert.equal(single.build.error, null);
      assert.deepEqual(await greeting(single.server.id), { name: '', version: 'true' });
      for (const [name, reason] of [
        ['several', /several programs, and none has its name: one, two\./],
        ['none', /no program to run/],
        ['outside', /not in the package/],
      ] as const) {
        const { build } = await imported(name, packaged('npm', name));
        assert.equal(build.state, 'failed', name);
        assert.match(build.error, reason);
      }
    });

    test('a package of PyPI is built and started the same way', { skip: python }, async () => {
      const { server: made, build } = await imported('python', packaged('pypi', 'Greeting-Server'));
      assert.deepEqual(
        [build.state, build.error, build.resolved],
        ['succeeded', null, { runtime: 'python', version: VERSION }],
      );
      assert.deepEqual(await greeting(made.id), { name: '', version: 'true' });
    });

    test('a file does not decide what is loaded or installed, and from where', async () => {
      const file = 'https://packages.example';
      const ways: Record<string, object> = {
        value: { value: file },
        default: { default: file },
        choices: { choices: [file], isRequired: true },
        'value, which is empty': { value: '' },
        'default, which is empty': { default: '' },
        'value, with a variable': { value: '{place}', variables: { place: { value: file } } },
        'value, with what is entered': { value: '{place}', variables: { place: { isRequired: true } } },
      };
      const refusal = async (name: string, said: object, more: object) => {
        const found = { ...packaged('npm', 'single'), environmentVariables: [{ name, ...said }] };
        const given = { serverJson: fileOf(found), slug: 'foreign', ...more };
        const { status, body, text } = await admin.post(IMPORTS, given);
        assert.equal(status, 422, `${name} ${JSON.stringify(said)}: ${text}`);
        const [{ field, message }] = body.error.details;
        assert.match(field, /^serverJson\.packages\.0\.environmentVariables\.0(\.(value|default|choices))?$/, text);
        assert.ok(message.includes(name), text);
      };
      const swapped = (name: string) => (name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase());
      for (const name of READ_BY_TOOLS) {
        const all = { environment: { [name]: file }, variables: { place: file } };
        for (const said of Object.values(ways)) await refusal(name, said, all);
        await refusal(swapped(name), { value: file }, {});
        await refusal(name, { default: file }, {});
      }
      for (const argument of ['-e', '--env', '--registry', '--index-url', '--node-options'].flatMap((flag) => [
        { type: 'named', name: flag, value: `LD_PRELOAD=${file}` },
        { type: 'positional', value: `${flag}=${file}` },
      ])) {
        const found = { ...packaged('npm', 'single'), runtimeArguments: [argument] };
        const { status, body } = await admin.post(IMPORTS, { serverJson: fileOf(found), slug: 'foreign' });
        assert.deepEqual([status, body.error?.code], [422, 'packages_not_supported']);
      }
      assert.equal((await admin.get(`${ORGANIZATION}/servers/foreign`)).status, 404);
    });

    test('a file sets the variables of its own program', async () => {
      const names = [
        'LOG_LEVEL',
        'GOOGLE_API_KEY',
        'GITHUB_TOKEN',
        'NODE_ENV',
        'PYTHONUNBUFFERED',
        'DATABASE_PATH',
        'SSH_HOST',
      ];
      const environmentVariables = names.map((name) => ({ name, value: 'of the file' }));
      const found = { ...packaged('npm', 'single'), environmentVariables };
      const { status, text } = await admin.post(IMPORTS, { serverJson: fileOf(found), slug: 'own-names' });
      assert.equal(status, 201, text);
      const { items } = (await admin.get(`${ORGANIZATION}/servers/own-names/environment`)).body;
      assert.deepEqual(items.map(({ name }: { name: string }) => name).sort(), names.sort());
      assert.equal((await admin.delete(`${ORGANIZATION}/servers/own-names`)).status, 204);
    });

    test('what cannot be hosted is refused with its reason, and leaves no server', async () => {
      const fine = packaged('npm', 'single');
      const secret = { type: 'named', name: '--key', isSecret: true };
      const reasons: [string, string, object, object?][] = [
        ['packages_not_supported', 'serverJson.packages.0', { ...fine, registryType: 'oci' }],
        ['packages_not_supported', 'serverJson.packages.0', { ...fine, registryBaseUrl: 'https://npm.example' }],
        ['packages_not_supported', 'serverJson.packages.0', { ...fine, transport: { type: 'streamable-http' } }],
        ['packages_not_supported', 'serverJson.packages.0.identifier', { ...fine, identifier: '--global' }],
        ['packages_not_supported', 'serverJson.packages.0.identifier', { ...fine, identifier: '../single' }],
        ['packages_not_supported', 'serverJson.packages.0.version', { ...fine, version: '^1.2.3' }],
        ['packages_not_supported', 'serverJson.packages.0.version', { ...fine, version: 'file:../other' }],
        ['packages_not_supported', 'serverJson.packages.0.packageArguments.0', { ...fine, packageArguments: [secret] }],
        [
          'packages_not_supported',
          'serverJson.packages.0.runtimeArguments.1',
          { ...fine, runtimeArguments: [{ value: '--yes' }, { type: 'named', name: '--package', value: 'other' }] },
        ],
        [
          'packages_not_supported',
          'serverJson.packages.0.environmentVariables.0',
          { ...fine, environmentVariables: [{ name: 'SIGNALBOX_TOKEN', value: 'x' }] },
        ],
        ['environment_missing', 'environment.TOKEN', fine, { environment: {} }],
        ['environment_unknown', 'environment.OTHER', fine, { environment: { TOKEN: 'x', OTHER: 'y' } }],
        ['argument_missing', 'arguments.folder', { ...fine, packageArguments: args }],
        ['argument_unknown', 'arguments.other', fine, { arguments: { other: 'x' } }],
        [
          'value_not_allowed',
          'arguments.--region',
          { ...fine, packageArguments: args },
          { arguments: { folder: '/', '--region': 'mars' } },
        ],
      ];
      for (const [code, field, found, more] of reasons) {
        const given = { serverJson: fileOf(found), slug: 'refused', environment: { TOKEN: SECRET }, ...more };
        const { status, body, text } = await admin.post(IMPORTS, given);
        assert.deepEqual([status, body.error?.code, body.error?.details[0].field], [422, code, field], text);
        assert.doesNotMatch(text, /hunter2/);
      }
      assert.equal((await admin.get(`${ORGANIZATION}/servers/refused`)).status, 404);
    });
  });
}
