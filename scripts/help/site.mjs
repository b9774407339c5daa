// Writes the documentation as a site of plain files to help/dist: a page for each entry of docs/README.md, one style,
// one script and the index of the search. All addresses are relative, so that it works below any path.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { rolldown } from 'rolldown';
import { root } from '../sources.mjs';
import { readContents } from './contents.mjs';
import { renderPage } from './markdown.mjs';
import { pageHtml } from './page.mjs';
import { searchOptions } from './search-options.mjs';

const site = join(root, 'help', 'site');
const dist = join(root, 'help', 'dist');
const FONT = '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2';
/** Characters of a part that a result of the search shows. */
const EXCERPT = 180;

export async function writeSite() {
  const chapters = readContents();
  const entries = chapters.flatMap((chapter) => chapter.entries);
  const home = { title: 'Documentation', source: 'docs/README.md', slug: './', summary: '' };
  const slugs = new Map([home, ...entries].map(({ source, slug }) => [source, slug]));
  const pages = [home, ...entries].map((entry) => {
    const text = readFileSync(join(root, entry.source), 'utf8');
    const { html, parts } = renderPage(text, entry.source, slugs);
    return { ...entry, html: withSizes(html), parts };
  });

  rmSync(dist, { recursive: true, force: true });
  mkdirSync(join(dist, 'assets'), { recursive: true });
  cpSync(join(root, 'docs', 'pictures'), join(dist, 'pictures'), { recursive: true });
  const font = writeAsset('inter', 'woff2', readFileSync(createRequire(import.meta.url).resolve(FONT)));
  const style = readFileSync(join(site, 'site.css'), 'utf8').replace('inter.woff2', font.slice('assets/'.length));
  const assets = {
    font,
    icon: writeAsset('icon', 'svg', readFileSync(join(root, 'dashboard', 'public', 'icon.svg'))),
    style: writeAsset('site', 'css', coloursOfDashboard() + style),
    script: writeAsset('site', 'js', await scriptCode()),
    index: writeAsset('search', 'json', searchIndex(pages)),
  };
  for (const page of pages) {
    const name = page === pages[0] ? 'index' : page.slug;
    writeFileSync(join(dist, `${name}.html`), pageHtml({ page, pages, chapters, assets }));
  }
}

/** Gives each picture its size, so that the text below it does not move when it is loaded. */
function withSizes(html) {
  return html.replaceAll(/<img (?=[^>]*src="(pictures\/[^"]+\.png)")/g, (_found, path) => {
    const header = readFileSync(join(root, 'docs', path)).subarray(0, 24);
    return `<img width="${header.readUInt32BE(16)}" height="${header.readUInt32BE(20)}" `;
  });
}

/** The colours of the dashboard that `site.css` uses, in both modes. */
function coloursOfDashboard() {
  const tokens = readFileSync(join(root, 'dashboard', 'src', 'design', 'tokens.css'), 'utf8');
  const modes = ['surface', 'canvas', 'hover', 'line', 'control', 'quiet', 'soft', 'ink', 'accent'].map((name) => {
    const [light, dark] = [...tokens.matchAll(new RegExp(`--${name}: #[0-9a-f]{6};`, 'g'))].map(([token]) => token);
    return { light, dark };
  });
  const inMode = (mode) => `:root{${modes.map((values) => values[mode]).join('')}}`;
  return `${inMode('light')}@media (prefers-color-scheme: dark){${inMode('dark')}}\n`;
}

/** @returns the address of the file, which changes with its content */
function writeAsset(name, extension, content) {
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 10);
  const address = `assets/${name}-${digest}.${extension}`;
  writeFileSync(join(dist, address), content);
  return address;
}

async function scriptCode() {
  const bundle = await rolldown({ input: join(site, 'site.js'), platform: 'browser', logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'iife', minify: true });
  await bundle.close();
  return output[0].code;
}

/** One document for each heading, so that a result leads to the place in its page. */
function searchIndex(pages) {
  const search = new MiniSearch(searchOptions);
  for (const { slug, title, parts } of pages.slice(1)) {
    for (const [index, part] of parts.entries()) {
      const text = part.text.replaceAll(/\s+/g, ' ').trim();
      search.add({
        id: index === 0 ? slug : `${slug}#${part.id}`,
        page: title,
        title: part.title,
        text,
        excerpt: text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text,
      });
    }
  }
  return JSON.stringify(search);
}
