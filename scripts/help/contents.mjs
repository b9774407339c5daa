// Which pages the documentation has, and in which order: the lists of docs/README.md. A line there adds a page.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../sources.mjs';

const ENTRY = /^- \[([^\]]+)\]\(([^)#]+\.md)\)(?:: (.*))?$/;

/** @typedef {{ title: string, source: string, slug: string, summary: string }} Entry `source`: path in the repository. */

/** @returns {{ title: string, entries: Entry[] }[]} one for each `##` heading with pages */
export function readContents() {
  const chapters = [];
  for (const line of readFileSync(join(root, 'docs', 'README.md'), 'utf8').split('\n')) {
    if (line.startsWith('## ')) chapters.push({ title: line.slice(3), entries: [] });
    const [, title, path, summary = ''] = ENTRY.exec(line) ?? [];
    if (title === undefined) continue;
    const source = join('docs', path);
    chapters.at(-1).entries.push({ title, source, slug: basename(path, '.md').toLowerCase(), summary });
  }
  return chapters.filter(({ entries }) => entries.length > 0);
}
