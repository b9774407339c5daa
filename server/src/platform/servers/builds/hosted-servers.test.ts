import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { isFullRun } from '../../../../test/support/full-run.ts';
import { ask, buildAll, hostedServer } from '../../../../test/support/hosted.ts';
import { type PlatformCaller, person } from '../../../../test/support/platform.ts';
import { type Answer, databasesOfRun, startServer, type TestServer } from '../../../../test/support/server.ts';
import { archive, sha256, type TarItem } from '../../../../test/support/tar.ts';
import { until } from '../../../../test/support/until.ts';
import { OutputLog } from '../../../mcp/hosting/host/output/output-log.ts';
import { findBubblewrap } from '../../../mcp/hosting/host/runner/bubblewrap.ts';
import { processOutput } from '../../../mcp/hosting/output/stored-output.ts';

/** Prints its version and token, and answers with its environment. */
const PROGRAM = (version: string) => `
import { createServer } from 'node:http';
console.log('version ${version}', process.env.TOKEN);
createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: {}, version: '${version}', env: process.env, cwd: process.cwd() }));
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

/** Once with each kind of process, where both work. */
const hosting = { sqlite: typeof findBubblewrap() === 'string' ? 'process' : 'sandbox', postgres: 'process' } as const;

const npm = isInstalled('npm') ? false : 'npm is not installed';

function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((place) => existsSync(join(place, program)));
}

for (const database of databasesOfRun) {
  describe(`builds of hosted servers, on ${database}`, () => {
    let server: TestServer;
    let folder: string;
    let admin: PlatformCaller;
    let editor: PlatformCaller;
    let viewer: PlatformCaller;
    let count = 0;
    /** Where the server listens. */
    let origin: string;
    before(async () => {
      server = await startServer({ database, config: { hosting: hosting[database], apiAuth: 'key' } });
      origin = new URL((await server.listen()).replace('ws', 'http')).origin;
      folder = await mkdtemp(join(tmpdir(), 'signalbox-sources-'));
      admin = await person(server, 'ada@example.com', 'admin');
      editor = await person(server, 'eve@example.com', 'member');
      viewer = await person(server, 'vic@example.com', 'member');
    });
    after(async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });

    async function made(): Promise<{ id: string; path: string }> {
      const slug = `hosted-${++count}`;
      const { status, body } = await admin.post('/organizations/default/servers', { slug, name: slug, kind: 'hosted' });
      assert.equal(status, 201, JSON.stringify(body));
      const path = `/organizations/default/servers/${slug}`;
      for (const [caller, role] of [
        [editor, 'editor'],
        [viewer, 'viewer'],
      ] as const) {
        const { id } = caller as PlatformCaller & { id: string };
        assert.equal((await admin.put(`${path}/grants/${id}`, { role })).status, 204);
      }
      return { id: body.id, path };
    }

    async function sourceFolder(files: Record<string, string>): Promise<string> {
      const path = join(folder, `source-${++count}`);
      await mkdir(path);
      for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
      return path;
    }

    /** Requests a build and waits for its end. */
    async function built(path: string, given: object, caller = admin): Promise<Answer['body']> {
      const asked = await caller.post(`${path}/builds`, given);
      assert.equal(asked.status, 201, asked.text);
      assert.equal(asked.body.state, 'queued');
      await buildAll(server);
      return (await caller.get(`${path}/builds/${asked.body.id}`)).body;
    }

    async function upload(path: string, bytes: Buffer): Promise<string> {
      const announced = await editor.post(`${path}/uploads`, {
        sizeBytes: bytes.length,
        checksumSha256: sha256(bytes),
      });
      assert.equal(announced.status, 201, announced.text);
      const { status, text } = await send(path, announced.body.id, bytes);
      assert.equal(status, 200, text);
      return announced.body.id;
    }
    const send = (path: string, id: string, bytes: Buffer) =>
      server.request('PUT', `/api/v0${path}/uploads/${id}`, bytes, {
        authorization: `Bearer ${editor.key}`,
        'content-type': 'application/gzip',
      });
    const call = async (id: string) =>
      (await ask(await server.server.hosting.upstreamOf(id), { jsonrpc: '2.0', id: 1, method: 'ping' })).body;
    const lines = async (path: string): Promise<string[]> =>
      (await editor.get(path)).body.items.map((line: { message: string }) => line.message);

    test('a folder is built, deployed and answers; a rollback restores the previous answers', async () => {
      const { id, path } = await made();
      const source = await sourceFolder({ 'index.mjs': PROGRAM('one') });
      const first = await built(path, { source: { kind: 'folder', path: source }, deploy: true });
      assert.deepEqual([first.state, first.error, first.resolved.runtime], ['succeeded', null, 'node']);
      assert.equal((await call(id)).version, 'one');
      await writeFile(join(source, 'index.mjs'), PROGRAM('two'));
      assert.equal((await call(id)).version, 'one', 'a finished build does not change');
      const second = await built(path, { source: { kind: 'folder', path: source } });
      assert.equal((await call(id)).version, 'one', 'a build alone changes nothing');
      const deployed = await editor.post(`${path}/deployments`, { buildId: second.id });
      assert.deepEqual([deployed.status, deployed.body.status], [201, 'live']);
      assert.equal((await call(id)).version, 'two');
      const again = await editor.post(`${path}/deployments`, { buildId: second.id });
      assert.deepEqual([again.status, again.body.error.code], [409, 'already_live']);
      const list = (await editor.get(`${path}/deployments`)).body.items;
      assert.deepEqual(
        list.map(({ buildId, status }: { buildId: string; status: string }) => [buildId, status]),
        [
          [second.id, 'live'],
          [first.id, 'superseded'],
        ],
      );
      const back = await editor.post(`${path}/deployments/${list[1].id}/rollback`);
      assert.deepEqual([back.status, back.body.buildId], [201, first.id]);
      assert.equal((await call(id)).version, 'one');
    });

    test('what fails after the commit of a build leaves the build as it is', async () => {
      const { id, path } = await made();
      const source = await sourceFolder({ 'index.mjs': PROGRAM('whole') });
      let isCommitted = false;
      server.server.hub.hear('servers', id, (change) => {
        if (change === 'deployment') isCommitted = true;
      });
      const unlisten = server.server.hub.hear('activity', id, () => {
        if (isCommitted) throw new Error('planted');
      });
      const build = await built(path, { source: { kind: 'folder', path: source }, deploy: true });
      unlisten();
      assert.deepEqual([isCommitted, build.state, build.error], [true, 'succeeded', null]);
      assert.equal((await call(id)).version, 'whole');
    });

    test('a command runs unchanged, split into words without a shell', async () => {
      const { id, path } = await made();
      await writeFile(join(folder, 'program.mjs'), PROGRAM('command'));
      // A server in this process may have set the umask.
      await chmod(join(folder, 'program.mjs'), 0o644);
      const command = `'${process.execPath}' program.mjs "$HOME;" a\\ b`;
      const source = { kind: 'command', command, workingDirectory: folder };
      if (process.getuid?.() === 0 && hosting[database] === 'sandbox') {
        // The program's user is not root.
        const { state, error } = await built(path, { source, deploy: true });
        assert.equal(state, 'failed');
        assert.match(error, /The program's user cannot enter its folder: EACCES/);
        await chmod(folder, 0o755);
      }
      const build = await built(path, { source, deploy: true });
      assert.deepEqual(build.source.command, [process.execPath, 'program.mjs', '$HOME;', 'a b']);
      assert.equal((await call(id)).version, 'command');
    });

    test('a program that does not start or answer is not deployed: the previous one stays, and the build gives the reason', async () => {
      const { id, path } = await made();
      const good = await sourceFolder({ 'index.mjs': PROGRAM('works') });
      await built(path, { source: { kind: 'folder', path: good }, deploy: true });
      await editor.put(`${path}/environment/TOKEN`, { value: 'hunter2-and-more' });
      const crash = `console.error('no database at', process.env.TOKEN); process.exit(3);`;
      const other = `import { createServer } from 'node:http';
        createServer((_, response) => response.end('welcome')).listen(Number(process.env.PORT), '127.0.0.1');`;
      for (const [code, expected] of [
        [crash, /^The build was not deployed\. .*exited with status 3\. It printed:\nno database at \[secret\]$/],
        [other, /^The build was not deployed\. The server did not answer initialize with a valid result/],
      ] as const) {
        const source = { kind: 'folder', path: await sourceFolder({ 'index.mjs': code }) };
        const { state, error } = await built(path, { source, deploy: true });
        assert.equal(state, 'failed');
        assert.match(error, expected);
        assert.equal((await call(id)).version, 'works');
        const alone = await built(path, { source });
        assert.equal(alone.state, 'succeeded', 'a build that is not to be deployed is not tried');
        const refused = await editor.post(`${path}/deployments`, { buildId: alone.id });
        assert.deepEqual([refused.status, refused.body.error.code], [409, 'does_not_start']);
        assert.doesNotMatch(refused.text, /hunter2/);
        assert.equal((await call(id)).version, 'works');
      }
      const first = await made();
      const source = { kind: 'folder', path: await sourceFolder({ 'index.mjs': crash }) };
      assert.equal((await built(first.path, { source, deploy: true })).state, 'failed');
      assert.deepEqual((await editor.get(`${first.path}/deployments`)).body.items, []);
    });

    test('a failed build gives the reason and does not affect the live one', async () => {
      const { id, path } = await made();
      const good = await sourceFolder({ 'index.mjs': PROGRAM('good') });
      await built(path, { source: { kind: 'folder', path: good }, deploy: true });
      const failures: [object, RegExp][] = [
        [{ source: { kind: 'folder', path: join(folder, 'missing') } }, /is not a folder on this machine/],
        [{ source: { kind: 'folder', path: await sourceFolder({}) } }, /no known entry point/],
        [{ source: { kind: 'folder', path: good }, entrypoint: 'other.mjs' }, /no file other\.mjs/],
        [
          { source: { kind: 'folder', path: await sourceFolder({ 'package.json': '{' }) } },
          /package\.json is not JSON/,
        ],
      ];
      for (const [given, reason] of failures) {
        const { id: failed, state, error } = await built(path, { ...given, deploy: true });
        assert.equal(state, 'failed');
        assert.match(error, reason);
        assert.ok((await lines(`${path}/builds/${failed}/logs`)).includes(error));
        const refused = await editor.post(`${path}/deployments`, { buildId: failed });
        assert.deepEqual([refused.status, refused.body.error.code], [409, 'build_not_succeeded']);
      }
      assert.equal((await call(id)).version, 'good');
      assert.equal((await readdir(join(server.server.config.home, 'hosting', 'servers', id))).length, 1);
    });

    test('an archive is uploaded, checked and built', async () => {
      const { id, path } = await made();
      const bytes = archive([
        { path: './', type: '5' },
        { path: './src/server.mjs', content: `export { version } from './version.mjs';${PROGRAM('archive')}` },
        { path: './src/version.mjs', type: '2', target: '../version.mjs' },
        { path: './version.mjs', content: 'export const version = 1;' },
      ]);
      const announced = await editor.post(`${path}/uploads`, {
        sizeBytes: bytes.length,
        checksumSha256: sha256(bytes),
      });
      const early = await editor.post(`${path}/builds`, { source: { kind: 'archive', uploadId: announced.body.id } });
      assert.equal(early.status, 422);
      const wrong = Buffer.from(bytes);
      wrong[20] = (wrong[20] ?? 0) ^ 1;
      assert.equal((await send(path, announced.body.id, wrong)).status, 422);
      assert.equal((await send(path, announced.body.id, bytes.subarray(1))).status, 422);
      assert.equal((await send(path, announced.body.id, bytes)).body.stored, true);
      assert.equal((await send(path, announced.body.id, bytes)).body.error.code, 'already_stored');
      const source = { kind: 'archive', uploadId: announced.body.id };
      const build = await built(path, { source, entrypoint: 'src/server.mjs', deploy: true }, editor);
      assert.deepEqual([build.state, build.error], ['succeeded', null]);
      assert.equal((await call(id)).version, 'archive');
      const other = await made();
      const stolen = await editor.post(`${other.path}/builds`, { source });
      assert.equal(stolen.status, 422, 'an upload belongs to one server');
    });

    test('a malicious archive is refused, and writes nothing outside', async () => {
      const { id, path } = await made();
      const outside = join(server.server.config.home, 'hosting', 'servers', id, 'outside');
      const traps: [string, readonly TarItem[] | Buffer, RegExp][] = [
        ['absolute', [{ path: outside, content: 'x' }], /absolute/],
        ['parent', [{ path: '../../outside', content: 'x' }], /leaves the archive/],
        ['hidden parent', [{ path: 'a/../../../outside', content: 'x' }], /leaves the archive/],
        ['link out', [{ path: 'a', type: '2', target: '/etc' }], /link/],
        ['link up', [{ path: 'a', type: '2', target: '../..' }], /link/],
        [
          'chain of links',
          [
            { path: 'b/', type: '5' },
            { path: 'x', type: '2', target: 'b' },
            { path: 'y', type: '2', target: 'x/../..' },
          ],
          /link/,
        ],
        [
          'file through a link',
          [
            { path: 'a', type: '2', target: '../..' },
            { path: 'a/outside', content: 'x' },
          ],
          /link/,
        ],
        ['hard link', [{ path: 'a', type: '1', target: '/etc/passwd' }], /not a file, folder/],
        ['device', [{ path: 'a', type: '3' }], /not a file, folder/],
        [
          'file and folder',
          [
            { path: 'a', content: 'x' },
            { path: 'a/b', content: 'x' },
          ],
          /as a file and as a folder/,
        ],
        ['bomb', [{ path: 'a', content: Buffer.alloc(64_000_000) }], /too large when unpacked/],
        ['no archive', Buffer.from('not gzip at all'), /not a gzip archive/],
        [
          'cut short',
          archive([{ path: 'a', content: Buffer.from(crypto.getRandomValues(new Uint8Array(9000))) }]).subarray(
            0,
            5000,
          ),
          /not a gzip archive/,
        ],
        ['no tar', gzipSync('no tar at all'.repeat(100)), /not a tar archive/],
      ];
      for (const [name, items, reason] of traps) {
        const bytes = Buffer.isBuffer(items) ? items : archive(items as TarItem[]);
        const source = { kind: 'archive', uploadId: await upload(path, bytes) };
        const { state, error } = await built(path, { source, entrypoint: 'a.mjs' }, editor);
        assert.equal(state, 'failed', name);
        assert.match(error, reason, name);
        assert.ok(!existsSync(outside), name);
      }
    });

    test('a commit of a Git repository is built, and the process knows which', async () => {
      const { id, path } = await made();
      const repository = await sourceFolder({ 'index.mjs': PROGRAM('git') });
      const git = (...given: string[]) =>
        execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...given], {
          cwd: repository,
          encoding: 'utf8',
        }).trim();
      git('init', '--quiet');
      git('add', '.');
      git('commit', '--quiet', '--message', 'first');
      const commit = git('rev-parse', 'HEAD');
      const source = { kind: 'git', repository: `file://${repository}`, commit };
      const build = await built(path, { source, deploy: true });
      assert.deepEqual([build.state, build.error, build.resolved.commit], ['succeeded', null, commit]);
      const { version, env } = await call(id);
      assert.deepEqual([version, env.SIGNALBOX_GIT_COMMIT], ['git', commit]);
      git('tag', '--annotate', '--message', 'one', 'v1');
      git('branch', 'next/step');
      git('branch', 'twice');
      git('tag', 'twice');
      const named = { kind: 'git', repository: source.repository };
      for (const ref of ['v1', 'next/step', 'refs/tags/twice']) {
        const { state, error, resolved } = await built(path, { source: { ...named, ref } });
        assert.deepEqual([state, error, resolved?.commit, resolved?.ref], ['succeeded', null, commit, ref]);
      }
      for (const [given, expected] of [
        [
          { ...named, ref: 'twice' },
          /^"twice" is both a branch and a tag\. Use refs\/heads\/twice or refs\/tags\/twice\.$/,
        ],
        [{ ...named, ref: 'gone' }, /^The repository has no branch and no tag "gone"\.$/],
        [{ ...named, commit: 'a'.repeat(40) }, /^The repository has no commit a{40}, or does not serve it\.$/],
        [
          { ...named, repository: `file://${folder}/none`, ref: 'v1' },
          /^file:.*none is not reachable, not a Git repository, or/,
        ],
      ] as const) {
        const { state, error } = await built(path, { source: given });
        assert.equal(state, 'failed');
        assert.match(error, expected);
      }
      const elsewhere = await built(path, { source: { ...named, ref: 'v1' }, entrypoint: 'src/main.py' });
      assert.equal(elsewhere.error, 'The source has no file src/main.py.');
      for (const target of ['https://169.254.169.254/a.git', 'https://[fe80::1]/a.git']) {
        const { state, error } = await built(path, { source: { kind: 'git', repository: target, commit } });
        assert.equal(state, 'failed');
        assert.match(error, /where nothing is sent/, target);
      }
    });

    test('a repository with links, submodules, filters, hooks and odd names brings in its files and nothing else', async () => {
      const { id, path } = await made();
      const repository = await sourceFolder({ 'index.mjs': PROGRAM('git'), large: 'pointer' });
      const git = (input: string, ...given: string[]) =>
        execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...given], {
          cwd: repository,
          encoding: 'utf8',
          input,
          // Without the filters of an installed Git LFS.
          env: { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
        }).trim();
      const run = `sh -c 'echo caught >&2; touch ${repository}/caught; cat'`;
      await writeFile(join(repository, '.gitattributes'), 'large filter=lfs diff=lfs\nindex.mjs filter=evil\n');
      await writeFile(join(repository, '.lfsconfig'), `[lfs]\n url = file://${repository}\n`);
      git('', 'init', '--quiet', '--initial-branch=main');
      git('', 'add', '.');
      git('', 'commit', '--quiet', '--message', 'first');
      const first = git('', 'rev-parse', 'HEAD');
      const add = (mode: string, object: string, name: string) =>
        git('', 'update-index', '--add', '--cacheinfo', `${mode},${object},${name}`);
      const blob = (text: string) => git(text, 'hash-object', '-w', '--stdin');
      const modules = ['file:///etc', `ext::${run}`, '-u./evil', '../../../../etc'];
      const section = (url: string, index: number) =>
        `[submodule "m${index}"]\n path = m${index}\n url = ${url}\n update = !${run}\n fetchRecurseSubmodules = true\n`;
      add('100644', blob(modules.map(section).join('')), '.gitmodules');
      for (const index of modules.keys()) add('160000', first, `m${index}`);
      add('120000', blob('/etc/passwd'), 'out');
      add('120000', blob('../../../../encryption.key'), 'key');
      add('120000', blob('.git/hooks'), 'hooks');
      add('100755', blob(`#!/bin/sh\n${run}\n`), 'post-checkout');
      git('', 'commit', '--quiet', '--message', 'hostile');
      git('', 'update-ref', 'refs/heads/--upload-pack=id', 'HEAD');
      for (const [name, value] of [
        ['uploadpack.packObjectsHook', run],
        ['uploadpack.allowFilter', 'true'],
        ['filter.evil.smudge', run],
        ['filter.lfs.smudge', run],
        ['core.fsmonitor', run],
        ['core.sshCommand', run],
        ['core.alternateRefsCommand', run],
        ['core.hooksPath', repository],
      ] as const) {
        git('', 'config', name, value);
      }
      const source = { kind: 'git', repository: `file://${repository}`, ref: 'refs/heads/--upload-pack=id' };
      const { id: build, state, error } = await built(path, { source });
      assert.deepEqual([state, error], ['succeeded', null]);
      const place = join(server.server.config.home, 'hosting/servers', id, build, 'source');
      const texts = { large: 'pointer', out: '/etc/passwd', key: '../../../../encryption.key', hooks: '.git/hooks' };
      for (const [name, text] of Object.entries(texts)) {
        assert.ok(lstatSync(join(place, name)).isFile(), name);
        assert.equal(readFileSync(join(place, name), 'utf8'), text, name);
      }
      for (const index of modules.keys()) assert.deepEqual(readdirSync(join(place, `m${index}`)), []);
      assert.ok(!existsSync(join(place, '.git')) && !existsSync(join(repository, 'caught')));
      const said = await lines(`${path}/builds/${build}/logs`);
      assert.ok(!said.some((line) => line === 'caught'), said.join(' | '));
      // Git itself refuses a link in the place of this file.
      const tree = `${git('', 'ls-tree', first)}\n120000 blob ${blob('/etc/passwd')}\t.gitmodules\n`;
      const linked = git('', 'commit-tree', '-m', 'linked', git(tree, 'mktree'));
      git('', 'update-ref', 'refs/heads/linked', linked);
      const refused = await built(path, { source: { ...source, ref: 'linked' } });
      assert.equal(refused.state, 'failed');
      assert.match(refused.error, /^git exited with status \d+\.$/);
    });

    test('a commit with folders too deep is refused before it is checked out', async () => {
      const { path } = await made();
      const repository = await sourceFolder({ 'index.mjs': PROGRAM('git') });
      const deep = join(repository, ...Array.from({ length: 102 }, () => 'd'));
      await mkdir(deep, { recursive: true });
      await writeFile(join(deep, 'file'), 'x');
      const git = (...given: string[]) =>
        execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...given], {
          cwd: repository,
          encoding: 'utf8',
        }).trim();
      git('init', '--quiet');
      git('add', '.');
      git('commit', '--quiet', '--message', 'deep');
      const source = { kind: 'git', repository: `file://${repository}`, commit: git('rev-parse', 'HEAD') };
      const { state, error } = await built(path, { source });
      const reason = 'The commit contains folders more than 100 deep, which is the limit of a source.';
      assert.deepEqual([state, error], ['failed', reason]);
    });

    const folders = (count: number, depth: number) =>
      Array.from({ length: count }, (_, index) => ({ path: `${index}/${'d/'.repeat(depth)}`, type: '5' }));
    // Fifty thousand folders keep the disk busy for half a minute.
    const tooMany = isFullRun ? [[1100, 46, 'more than 50000 files, folders and links'] as const] : [];
    for (const [count, depth, what] of [[1, 120, 'folders more than 100 deep'] as const, ...tooMany]) {
      test(`an archive with ${what} fails with the limit`, async () => {
        const { path } = await made();
        const source = { kind: 'archive', uploadId: await upload(path, archive(folders(count, depth))) };
        const { state, error } = await built(path, { source, entrypoint: 'a.mjs' }, editor);
        assert.deepEqual([state, error], ['failed', `The archive contains ${what}, which is the limit of a source.`]);
      });
    }

    test('packages that a Node source needs are installed, without running their scripts', { skip: npm }, async () => {
      const { id, path } = await made();
      const marker = join(folder, 'script-ran');
      const source = await sourceFolder({
        'index.mjs': `import { word } from 'local';${PROGRAM('packages').replace("version: 'packages'", 'version: word')}`,
        'package.json': JSON.stringify({
          dependencies: { local: 'file:./local' },
          scripts: { postinstall: `touch ${marker}` },
        }),
      });
      await mkdir(join(source, 'local'));
      const scripts = { install: `touch ${marker}` };
      const local = { name: 'local', version: '1.0.0', type: 'module', exports: './index.js', scripts };
      await writeFile(join(source, 'local', 'package.json'), JSON.stringify(local));
      await writeFile(join(source, 'local', 'index.js'), "export const word = 'installed';");
      const build = await built(path, { source: { kind: 'folder', path: source }, deploy: true });
      assert.deepEqual([build.state, build.error], ['succeeded', null]);
      assert.equal((await call(id)).version, 'installed');
      assert.ok(!existsSync(marker));
    });

    test('more than the operator allows is refused with the name of the setting, and changes nothing', async () => {
      const { path } = await made();
      for (const [field, value, setting] of [
        ['memoryMegabytes', 4097, 'SIGNALBOX_HOSTING_MAX_MEMORY_MB'],
        ['diskMegabytes', 8193, 'SIGNALBOX_HOSTING_MAX_DISK_MB'],
        ['maxProcesses', 101, 'SIGNALBOX_HOSTING_MAX_PROCESSES'],
      ] as const) {
        const { status, text } = await editor.patch(path, { hosted: { [field]: value } });
        assert.equal(status, 422, field);
        assert.ok(text.includes(setting) && text.includes(`"hosted.${field}"`), text);
        assert.equal((await editor.patch(path, { hosted: { [field]: value - 1 } })).status, 200);
      }
      const { hosted } = (await admin.get(path)).body;
      assert.deepEqual([hosted.memoryMegabytes, hosted.diskMegabytes, hosted.maxProcesses], [4096, 8192, 100]);
    });

    test('an error in a build request names the field', async () => {
      const { path } = await made();
      const commit = 'a'.repeat(40);
      for (const [given, field] of [
        [{}, /source/],
        [{ source: { kind: 'git', repository: 'http://example.com/a.git', commit } }, /repository/],
        [{ source: { kind: 'git', repository: 'https://example.com/a.git' } }, /ref/],
        [{ source: { kind: 'git', repository: 'https://example.com/a.git', commit, ref: 'main' } }, /ref/],
        [{ source: { kind: 'git', repository: 'https://example.com/a.git', ref: '--upload-pack=id' } }, /ref/],
        [{ source: { kind: 'git', repository: 'https://example.com/a.git', ref: 'refs/pull/1/head' } }, /ref/],
        [{ source: { kind: 'git', repository: 'https://example.com/a.git', ref: 'a..b' } }, /ref/],
        [{ source: { kind: 'git', repository: 'https://ada:pw@example.com/a.git', commit } }, /repository/],
        [{ source: { kind: 'git', repository: 'ext::sh -c id', commit } }, /repository/],
        [{ source: { kind: 'git', repository: 'https://example.com/a.git', commit: '--upload-pack=id' } }, /commit/],
        [{ source: { kind: 'command', command: "unclosed '" } }, /command/],
        [{ source: { kind: 'package', registryType: 'npm', identifier: 'x', version: '^1.0.0' } }, /version/],
        [{ source: { kind: 'package', registryType: 'npm', identifier: '@x', version: '1.0.0' } }, /identifier/],
        [{ source: { kind: 'package', registryType: 'pypi', identifier: 'x[all]', version: '1.0' } }, /identifier/],
        [{ source: { kind: 'package', registryType: 'pypi', identifier: 'x', version: '1.*' } }, /version/],
        [{ source: { kind: 'package', registryType: 'oci', identifier: 'x', version: '1.0.0' } }, /registryType/],
        [{ source: { kind: 'folder', path: 'relative' } }, /path/],
        [{ source: { kind: 'folder', path: '/tmp' }, entrypoint: '../main.py' }, /entrypoint/],
        [{ source: { kind: 'folder', path: '/tmp' }, entrypoint: '-c.py' }, /entrypoint/],
        [{ source: { kind: 'folder', path: '/tmp' }, dependencyPath: '/etc/passwd' }, /dependencyPath/],
      ] as const) {
        const { status, body } = await admin.post(`${path}/builds`, given);
        assert.equal(status, 422, JSON.stringify(given));
        assert.match(JSON.stringify(body.error.details), field);
        assert.doesNotMatch(JSON.stringify(body), /pw@/);
      }
    });

    test('variables reach processes and builds, and sensitive values are never returned', async () => {
      const { id, path } = await made();
      const secret = 'hunter2-and-more';
      const set = await editor.put(`${path}/environment/TOKEN`, { value: secret });
      assert.deepEqual([set.status, set.body.sensitive], [200, true]);
      await editor.put(`${path}/environment/REGION`, { value: 'eu', sensitive: false, description: 'where' });
      const source = { kind: 'folder', path: await sourceFolder({ 'index.mjs': PROGRAM('variables') }) };
      await built(path, { source, deploy: true });
      const { env } = await call(id);
      assert.deepEqual([env.TOKEN, env.REGION], [secret, 'eu']);
      assert.equal((await editor.get(`${path}/environment/REGION`)).body.value, 'eu');
      assert.equal((await editor.get(`${path}/environment/TOKEN`)).body.value, null);
      await until('the output is stored', async () =>
        (await lines(`${path}/process-logs`)).includes('version variables [secret]'),
      );
      const told = await Promise.all(
        ['environment', 'environment/TOKEN', 'builds', 'process-logs', 'process', 'deployments'].map((name) =>
          editor.get(`${path}/${name}`),
        ),
      );
      told.push(await admin.get('/organizations/default/audit'));
      for (const { status, text } of told) {
        assert.equal(status, 200);
        assert.ok(!text.includes(secret));
      }
      assert.deepEqual(
        told[0]?.body.items.map(({ name, value }: { name: string; value?: string }) => [name, value]),
        [
          ['TOKEN', undefined],
          ['REGION', undefined],
        ],
      );
      await editor.put(`${path}/environment/REGION`, { value: 'us', sensitive: false });
      assert.equal((await call(id)).env.REGION, 'us', 'the process is replaced');
      assert.equal((await editor.delete(`${path}/environment/REGION`)).status, 204);
      assert.equal((await call(id)).env.REGION, undefined);
      for (const name of ['SIGNALBOX_API_AUTH', 'PORT', 'HOME', '1A', 'A-B', 'A%3DB', 'a'.repeat(201)]) {
        assert.equal((await editor.put(`${path}/environment/${name}`, { value: 'x' })).status, 422, name);
      }
      assert.equal((await editor.put(`${path}/environment/A`, { value: 'a\0b' })).status, 422);
    });

    test('a waiting build is canceled at once, a running one soon, and a finished one not', async () => {
      const { path } = await made();
      const source = { kind: 'folder', path: await sourceFolder({ 'index.mjs': PROGRAM('never') }) };
      const { id } = (await admin.post(`${path}/builds`, { source })).body;
      const canceled = await editor.post(`${path}/builds/${id}/cancel`);
      assert.deepEqual([canceled.status, canceled.body.state], [200, 'canceled']);
      await buildAll(server);
      assert.equal((await editor.get(`${path}/builds/${id}`)).body.state, 'canceled');
      const again = await editor.post(`${path}/builds/${id}/cancel`);
      assert.deepEqual([again.status, again.body.error.code], [409, 'build_ended']);
    });

    test('output is read from its end, forwards and backwards', async () => {
      const { id, path } = await made();
      const program = `for (let n = 0; n < 30; n++) console.log('line', n);${PROGRAM('lines').replace('console.log', 'void ')}`;
      const source = { kind: 'folder', path: await sourceFolder({ 'index.mjs': program }) };
      await built(path, { source, deploy: true });
      await call(id);
      await until('all is stored', async () => (await lines(`${path}/process-logs`)).length === 31);
      const texts = (answer: Answer) => answer.body.items.map(({ message }: { message: string }) => message);
      const last = await editor.get(`${path}/process-logs?limit=5`);
      assert.deepEqual(texts(last).slice(0, 4), ['line 26', 'line 27', 'line 28', 'line 29']);
      const before = await editor.get(`${path}/process-logs?limit=2&before=${last.body.meta.previousCursor}`);
      assert.deepEqual(texts(before), ['line 24', 'line 25']);
      const onwards = await editor.get(`${path}/process-logs?cursor=${before.body.meta.nextCursor}&limit=2`);
      assert.deepEqual(texts(onwards), ['line 26', 'line 27']);
      const end = await editor.get(`${path}/process-logs?cursor=${last.body.meta.nextCursor}`);
      assert.deepEqual([texts(end), end.body.meta.nextCursor], [[], last.body.meta.nextCursor]);
      assert.equal((await editor.get(`${path}/process-logs?cursor=nonsense`)).status, 422);
    });

    test('who reads on gets what one program printed before another, and was stored after it', async () => {
      const { id, path } = await made();
      const { store, clock } = server.server;
      const logOf = () =>
        new OutputLog({
          elapsed: () => clock.elapsed(),
          secrets: [],
          store: async (printed) => {
            const lines = printed.map(({ stream, message }) => ({ occurred: clock.now(), stream, message }));
            await store.platform.transaction((tx) => processOutput.insert(tx, id, lines));
          },
        });
      const [early, late] = [logOf(), logOf()];
      early.say('printed first');
      late.say('printed second');
      await late.close();
      const read = await editor.get(`${path}/process-logs`);
      await early.close();
      const onwards = await editor.get(`${path}/process-logs?cursor=${read.body.meta.nextCursor}`);
      const messages = [read, onwards].map(({ body }) => body.items.map((line: { message: string }) => line.message));
      assert.deepEqual(messages, [['printed second'], ['printed first']]);
    });

    test('the state of the process is shown, and it can be restarted', async () => {
      const { id, path } = await made();
      assert.equal((await editor.get(`${path}/process`)).body.state, 'stopped');
      const source = { kind: 'folder', path: await sourceFolder({ 'index.mjs': PROGRAM('state') }) };
      await built(path, { source, deploy: true });
      const first = (await call(id)).cwd;
      const { body } = await editor.get(`${path}/process`);
      assert.deepEqual([body.state, body.processes, body.failures, body.retryAfterSeconds], ['running', 1, 0, 0]);
      assert.equal((await editor.post(`${path}/process/restart`)).status, 204);
      assert.notEqual((await call(id)).cwd, first);
    });

    test('a stopped server refuses requests until it is started, and the audit names both', async () => {
      const { path } = await made();
      const slug = path.split('/').at(-1) ?? '';
      const source = { kind: 'folder', path: await sourceFolder({ 'index.mjs': PROGRAM('stopped') }) };
      await built(path, { source, deploy: true });
      const ping = async () => {
        const { status } = await fetch(`${origin}/servers/default/${slug}/mcp`, {
          method: 'POST',
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
          headers: { authorization: `Bearer ${admin.key}`, 'content-type': 'application/json' },
        });
        return status;
      };
      assert.notEqual(await ping(), 503);
      assert.equal((await viewer.post(`${path}/process/stop`)).status, 403);
      for (const _ of [1, 2]) assert.equal((await editor.post(`${path}/process/stop`)).status, 204);
      assert.equal(await ping(), 503);
      assert.ok((await editor.get(`${path}/process`)).body.stoppedAt);
      assert.equal((await viewer.post(`${path}/process/start`)).status, 403);
      assert.equal((await editor.post(`${path}/process/start`)).status, 204);
      assert.notEqual(await ping(), 503);
      assert.equal((await editor.get(`${path}/process`)).body.stoppedAt, null);
      const { items } = (await admin.get('/organizations/default/audit?limit=10')).body;
      const actions = items.map(({ action }: { action: string }) => action);
      assert.deepEqual(
        actions.filter((action: string) => /^server\.st(op|art)$/.test(action)),
        ['server.start', 'server.stop'],
      );
    });

    test('viewers see no builds, editors cannot name paths of the machine, and all changes are in the audit', async () => {
      const { path } = await made();
      for (const name of ['environment', 'environment/A', 'builds', 'deployments', 'process-logs', 'process']) {
        assert.equal((await viewer.get(`${path}/${name}`)).status, 403, name);
      }
      const command = { source: { kind: 'command', command: ['true'] } };
      assert.equal((await viewer.post(`${path}/builds`, command)).status, 403);
      assert.equal((await editor.post(`${path}/builds`, command)).status, 403);
      assert.equal((await editor.post(`${path}/builds`, { source: { kind: 'folder', path: '/etc' } })).status, 403);
      const file = { kind: 'git', repository: 'file:///etc', commit: 'a'.repeat(40) };
      assert.equal((await editor.post(`${path}/builds`, { source: file })).status, 403);
      const founder = await person(server, `founder-${count}@example.com`, 'member');
      await founder.post('/organizations', { name: 'Own', slug: `own-${count}` });
      await founder.post(`/organizations/own-${count}/servers`, { slug: 'mine', name: 'Mine', kind: 'hosted' });
      const refused = await founder.post(`/organizations/own-${count}/servers/mine/builds`, command);
      assert.equal(refused.status, 403, 'an administrator of an organization is not an operator');
      assert.match(refused.body.error.message, /by operators only/);
      const build = await built(path, { ...command, deploy: true });
      await editor.put(`${path}/environment/A`, { value: 'x' });
      await editor.delete(`${path}/environment/A`);
      await editor.post(`${path}/process/restart`);
      const audit = (await admin.get('/organizations/default/audit?limit=20')).body.items as {
        action: string;
        details: { buildId?: string };
      }[];
      for (const action of ['server.build', 'server.environment.set', 'server.environment.delete', 'server.restart']) {
        assert.ok(
          audit.some((entry) => entry.action === action),
          action,
        );
      }
      assert.ok(audit.some(({ details }) => details.buildId === build.id));
      const external = {
        slug: `ext-${++count}`,
        name: 'x',
        kind: 'external',
        external: { url: 'https://example.com/mcp' },
      };
      await admin.post('/organizations/default/servers', external);
      const other = await admin.get(`/organizations/default/servers/${external.slug}/builds`);
      assert.deepEqual([other.status, other.body.error.code], [409, 'not_hosted']);
    });

    test('without a live deployment its address answers 404', async () => {
      const { path } = await made();
      const slug = path.split('/').at(-1) ?? '';
      const answer = await fetch(`${origin}/servers/default/${slug}/mcp`, {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
        headers: { authorization: `Bearer ${admin.key}`, 'content-type': 'application/json' },
      });
      const { id, error } = (await answer.json()) as { id: number; error: { code: number } };
      assert.deepEqual([answer.status, id, error.code], [404, 1, -31404]);
    });

    test('a deleted server leaves no files', async () => {
      const { id, path } = await made();
      const source = { kind: 'folder', path: await sourceFolder({ 'index.mjs': PROGRAM('gone') }) };
      await built(path, { source, deploy: true });
      await call(id);
      const artifacts = join(server.server.config.home, 'hosting', 'servers', id);
      assert.ok(existsSync(artifacts));
      assert.equal((await admin.delete(path)).status, 204);
      await until('its files are gone', () => !existsSync(artifacts));
      await assert.rejects(call(id), { fault: 'absent' });
    });
  });
}

/** The program of an environment with FastMCP, whose packages are lent to the builds: nothing is downloaded. */
const fastmcp = process.env['SIGNALBOX_TEST_FASTMCP'] ?? '';
const packages = existsSync(fastmcp) ? globSync(join(fastmcp, '../../lib/python3*/site-packages'))[0] : undefined;

describe('Python sources', { skip: packages ? false : 'SIGNALBOX_TEST_FASTMCP names no FastMCP' }, () => {
  test('a FastMCP object is installed beside its source and served', async (context) => {
    const server = await startServer({ config: { hosting: 'process', apiAuth: 'key' } });
    const admin = await person(server, 'ada@example.com', 'admin');
    const folder = await mkdtemp(join(tmpdir(), 'signalbox-python-'));
    context.after(async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });
    const program = [
      'from fastmcp import FastMCP',
      'sums = FastMCP("sums")',
      '@sums.tool',
      'def add(a: int, b: int) -> int:',
      '    return a + b',
    ];
    await writeFile(join(folder, 'server.py'), program.join('\n'));
    await writeFile(join(folder, 'requirements.txt'), '# nothing\n');
    const id = await hostedServer(server, 'sums');
    const path = '/organizations/default/servers/sums';
    await admin.put(`${path}/environment/PYTHONPATH`, { value: packages, sensitive: false });
    const given = { source: { kind: 'folder', path: folder }, entrypoint: 'server.py:sums', deploy: true };
    const asked = await admin.post(`${path}/builds`, given);
    await buildAll(server);
    const { state, error, resolved } = (await admin.get(`${path}/builds/${asked.body.id}`)).body;
    assert.deepEqual([state, error, resolved.runtime], ['succeeded', null, 'python']);
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    };
    const answer = await ask(await server.server.hosting.upstreamOf(id), initialize);
    assert.equal((answer.events[0] ?? answer.body).result.serverInfo.name, 'sums');
  });
});
