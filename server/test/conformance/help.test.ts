/** The documentation at `/help`: whole, offline, and with a search. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the whole repository, declared at its root
import MiniSearch from 'minisearch';
import { startServer, type TestServer } from '../support/server.ts';

const repository = join(import.meta.dirname, '../../..');
/** For people who change the program; the site leaves them out. */
const FOR_CONTRIBUTORS = ['README.md', 'writing.md'];

describe('the documentation at /help', () => {
  let server: TestServer;
  const pages = new Map<string, string>();

  before(async () => {
    const builder = join(repository, 'scripts', 'build-help.mjs');
    const { status, stderr } = spawnSync(process.execPath, [builder], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    server = await startServer({ config: { apiAuth: 'key' } });
    await visit('/help/');
  });
  after(() => server.stop());

  /** Reads a page and all pages that it links to. */
  async function visit(path: string): Promise<void> {
    if (pages.has(path)) return;
    const { status, text, headers } = await server.request('GET', path);
    assert.equal(status, 200, path);
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; script-src 'self'; style-src 'self'/,
    );
    pages.set(path, text);
    for (const { pathname } of addressesOf(path, text)) {
      if (/^\/help\/[\w-]*$/.test(pathname)) await visit(pathname);
    }
  }

  test('has a page for every document, and its first page links to all of them', () => {
    const documents = globSync('docs/*.md', { cwd: repository }).map((path) => basename(path));
    const expected = documents.filter((name) => !FOR_CONTRIBUTORS.includes(name)).map((name) => name.slice(0, -3));
    const below = globSync('docs/architecture/*.md', { cwd: repository }).map((path) => basename(path, '.md'));
    const architecture = below.map((name) => (name === 'README' ? 'architecture' : `architecture-${name}`));
    for (const slug of [...expected, ...architecture, 'security', 'changelog', '']) {
      assert.ok(pages.has(`/help/${slug}`), slug);
    }
  });

  test('every link leads somewhere: pages, their parts, pictures, styles and scripts', async () => {
    const files = new Set<string>();
    for (const [path, text] of pages) {
      for (const { pathname, hash, host } of addressesOf(path, text)) {
        if (host !== 'help') continue;
        const page = pages.get(pathname);
        if (page === undefined) files.add(pathname);
        else if (hash) assert.ok(page.includes(` id="${hash.slice(1)}"`), `${path} links to ${pathname}${hash}`);
      }
    }
    files.delete('/');
    assert.ok(files.size >= 5);
    for (const file of files) assert.equal((await server.request('GET', file)).status, 200, file);
  });

  test('no page has a script or style inside, and none loads anything from another host', () => {
    for (const [path, text] of pages) {
      assert.doesNotMatch(text, /<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/, path);
      assert.doesNotMatch(text, /<(script|link|img|source)[^>]+(src|href|srcset)="(https?:)?\/\//, path);
    }
  });

  test('the search finds a setting by its name, by a part of it, and by a word of its text', async () => {
    const index = /data-index="([^"]+)"/.exec(pages.get('/help/') ?? '')?.[1];
    const { text } = await server.request('GET', `/help/${index}`);
    // The options of scripts/help/search-options.mjs that a reader needs.
    const search = MiniSearch.loadJSON(text, {
      fields: ['title', 'page', 'text'],
      storeFields: ['title', 'page', 'excerpt'],
      searchOptions: { boost: { title: 4 }, prefix: true, combineWith: 'AND' },
    });
    const first = (words: string) => search.search(words, { tokenize: (all) => all.split(' ') })[0]?.id;
    assert.equal(first('SIGNALBOX_METRICS_PORT'), 'settings#signalbox_metrics_port');
    assert.equal(first('drain delay'), 'settings#signalbox_drain_delay_seconds');
    assert.match(String(first('rotate')), /^(operating|commands)#/);
  });

  test('its addresses work with and without the last slash, and an unknown one is answered 404', async () => {
    const { status, headers } = await server.request('GET', '/help');
    assert.deepEqual([status, headers['location']], [307, 'help/']);
    assert.equal((await server.request('GET', '/help/nothing')).status, 404);
    assert.equal((await server.request('GET', '/help/..%2Fpackage.json')).status, 404);
    assert.equal((await server.request('GET', '/help/assets/../../package.json')).status, 404);
  });
});

test('a block of the documents that names its file is the content of that file', () => {
  for (const document of globSync(['*.md', 'docs/**/*.md'], { cwd: repository })) {
    const text = readFileSync(join(repository, document), 'utf8');
    for (const [, path = '', block] of text.matchAll(/^```\w+ file=(\S+)\n(.*?)^```$/gms)) {
      assert.equal(block, readFileSync(join(repository, path), 'utf8'), `${document}: the block is not ${path}`);
    }
  }
});

/** What a page links to or loads. */
function addressesOf(path: string, text: string): URL[] {
  const found = text.matchAll(/ (?:href|src|srcset|data-index)="([^"]+)"/g);
  return [...found].map(([, address = '']) => new URL(address, `http://help${path}`));
}
