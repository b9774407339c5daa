/** Archives for tests, including archives that no program would make. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

export interface TarItem {
  readonly path: string;
  readonly content?: string | Buffer;
  /** `0` file, `1` hard link, `2` symbolic link, `3` device, `5` folder. */
  readonly type?: string;
  readonly target?: string;
}

const BLOCK = 512;

export function tar(items: readonly TarItem[]): Buffer {
  const parts = items.flatMap(({ path, content = '', type = '0', target = '' }) => {
    const bytes = Buffer.from(content);
    const header = Buffer.alloc(BLOCK);
    // A path that is too long for its field begins in another one.
    const cut = path.length > 100 ? path.indexOf('/', path.length - 101) : -1;
    header.write(path.slice(cut + 1), 0, 100);
    header.write(path.slice(0, Math.max(0, cut)), 345, 155);
    header.write('0000644\0', 100);
    header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
    header.write('        ', 148);
    header.write(type, 156);
    header.write(target, 157, 100);
    header.write('ustar\0', 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

export function archive(items: readonly TarItem[]): Buffer {
  return gzipSync(tar(items));
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
