/** Orders test files by how likely they are to notice a change of a file. */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

/** Files further away than this are all the same. */
const FAR = 6;
/** A word in more test files than this says nothing about any of them. */
const MOST_WITH_WORD = 10;
const IMPORT = /(?:^(?:import|export)\s(?!type\b)[^;]*?\bfrom|\bimport\s*\(?)\s*['"](\.{1,2}\/[^'"]+)['"]/gm;

/** All test files of the checkout at `root`, the nearest to `changed` first, where `difference` is the change. */
export function testsByNearness(root: string, changed: string, difference: string): readonly string[] {
  const texts = new Map(
    globSync('{server,dashboard}/{src,test}/**/*.ts', { cwd: root }).map((file) => [
      file,
      readFileSync(join(root, file), 'utf8'),
    ]),
  );
  const tests = [...texts.keys()].filter((file) => file.endsWith('.test.ts')).sort();
  const hops = importHops(texts, changed, difference);
  const beside = [...texts].filter(([file]) => dirname(file) === dirname(changed) && !file.endsWith('.test.ts'));
  const words = wordsOf(texts.get(changed) ?? '', beside.map(([, text]) => text).join('\n'), difference)
    .map((word) => tests.filter((test) => texts.get(test)!.includes(word)))
    .filter((found) => found.length <= MOST_WITH_WORD);
  const distanceOf = (test: string): number => {
    const byFolder = /^\w+\/test\//.test(test) ? FAR : folderSteps(dirname(changed), dirname(test));
    const byImport = Math.min(FAR, hops.get(test) ?? FAR);
    // It can notice a change only in a process that it starts.
    const isApart = !hops.has(test);
    const named = words.filter((found) => found.includes(test)).reduce((sum, found) => sum + 1 / found.length, 0);
    const isBeside = byFolder === 0 && basename(test).startsWith(basename(changed, '.ts'));
    const steps = Math.min(byFolder, byImport - 0.5) + (byFolder + byImport) / 20;
    return steps - Math.min(2, named) + (isApart ? FAR : 0) - (isBeside ? 3 : 0);
  };
  const distances = new Map(tests.map((test) => [test, distanceOf(test)]));
  return tests.sort((one, other) => distances.get(one)! - distances.get(other)!);
}

/** How many imports lie between each file and `changed`. Files that share a rare word of the change, such as a table, are one away. */
function importHops(
  texts: ReadonlyMap<string, string>,
  changed: string,
  difference: string,
): ReadonlyMap<string, number> {
  const importers = new Map<string, string[]>();
  for (const [file, text] of texts) {
    for (const [, specifier = ''] of text.matchAll(IMPORT)) {
      const target = join(dirname(file), specifier);
      importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  }
  const sharing = (difference.match(/\w{8,}/g) ?? [])
    .map((word) => [...texts].filter(([file, text]) => !file.endsWith('.test.ts') && text.includes(word)))
    .filter((found) => found.length <= MOST_WITH_WORD);
  const others = sharing.flat().flatMap(([file]): [string, number][] => (file === changed ? [] : [[file, 1]]));
  const hops = new Map([[changed, 0], ...others]);
  for (const [file, far] of hops) {
    for (const importer of importers.get(file) ?? []) if (!hops.has(importer)) hops.set(importer, far + 1);
  }
  return hops;
}

/** What a test may name: what the file exports, fixed parts of the paths in its folder, and words of the change. */
function wordsOf(text: string, folder: string, difference: string): readonly string[] {
  const exported = [...text.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)].map(
    ([, name = '']) => name,
  );
  const paths = [...folder.matchAll(/['`](\/[\w\-/{}.$]+)['`]/g)].flatMap(([, path = '']) =>
    path.split(/\$?\{[^}]*\}/),
  );
  const changed = difference.match(/\w{6,}/g) ?? [];
  return [...new Set([...exported, ...paths, ...changed])].filter((word) => word.length > 4);
}

function folderSteps(from: string, to: string): number {
  return Math.min(FAR, relative(from, to).split('/').filter(Boolean).length);
}
