/** No folder of the server or the dashboard imports itself through others, at any depth, not even for types. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dashboard, type Import, imports } from './imports.ts';

/** The files directly in a folder, not in one below it. */
const OWN = '(own files)';

/**
 * The rooms that import each other in a circle, as sentences. A folder's rooms are its folders, each with everything
 * below, and its own files together, or each for itself with `areApart`; at the root each file is a room, because
 * `layers.ts` orders them.
 */
function cyclesOf(all: readonly Import[], areApart = false): string[] {
  return foldersOf(all).flatMap((folder) => {
    const edges = new Map<string, Set<string>>();
    for (const { file, target } of all) {
      const [from, to] = [roomOf(folder, file, areApart), roomOf(folder, target, areApart)];
      if (from === undefined || to === undefined || from === to) continue;
      edges.set(from, (edges.get(from) ?? new Set()).add(to));
    }
    return circlesOf(edges).map((rooms) => `${folder || 'sources'}: ${rooms.join(', ')}`);
  });
}

function foldersOf(all: readonly Import[]): string[] {
  const folders = new Set<string>(['']);
  for (const { file } of all) {
    const parts = file.split('/');
    for (let depth = 1; depth < parts.length; depth++) folders.add(parts.slice(0, depth).join('/'));
  }
  return [...folders].sort();
}

/** The room of `folder` in which `file` lies; undefined for a file elsewhere. */
function roomOf(folder: string, file: string, areApart: boolean): string | undefined {
  if (folder !== '' && !file.startsWith(`${folder}/`)) return undefined;
  const [first = '', ...rest] = file.slice(folder === '' ? 0 : folder.length + 1).split('/');
  return rest.length > 0 || folder === '' || areApart ? first : OWN;
}

/** Each set of rooms that can all reach each other; files of the root count only where a folder is among them. */
function circlesOf(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reaches = new Map([...edges.keys()].map((room) => [room, reachableFrom(room, edges)]));
  const circles = new Map<string, string[]>();
  for (const [room, reached] of reaches) {
    if (!reached.has(room)) continue;
    const circle = [...reached].filter((other) => reaches.get(other)?.has(room)).sort();
    circles.set(circle.join(), circle);
  }
  return [...circles.values()].filter((circle) => circle.some((room) => !/\.tsx?$/.test(room)));
}

function reachableFrom(start: string, edges: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>();
  const open = [...(edges.get(start) ?? [])];
  for (let room = open.pop(); room !== undefined; room = open.pop()) {
    if (reached.has(room)) continue;
    reached.add(room);
    open.push(...(edges.get(room) ?? []));
  }
  return reached;
}

test('no folders import each other in a circle', () => {
  assert.deepEqual(cyclesOf(imports), []);
  // The files of an area stand above and below its rooms: its routes load them, and they ask its queries.
  assert.deepEqual(cyclesOf(dashboard.imports, true), []);
});

test('a circle is found between folders, through several, with own files, and at every depth', () => {
  const importsOf = (pairs: [string, string][]) => pairs.map(([file, target]) => ({ file, target }));
  const found = (...pairs: [string, string][]) => cyclesOf(importsOf(pairs));
  assert.deepEqual(found(['a/x.ts', 'b/y.ts'], ['b/z.ts', 'a/w.ts']), ['sources: a, b']);
  assert.deepEqual(found(['a/x.ts', 'b/x.ts'], ['b/x.ts', 'c/x.ts'], ['c/y.ts', 'a/y.ts']), ['sources: a, b, c']);
  assert.deepEqual(found(['a/x.ts', 'a/in/y.ts'], ['a/in/z.ts', 'a/w.ts']), [`a: ${OWN}, in`]);
  assert.deepEqual(found(['a/b/c/x.ts', 'a/b/d/x.ts'], ['a/b/d/y.ts', 'a/b/c/y.ts']), ['a/b: c, d']);
  assert.deepEqual(found(['config.ts', 'a/x.ts'], ['a/y.ts', 'config.ts']), ['sources: a, config.ts']);
  assert.deepEqual(found(['a/x.ts', 'b/y.ts'], ['a/z.ts', 'b/w.ts'], ['one.ts', 'a/x.ts']), []);
  assert.deepEqual(
    cyclesOf(
      importsOf([
        ['a/x.tsx', 'a/in/y.ts'],
        ['a/in/z.ts', 'a/w.ts'],
      ]),
      true,
    ),
    [],
  );
  assert.deepEqual(
    cyclesOf(
      importsOf([
        ['a/in/x.tsx', 'a/of/y.ts'],
        ['a/of/z.ts', 'a/in/w.ts'],
      ]),
      true,
    ),
    ['a: in, of'],
  );
});
