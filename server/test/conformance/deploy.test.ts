/** Files of `deploy/` name only what the server has. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { databaseDefinitions, processDefinitions } from '../../src/process/metrics/definitions.ts';
import { settings } from '../../src/settings/all.ts';

const deploy = join(import.meta.dirname, '../../../deploy');
const known = new Set(Object.keys({ ...processDefinitions, ...databaseDefinitions }));

test('the board and the alert rules use metrics that the server has', () => {
  const files = globSync('{prometheus,grafana}/**/*.{yml,json}', { cwd: deploy });
  const used = files.flatMap((file) => readFileSync(join(deploy, file), 'utf8').match(/\bsignalbox_[a-z_]+/g) ?? []);
  assert.ok(used.length > 30);
  const names = used.map((name) => name.replace(/(?<=_(seconds|writes))_(bucket|sum|count)$/, ''));
  assert.deepEqual(
    [...new Set(names)].filter((name) => !known.has(name)),
    [],
  );
});

test('a command beside the unit runs as its user, with its settings and on its data', () => {
  const unit = readFileSync(join(deploy, 'systemd/signalbox.service'), 'utf8');
  const command = readFileSync(join(deploy, 'systemd/signalbox'), 'utf8');
  const has = ['DynamicUser', 'User', 'StateDirectory', 'StateDirectoryMode', 'UMask', 'EnvironmentFile'];
  for (const name of has) {
    const [line = assert.fail(name)] = new RegExp(`^${name}=.*$`, 'm').exec(unit) ?? [];
    assert.ok(command.includes(`--property=${line} `) || command.includes(`--property="${line}" `), line);
  }
  const environment = [...unit.matchAll(/^Environment=(.*)$/gm)].map(([, value = '']) => value);
  assert.equal(environment.length, 2);
  for (const value of environment) assert.ok(command.includes(`--setenv=${value} `), value);
  const [, program = ''] = /^ExecStart=(\S+) server start$/m.exec(unit) ?? [];
  assert.ok(command.endsWith(`${program} "$@"\n`), program);
});

test('systemd accepts the unit', { skip: spawnSync('systemd-analyze').error && 'systemd is not installed' }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-unit-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'signalbox.service');
  // The program that it starts must exist.
  const text = readFileSync(join(deploy, 'systemd/signalbox.service'), 'utf8');
  writeFileSync(file, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
  const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
  assert.deepEqual(
    stderr.split('\n').filter((line) => line.includes('signalbox.service')),
    [],
  );
});

test('the encryption key of the replicas is made once, for their user only', {
  skip: process.getuid?.() !== 0 && 'needs root to give the key to the user of the image',
}, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-key-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const text = readFileSync(join(deploy, 'compose.replicas.yml'), 'utf8');
  const script =
    /\n {6}- \|\n((?: {8}.*\n)+)/.exec(text)?.[1]?.replaceAll('/key/', `${folder}/`) ?? assert.fail('no script');
  const key = () => {
    assert.equal(spawnSync('sh', ['-euc', script]).status, 0);
    return readFileSync(join(folder, 'encryption.key'), 'utf8');
  };
  const first = key();
  assert.equal(settings.encryptionKey.check(first.trim()), undefined);
  assert.equal(key(), first);
  const { mode, uid } = statSync(join(folder, 'encryption.key'));
  assert.deepEqual([mode & 0o777, uid], [0o600, 65532]);
});

test('the image, the compose files, the chart and the unit set variables that are settings', () => {
  const names = new Set<string>(Object.values(settings).map(({ name }) => name));
  const files = globSync('{Dockerfile,*.yml,systemd/*,helm/**/*.yaml}', { cwd: deploy });
  const named = files.flatMap((file) => readFileSync(join(deploy, file), 'utf8').match(/\bSIGNALBOX_[A-Z_]+/g) ?? []);
  const used = named.map((name) => name.replace(/_FILE$/, ''));
  assert.ok(used.length > 10);
  assert.deepEqual(
    used.filter((name) => !names.has(name)),
    [],
  );
});
