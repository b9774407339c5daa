/** Compares the lists in the documents with the code. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { referencePages } from '../../../scripts/reference-pages.ts';
import { STAGES } from '../../src/mcp/gateway/stages.ts';
import type { Arrival } from '../../src/mcp/gateway/way/call.ts';
import { policies } from '../../src/orchestration/runs/states/policies.ts';
import { anyFrom, anyTo, type FromType } from '../../src/orchestration/runs/states/rules/rule.ts';
import { settings } from '../../src/settings/all.ts';

const repository = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(repository, path), 'utf8');
const pages = globSync('docs/architecture/*.md', { cwd: repository });
const policiesPage = 'docs/architecture/policies.md';
/** Short enough to be read at once. */
const MOST_LINES = 120;

test(`no page of the architecture has more than ${MOST_LINES} lines, and each has at most one drawing`, () => {
  assert.ok(pages.length > 20, 'the pages were found');
  for (const page of pages) {
    const lines = read(page).trimEnd().split('\n');
    assert.ok(lines.length <= MOST_LINES, `${page} has ${lines.length} lines: split it`);
    assert.ok(lines.filter((line) => line === '```mermaid').length <= 1, `${page} has several drawings`);
  }
});

test('the index of the architecture lists every page', () => {
  const index = read('docs/architecture/README.md');
  const listed = [...index.matchAll(/^- \[[^\]]+\]\(([\w-]+\.md)\): /gm)].map(([, name]) => name);
  assert.deepEqual(
    listed.toSorted(),
    pages
      .map((page) => basename(page))
      .filter((name) => name !== 'README.md')
      .toSorted(),
  );
});

for (const [policy, rules] of Object.entries(policies)) {
  test(`the documented list of ${policy} matches the code`, () => {
    const drawn = rowsOf(read(policiesPage), `## ${policy}`);
    const run = rules.map(({ name, from, to }, index) => [
      String(index + 1),
      `\`${name}\``,
      typesText(from, anyFrom),
      typesText(to, anyTo),
    ]);
    assert.deepEqual(
      drawn,
      run,
      `${policiesPage} should list\n${run.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`,
    );
  });
}

test('every runtime dependency has its reason in the architecture, and no other is named', () => {
  const packagesOf = (path: string) => Object.keys((JSON.parse(read(path)) as { dependencies: object }).dependencies);
  const page = read('docs/architecture/dependencies.md');
  const reasons = [...page.matchAll(/^- (`[^`]+`): ((?:.|\n {2})+)/gm)].map(([, name, reason]) => [name, reason]);
  assert.deepEqual(
    reasons.map(([name]) => name),
    ['server/package.json', 'dashboard/package.json'].flatMap(packagesOf).map((name) => `\`${name}\``),
  );
  for (const [name, reason] of reasons) assert.ok(reason && reason.length > 20, `${name} has no reason`);
});

/** An arrow of the drawing: the ways of arriving that follow it, all when it has no label. */
interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly ways: readonly string[] | undefined;
}

/** The arrows of lines such as `body -- "key, session" --> manifest --> message`. */
function arrowsOf(page: string): Arrow[] {
  const [, drawing = ''] = /```mermaid\n(.*?)```/s.exec(page) ?? [];
  return drawing.split('\n').flatMap((line) => {
    const [first = '', ...rest] = line.trim().split(/ (?:-- ("[^"]*"|[\w]+) )?--> /);
    const arrows: Arrow[] = [];
    let from = nodeOf(first);
    for (let at = 0; at + 1 < rest.length; at += 2) {
      const to = nodeOf(rest[at + 1] ?? '');
      arrows.push({ from, to, ways: rest[at]?.replaceAll('"', '').split(', ') });
      from = to;
    }
    return arrows;
  });
}

/** `client` for `client([MCP client])`. */
function nodeOf(text: string): string {
  return /^\w*/.exec(text)?.[0] ?? '';
}

/** The nodes after `start`, by the arrows of one way of arriving. */
function pathFrom(start: string, way: Arrival, arrows: readonly Arrow[]): string[] {
  const [next, ...others] = arrows.filter(({ from, ways }) => from === start && (ways?.includes(way) ?? true));
  assert.deepEqual(others, [], `after ${start}, several arrows are for ${way}`);
  return next ? [next.to, ...pathFrom(next.to, way, arrows)] : [];
}

test('the drawing of the gateway shows its stages in their order, for each way of arriving', () => {
  const arrows = arrowsOf(read('docs/architecture/gateway.md'));
  const stagesFor = (way: Arrival) =>
    STAGES.filter(({ arrivals }) => arrivals.includes(way)).map(({ stage }) => stage.name);
  assert.deepEqual(pathFrom('client', 'key', arrows), stagesFor('key'));
  assert.deepEqual(pathFrom('client', 'session', arrows), stagesFor('session'));
  // This stage turns a call with a key into one that passes untouched.
  assert.deepEqual(pathFrom('ownAuthentication', 'untouched', arrows), stagesFor('untouched'));
  const drawn = new Set(arrows.flatMap(({ from, to }) => [from, to]));
  drawn.delete('client');
  assert.deepEqual(
    [...drawn],
    STAGES.map(({ stage }) => stage.name),
  );
});

test('the page of the gateway explains each stage, in order', () => {
  const [, list = ''] = /## Stages\n(.*?)\n## /s.exec(read('docs/architecture/gateway.md')) ?? [];
  const explained = [...list.matchAll(/^- `(\w+)` /gm)].map(([, name]) => name);
  assert.deepEqual(
    explained,
    STAGES.map(({ stage }) => stage.name),
  );
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
  for (const document of globSync(['*.md', 'docs/**/*.md'], { cwd: repository })) {
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

test('the pages of the architecture name only paths that exist, in the repository or below server/src', () => {
  // The rooms of this page are what the imports are held to.
  for (const page of pages.filter((name) => !name.endsWith('/module-map.md'))) {
    for (const [, path = ''] of read(page).matchAll(/`([\w.-]+(?:\/[\w.-]+)*(?:\/|\.(?:ts|tsx|mjs|js|md)))`/g)) {
      const found = ['', 'server/src'].some((folder) => existsSync(join(repository, folder, path)));
      assert.ok(found, `${page} names ${path}`);
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
