/** Compares the lists in the documents with the code. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { referencePages } from '../../../scripts/reference-pages.ts';
import { policies } from '../../src/orchestration/runs/states/policies.ts';
import { anyFrom, anyTo, type FromType } from '../../src/orchestration/runs/states/rules/rule.ts';
import { settings } from '../../src/settings/all.ts';
import { layers, orchestrationLayers } from './layers.ts';

const repository = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(repository, path), 'utf8');
const architecture = read('docs/architecture.md');

for (const [policy, rules] of Object.entries(policies)) {
  test(`the documented list of ${policy} matches the code`, () => {
    const drawn = rowsOf(architecture, `#### ${policy}`);
    const run = rules.map(({ name, from, to }, index) => [
      String(index + 1),
      `\`${name}\``,
      typesText(from, anyFrom),
      typesText(to, anyTo),
    ]);
    assert.deepEqual(
      drawn,
      run,
      `docs/architecture.md should list\n${run.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`,
    );
  });
}

test('every runtime dependency has its reason in the architecture, and no other is named', () => {
  const { dependencies } = JSON.parse(read('server/package.json')) as { dependencies: Record<string, string> };
  const reasons = rowsOf(architecture, '## Runtime dependencies');
  assert.deepEqual(
    reasons.map(([name]) => name),
    Object.keys(dependencies).map((name) => `\`${name}\``),
  );
  for (const [name, reason] of reasons) assert.ok(reason && reason.length > 20, `${name} has no reason`);
});

test('the documented layers match the imports', () => {
  const drawnBelow = (title: string) =>
    rowsOf(architecture, title).map(([modules = '']) =>
      [...modules.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.replace(/\/$/, '')),
    );
  assert.deepEqual(drawnBelow('## Module map'), layers);
  assert.deepEqual(drawnBelow('### Inside `orchestration/`'), orchestrationLayers);
});

for (const [path, text] of Object.entries(referencePages())) {
  test(`${path} matches the program's output`, () => {
    assert.ok(read(path) === text, `${path} is out of date: npm run docs`);
  });
}

test('the settings page documents every setting', () => {
  const page = read('docs/settings.md');
  for (const { name } of Object.values(settings)) assert.ok(page.includes(`\n### ${name}\n`), name);
});

test('docs/reliability.md has a section for every fault test, with its command', () => {
  const reliability = read('docs/reliability.md');
  for (const file of globSync('server/test/faults/*.fault.ts', { cwd: repository })) {
    assert.ok(reliability.includes(`\`${file}\``), `docs/reliability.md does not name ${file}`);
    const command = `npm run test:faults -- --only ${basename(file, '.fault.ts')}`;
    assert.ok(reliability.includes(`\`${command}`), `docs/reliability.md does not say ${command}`);
  }
});

test('documents name only files and scripts that exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const document of globSync(['*.md', 'docs/*.md'], { cwd: repository })) {
    const text = read(document);
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      assert.ok(existsSync(join(repository, dirname(document), target)), `${document} links to ${target}`);
    }
    for (const [, path = ''] of text.matchAll(/`((?:server|dashboard|docs|scripts|bench|\.ci)\/[\w./-]+)`/g)) {
      assert.ok(existsSync(join(repository, path)), `${document} names ${path}`);
    }
    for (const [, script = ''] of text.matchAll(
      /\bnpm (?:run )?(?:-s )?((?:test|check|dev|docs|start|format|signalbox|setup|bench)[:\w-]*)/g,
    )) {
      assert.ok(script in scripts, `${document} names npm run ${script}`);
    }
  }
});

/** The rows of the first table after a heading, without its head. */
function rowsOf(document: string, heading: string): string[][] {
  const lines = document.split('\n');
  const start = lines.indexOf(heading);
  assert.ok(start >= 0, `there is no heading "${heading}"`);
  const first = lines.findIndex((line, index) => index > start && line.startsWith('|'));
  const rest = lines.slice(first);
  const end = rest.findIndex((line) => !line.startsWith('|'));
  return rest.slice(2, end === -1 ? undefined : end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** `any`, the types, or those missing from all of them. A run without a state counts as a type of `from`. */
function typesText(types: readonly FromType[], all: readonly FromType[]): string {
  const missing = all.filter((type) => !types.includes(type));
  if (missing.length === 0) return 'any';
  const listed = missing.length < 3 ? missing : types;
  return `${missing.length < 3 ? 'any but ' : ''}${listed.map((type) => type ?? 'none').join(', ')}`;
}
