/** What a release says about itself agrees: versions, the changelog and the chart. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { VERSION } from '../../src/values/versions.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

test('every package and the chart have the version of the server', () => {
  for (const path of ['package.json', 'server/package.json', 'dashboard/package.json']) {
    assert.equal(JSON.parse(read(path)).version, VERSION, path);
  }
  assert.match(read('deploy/helm/Chart.yaml'), new RegExp(`^appVersion: "${VERSION.replaceAll('.', '\\.')}"$`, 'm'));
});

test('the changelog lists what is not released, then the releases, the newest first', () => {
  const titles = Array.from(read('CHANGELOG.md').matchAll(/^## (.+)$/gm), ([, title = '']) => title);
  const [first, ...releases] = titles;
  assert.equal(first, 'Unreleased');
  for (const title of releases) assert.match(title, /^\[?\d+\.\d+\.\d+\]? - \d{4}-\d\d-\d\d$/);
  const numbers = releases.map((title) => title.replace(/^\[?([\d.]+).*/, '$1'));
  const newestFirst = numbers.toSorted((left, right) => right.localeCompare(left, 'en', { numeric: true }));
  assert.deepEqual(numbers, newestFirst);
  const [newest = '0.0.0'] = numbers;
  assert.ok(VERSION.localeCompare(newest, 'en', { numeric: true }) >= 0, `${VERSION} is older than ${newest}`);
});
