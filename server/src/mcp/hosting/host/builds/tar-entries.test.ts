import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tar } from '../../../../../test/support/tar.ts';
import { tarEntries } from './tar-entries.ts';

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, size = 700): Promise<[path: string, content: string][]> {
  const found: [string, string][] = [];
  for await (const { path, kind, target, content } of tarEntries(inPieces(bytes, size))) {
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(piece);
    found.push([path, kind === 'file' ? Buffer.concat(pieces).toString() : `${kind} ${target}`.trim()]);
  }
  return found;
}

/** An entry that sets an attribute of the next one. */
function attribute(key: string, value: string) {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest);
  while (Buffer.byteLength(`${length}${rest}`) !== length) length = Buffer.byteLength(`${length}${rest}`);
  return { path: 'attributes', type: 'x', content: `${length}${rest}` };
}

describe('the entries of a tar archive', () => {
  test('equal the files that GNU tar packed, in each of its formats and in any chunks', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-tar-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const deep = join('ordner-größe-'.repeat(7), '数据'.repeat(40));
    mkdirSync(join(folder, deep), { recursive: true });
    writeFileSync(join(folder, deep, 'main.py'), 'x'.repeat(3000));
    symlinkSync('main.py', join(folder, deep, 'link.py'));
    for (const format of ['gnu', 'pax']) {
      const packed = execFileSync('tar', ['-C', folder, `--format=${format}`, '-cf', '-', deep]);
      for (const size of [1, 600, 65_536]) {
        const found = new Map(await read(packed, size));
        assert.equal(found.get(`${deep}/main.py`), 'x'.repeat(3000), `${format}, ${size}`);
        assert.equal(found.get(`${deep}/link.py`), 'link main.py', `${format}, ${size}`);
      }
    }
  });

  test('may have names with line breaks', async () => {
    const packed = tar([attribute('path', 'a\nb'), { path: 'short', content: 'hello' }]);
    assert.deepEqual(await read(packed), [['a\nb', 'hello']]);
  });

  test('need not be read to the end', async () => {
    const paths: string[] = [];
    const packed = tar([
      { path: 'large', content: 'x'.repeat(100_000) },
      { path: 'next', content: 'y' },
    ]);
    for await (const { path } of tarEntries(inPieces(packed, 4096))) paths.push(path);
    assert.deepEqual(paths, ['large', 'next']);
  });

  test('are refused with the reason', async () => {
    const whole = tar([{ path: 'a', content: 'x'.repeat(2000) }]);
    const refused: [string, Buffer, RegExp][] = [
      ['cut in a file', whole.subarray(0, 1024), /truncated/],
      ['cut in a header', whole.subarray(0, 300), /truncated/],
      ['cut before its end', whole.subarray(0, -1024), /truncated/],
      ['wrong checksum', Buffer.concat([Buffer.from('b'), whole.subarray(1)]), /not a tar archive/],
      ['name of 9 MB', tar([attribute('path', 'x'.repeat(9_000_000)), { path: 'a' }]), /name that is too long/],
      ['pipe', tar([{ path: 'a', type: '6' }]), /not a file, folder/],
    ];
    for (const [name, bytes, reason] of refused) {
      await assert.rejects(read(bytes, 65_536), { name: 'BuildFailed', message: reason }, name);
    }
  });

  test('fail with the read error of the disk', async () => {
    async function* failing(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(100, 'x');
      throw Object.assign(new Error('disk'), { code: 'EIO' });
    }
    await assert.rejects(async () => {
      for await (const _ of tarEntries(failing()));
    }, /disk/);
  });
});
