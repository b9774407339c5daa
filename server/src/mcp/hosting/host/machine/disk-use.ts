/**
 * Measures the disk space of a program's folders. The system's own tools count, in separate processes and through open
 * folders, so that neither the number of files nor the depth of folders blocks this process.
 */
import { execFile } from 'node:child_process';

/** Limit of the output about deleted files that are still open, and about unreadable entries. */
const MOST_OUTPUT_BYTES = 4 * 1024 * 1024;
const MOST_MILLISECONDS = 30_000;
/** Source: stat(2). */
const BLOCK_BYTES = 512;
/** Tests of find(1). The kernel mounts the files of memfd_create(2) nowhere, so their kind is unknown. */
const NOT_ON_DISK = ['!', '-fstype', 'unknown'];
const IN_MEMORY = ['!', '-fstype', 'tmpfs'];
const GONE = /No such file or directory$|No such process$/;

interface DiskUse {
  readonly bytes: number;
  /** Files, folders and links. */
  readonly files: number;
}

/**
 * The bytes of all files in `folders`, and of deleted files that `processes` keep open. Undefined when they could not
 * be counted, for example because of an inaccessible folder. With `isMemoryLimited`, deleted files in memory are left
 * to that limit.
 */
export async function diskUseOf(
  folders: readonly string[],
  processes: readonly number[],
  isMemoryLimited: boolean,
): Promise<DiskUse | undefined> {
  const places = [...new Set(folders)];
  const [bytes, files, deleted] = await Promise.all([
    sumOf(['du', '-s', '-B1', '--', ...places]),
    sumOf(['du', '-s', '--inodes', '--', ...places]),
    deletedBytes(processes, isMemoryLimited),
  ]);
  if (bytes === undefined || files === undefined || deleted === undefined) return undefined;
  return { bytes: bytes + deleted, files };
}

/** Adds the numbers at the starts of the lines. */
async function sumOf(words: readonly string[]): Promise<number | undefined> {
  const printed = await outputOf(words);
  return printed?.split('\n').reduce((sum, line) => sum + Number.parseInt(line || '0', 10), 0);
}

/** A file with several descriptors counts once. */
async function deletedBytes(processes: readonly number[], isMemoryLimited: boolean): Promise<number | undefined> {
  if (processes.length === 0) return 0;
  const places = processes.map((pid) => `/proc/${pid}/fd`);
  const tests = [
    '-mindepth',
    '1',
    '-maxdepth',
    '1',
    '-type',
    'f',
    '-links',
    '0',
    ...NOT_ON_DISK,
    ...(isMemoryLimited ? IN_MEMORY : []),
    '-printf',
    '%D:%i %b\n',
  ];
  const printed = await outputOf(['find', '-L', ...places, ...tests]);
  if (printed === undefined) return undefined;
  const files = new Map<string, number>();
  for (const line of printed.split('\n')) {
    const [file = '', blocks = '0'] = line.split(' ');
    files.set(file, Number(blocks) * BLOCK_BYTES);
  }
  return files.values().reduce((sum, bytes) => sum + bytes, 0);
}

/** Undefined when anything except a deleted file could not be read. */
function outputOf([tool = '', ...words]: readonly string[]): Promise<string | undefined> {
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' };
  const options = { env, maxBuffer: MOST_OUTPUT_BYTES, timeout: MOST_MILLISECONDS, encoding: 'latin1' } as const;
  return new Promise((resolve) => {
    execFile(tool, words, options, (error, stdout, stderr) => {
      const problems = stderr.split('\n').filter((line) => line !== '' && !GONE.test(line));
      const isOver = typeof error?.code === 'string' || (error?.killed ?? false);
      resolve(isOver || problems.length > 0 ? undefined : stdout);
    });
  });
}
