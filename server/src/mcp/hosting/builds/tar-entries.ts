/** Reads the entries of a tar stream: ustar, with the long names of pax and GNU. */
import { BuildFailed } from './build-failed.ts';

const BLOCK = 512;
/** The limit of the long names and attributes before an entry. */
const MAX_EXTENSION_BYTES = 1_048_576;

export interface TarEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link';
  readonly isExecutable: boolean;
  readonly sizeBytes: number;
  /** The target of a link. */
  readonly target: string;
  /** The content of a file. Read it to the end before the next entry. */
  readonly content: AsyncIterable<Buffer>;
}

/** Throws BuildFailed when it is not a tar archive, and for entries other than files, folders and symbolic links. */
export async function* tarEntries(stream: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const source = new Source(stream);
  let longPath: string | undefined;
  let longTarget: string | undefined;
  let longSize: number | undefined;
  for (;;) {
    const header = await source.take(BLOCK);
    if (!header || header.every((byte) => byte === 0)) return;
    checkHeader(header);
    const type = String.fromCharCode(header[156] ?? 0);
    const size = longSize ?? numberAt(header, 124, 12);
    const padding = (BLOCK - (size % BLOCK)) % BLOCK;
    if (type === 'x' || type === 'g' || type === 'L' || type === 'K') {
      if (size > MAX_EXTENSION_BYTES) throw new BuildFailed('The archive contains a name that is too long.');
      const extension = (await source.take(size)) ?? cutShort();
      await source.skip(padding);
      if (type === 'L') longPath = untilNul(extension);
      if (type === 'K') longTarget = untilNul(extension);
      if (type === 'x') {
        const attributes = paxAttributes(extension);
        longPath = attributes.get('path') ?? longPath;
        longTarget = attributes.get('linkpath') ?? longTarget;
        longSize = attributes.has('size') ? Number(attributes.get('size')) : undefined;
      }
      continue;
    }
    const content = new Content(source, size);
    yield {
      path: longPath ?? pathOf(header),
      kind: kindOf(type),
      isExecutable: (numberAt(header, 100, 8) & 0o100) !== 0,
      sizeBytes: size,
      target: longTarget ?? untilNul(header.subarray(157, 257)),
      content,
    };
    longPath = undefined;
    longTarget = undefined;
    longSize = undefined;
    await content.skipRest();
    await source.skip(padding);
  }
}

function kindOf(type: string): TarEntry['kind'] {
  if (type === '0' || type === '\0') return 'file';
  if (type === '5') return 'folder';
  if (type === '2') return 'link';
  throw new BuildFailed('The archive contains an entry that is not a file, folder or symbolic link.');
}

function pathOf(header: Buffer): string {
  const name = untilNul(header.subarray(0, 100));
  const prefix = header.toString('latin1', 257, 262) === 'ustar' ? untilNul(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function checkHeader(header: Buffer): void {
  let sum = 0;
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 32 : byte;
  if (sum !== numberAt(header, 148, 8)) throw new BuildFailed('The file is not a tar archive.');
}

function numberAt(header: Buffer, start: number, length: number): number {
  const first = header[start] ?? 0;
  const text = header
    .toString('latin1', start, start + length)
    .replace(/[\0 ]+$/, '')
    .trim();
  const value =
    first >= 0x80 ? Number.NaN : text === '' ? 0 : /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw new BuildFailed('The file is not a tar archive.');
  return value;
}

function paxAttributes(bytes: Buffer): Map<string, string> {
  const attributes = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at);
    const length = Number(bytes.toString('latin1', at, space));
    if (space === -1 || !Number.isSafeInteger(length) || length <= space - at) break;
    const [, key = '', value = ''] = /^([^=]*)=([\s\S]*)\n$/.exec(bytes.toString('utf8', space + 1, at + length)) ?? [];
    attributes.set(key, value);
    at += length;
  }
  return attributes;
}

function untilNul(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
}

function cutShort(): never {
  throw new BuildFailed('The archive is truncated.');
}

class Content implements AsyncIterable<Buffer> {
  readonly #source: Source;
  #left: number;

  constructor(source: Source, size: number) {
    this.#source = source;
    this.#left = size;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    while (this.#left > 0) {
      const piece = (await this.#source.piece(this.#left)) ?? cutShort();
      this.#left -= piece.length;
      yield piece;
    }
  }

  async skipRest(): Promise<void> {
    await this.#source.skip(this.#left);
    this.#left = 0;
  }
}

class Source {
  readonly #stream: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>) {
    this.#stream = stream[Symbol.asyncIterator]();
  }

  /** Some bytes, at most `limit`; undefined at the end. */
  async piece(limit: number): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#stream.next();
      if (done) return undefined;
      this.#rest = value;
    }
    const taken = this.#rest.subarray(0, limit);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  /** Exactly so many bytes; undefined at the end of the stream. */
  async take(count: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for (let left = count; left > 0; ) {
      const piece = await this.piece(left);
      if (!piece) return parts.length === 0 ? undefined : cutShort();
      parts.push(piece);
      left -= piece.length;
    }
    return Buffer.concat(parts);
  }

  async skip(count: number): Promise<void> {
    for (let left = count; left > 0; ) left -= ((await this.piece(left)) ?? cutShort()).length;
  }
}
