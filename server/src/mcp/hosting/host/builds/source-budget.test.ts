/** A source that is too much, and builds that are ended while this server itself works on their source. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { archive, type TarItem } from '../../../../../test/support/tar.ts';
import { copyTree } from '../machine/copy-tree.ts';
import { fetchSource } from './fetch-source.ts';
import { MAX_DEPTH, MAX_ENTRIES, SourceBudget } from './source-budget.ts';
import type { Steps } from './steps.ts';
import { unpack } from './unpack.ts';

/** Ends the build when it has counted so many entries. */
class EndingBudget extends SourceBudget {
  counted = 0;
  readonly #ending: AbortController;
  readonly #after: number;

  constructor(ending: AbortController, after: number) {
    super('The source', ending.signal);
    this.#ending = ending;
    this.#after = after;
  }

  override takeEntry(depth: number): void {
    super.takeEntry(depth);
    if (++this.counted === this.#after) this.#ending.abort(new Error('canceled'));
  }
}

describe('the source of a build', () => {
  let scratch: string;
  let count = 0;
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'signalbox-sources-'));
  });
  after(() => rm(scratch, { recursive: true, force: true }));

  const emptyFolder = async () => {
    const path = join(scratch, `folder-${count++}`);
    await mkdir(path);
    return path;
  };
  const stored = async (items: readonly TarItem[]) => {
    const path = join(scratch, `archive-${count++}`);
    const bytes = archive(items);
    await writeFile(path, bytes);
    return { path, size: bytes.length };
  };
  const unpackAll = async (items: readonly TarItem[], budget: SourceBudget) => {
    const [{ path, size }, folder] = [await stored(items), await emptyFolder()];
    await unpack(path, size, folder, budget);
  };
  const anySignal = new AbortController().signal;
  const nested = (depth: number) => Array.from({ length: depth }, () => 'd').join('/');

  test('folders that an archive names only on the way count too', async () => {
    const budget = new SourceBudget('The archive', anySignal);
    for (let entry = 0; entry < MAX_ENTRIES - 1000; entry++) budget.takeEntry(0);
    const items = Array.from({ length: 60 }, (_, index) => ({ path: `${index}/${nested(40)}/file` }));
    await assert.rejects(unpackAll(items, budget), /The archive contains more than 50000 files, folders and links/);
  });

  test('an archive may have folders within folders, and no more bytes or folders than the limit', async () => {
    const budget = new SourceBudget('The archive', anySignal);
    await unpackAll([{ path: `${nested(49)}/`, type: '5' }], budget);
    assert.throws(() => budget.takeEntry(MAX_DEPTH + 1), /contains folders more than 100 deep/);
    assert.throws(() => budget.takeBytes(1024 ** 3), /contains more than 512 MB/);
  });

  test('unpacking ends with the build', async () => {
    const items = Array.from({ length: 500 }, (_, index) => ({ path: `file-${index}`, content: 'x' }));
    const ending = new AbortController();
    const budget = new EndingBudget(ending, 20);
    const [{ path, size }, folder] = [await stored(items), await emptyFolder()];
    await assert.rejects(unpack(path, size, folder, budget), /canceled/);
    assert.equal(budget.counted, 20);
    assert.ok((await readdir(folder)).length <= 20);
  });

  test('copying a folder ends with the build', async () => {
    const [from, to] = [await emptyFolder(), await emptyFolder()];
    for (let index = 0; index < 60; index++) await writeFile(join(from, `file-${index}`), 'x');
    const ending = new AbortController();
    await assert.rejects(copyTree(from, to, new EndingBudget(ending, 20)), /canceled/);
    assert.ok((await readdir(to)).length <= 20);
  });

  test('a folder that is too deep is refused', async () => {
    const [from, folder] = [await emptyFolder(), await emptyFolder()];
    await mkdir(join(from, nested(MAX_DEPTH + 2)), { recursive: true });
    const source = { kind: 'folder', path: from } as const;
    const options = { steps: { say() {} } as unknown as Steps, folder, targets: undefined as never };
    await assert.rejects(
      fetchSource(source, { ...options, signal: anySignal, uploadPath: (id) => id }),
      /The folder contains folders more than 100 deep/,
    );
    const ended = AbortSignal.abort(new Error('canceled'));
    await assert.rejects(fetchSource(source, { ...options, signal: ended, uploadPath: (id) => id }), /canceled/);
  });
});
