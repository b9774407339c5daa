/**
 * Reads the entries of a tar stream (ustar, pax, GNU), with the errors of a build. `unpack.ts` decides which of them
 * are written.
 */
import { createTarDecoder, type TarHeader } from 'modern-tar';
import { BuildFailed } from '../../boundary/build-failed.ts';

export interface TarEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link';
  readonly isExecutable: boolean;
  /** The target of a link. */
  readonly target: string;
  /** The content of a file. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** Throws BuildFailed when it is not a tar archive, and for entries other than files, folders and symbolic links. */
export async function* tarEntries(stream: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const entries = ReadableStream.from(stream).pipeThrough(createTarDecoder({ strict: true }));
  try {
    for await (const { header, body } of entries) {
      yield {
        path: header.name,
        kind: kindOf(header),
        isExecutable: ((header.mode ?? 0) & 0o100) !== 0,
        target: header.linkname ?? '',
        content: contentOf(body),
      };
      // An unread body would block the next entry.
      await body.cancel();
    }
  } catch (error) {
    throw readable(error);
  }
}

async function* contentOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw readable(error);
  }
}

function kindOf({ type }: TarHeader): TarEntry['kind'] {
  if (type === 'file') return 'file';
  if (type === 'directory') return 'folder';
  if (type === 'symlink') return 'link';
  throw new BuildFailed('The archive contains an entry that is not a file, folder or symbolic link.');
}

/** Errors of the decoder have no code; an error with a code comes from the disk, not from the archive. */
function readable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof BuildFailed || 'code' in error) return error;
  if (error.message.includes('truncated')) return new BuildFailed('The archive is truncated.');
  if (error.message.includes('exceeds maximum size')) {
    return new BuildFailed('The archive contains a name that is too long.');
  }
  return new BuildFailed('The file is not a tar archive, or it is damaged.');
}
