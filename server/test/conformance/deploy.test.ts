/** Files of `deploy/` name only what the server has. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { databaseDefinitions, processDefinitions } from '../../src/metrics/definitions.ts';
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

test('the image, the compose files, the chart and the unit set variables that are settings', () => {
  const names = new Set<string>(Object.values(settings).map(({ name }) => name));
  const files = globSync('{Dockerfile,*.yml,systemd/*,helm/**/*.yaml}', { cwd: deploy });
  const used = files.flatMap((file) => readFileSync(join(deploy, file), 'utf8').match(/\bSIGNALBOX_[A-Z_]+/g) ?? []);
  assert.ok(used.length > 10);
  assert.deepEqual(
    used.filter((name) => !names.has(name)),
    [],
  );
});
