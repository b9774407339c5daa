// Which pages the documentation has, and in which order: the lists of docs/README.md. A line there adds a page, and a line
// that leads to the README.md of a folder adds the pages of its list as well.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../sources.mjs';

const ENTRY = /^- \[([^\]]+)\]\(([^)#]+\.md)\)(?:: (.*))?$/;

/**
 * @typedef {{ title: string, source: string, slug: string, summary: string, parent?: string }} Entry `source`: path in the
 * repository. `parent`: slug of the first page of its folder.
 */

/** @returns {{ title: string, entries: Entry[] }[]} one for each `##` heading with pages */
export function readContents() {
  const chapters = [];
  for (const line of linesOf(join('docs', 'README.md'))) {
    if (line.startsWith('## ')) chapters.push({ title: line.slice(3), entries: [] });
    const entry = entryOf(line, 'docs');
    if (entry === undefined) continue;
    chapters.at(-1).entries.push(entry);
    if (entry.source.endsWith('/README.md')) chapters.at(-1).entries.push(...pagesOf(entry));
  }
  return chapters.filter(({ entries }) => entries.length > 0);
}

function pagesOf({ source, slug }) {
  const entries = linesOf(source).map((line) => entryOf(line, dirname(source)));
  return entries.filter((entry) => entry !== undefined).map((entry) => ({ ...entry, parent: slug }));
}

function linesOf(source) {
  return readFileSync(join(root, source), 'utf8').split('\n');
}

function entryOf(line, folder) {
  const [, title, path, summary = ''] = ENTRY.exec(line) ?? [];
  if (title === undefined) return undefined;
  const source = join(folder, path);
  return { title, source, slug: slugOf(source), summary };
}

/** All pages are in one folder of the site: `docs/architecture/request.md` is `architecture-request`. */
function slugOf(source) {
  const names = source.replace(/^docs\//, '').replace(/(\/README)?\.md$/, '');
  return names.replaceAll('/', '-').toLowerCase();
}
