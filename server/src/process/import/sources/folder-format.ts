/**
 * A folder that `signalbox export` writes: a file of JSON lines for each kind of object, and `export.json`, which lists
 * the files with their lines and checksums.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ConfigError } from '../../../errors.ts';
import { isJsonObject } from '../../../values/json.ts';
import { KINDS } from './source.ts';

export const MANIFEST = 'export.json';
/** Changes when older programs can no longer read what newer ones write. */
export const FORMAT = 2;
/** Format 1 has neither runs that have not begun nor inputs. */
const READABLE: ReadonlySet<number> = new Set([1, FORMAT]);
const SINCE_FORMAT_2: ReadonlySet<string> = new Set(['flow_run_inputs']);

/** The kinds in the order in which they are written. The names of the files are `<kind>.jsonl`. */
export const FILES = [
  ...KINDS,
  'flow_runs',
  'flow_run_states',
  'task_runs',
  'logs',
  'flow_run_inputs',
  'background_task_runs',
  'events',
] as const;

export type FileKind = (typeof FILES)[number];

interface WrittenFile {
  readonly lines: number;
  readonly sha256: string;
}

export interface ExportManifest {
  readonly format: number;
  /** Version of Signalbox that wrote it. */
  readonly version: string;
  /** When the export began. */
  readonly made: string;
  /** The address that was read. */
  readonly source: string;
  /** Runs and events from this time on. */
  readonly since: string;
  /** Whether the secrets of blocks are in it, as far as the source showed them. */
  readonly withSecrets: boolean;
  /** What belongs to so many runs is written together, in this order. */
  readonly runsTogether: number;
  /** Runs that had not begun. They are the last ones in `flow_runs.jsonl`; an export of format 1 leaves them out. */
  readonly waiting: number;
  /** Runs before `since`, which the export was not asked for. Absent in older exports. */
  readonly earlier?: number;
  readonly files: Readonly<Record<FileKind, WrittenFile>>;
}

export function fileOf(folder: string, kind: FileKind): string {
  return join(folder, `${kind}.jsonl`);
}

/** Throws ConfigError for a folder that is not an export, or whose files are missing or were changed. */
export async function readManifest(folder: string): Promise<ExportManifest> {
  const manifest = await parse(folder);
  if (!READABLE.has(manifest.format)) {
    throw new ConfigError(
      `${folder} was written by Signalbox ${manifest.version}, in a form that this one cannot read.`,
    );
  }
  for (const kind of FILES) {
    if (manifest.format === 1 && SINCE_FORMAT_2.has(kind)) continue;
    const { sha256 } = manifest.files[kind] ?? {};
    const found = sha256 && (await digestOf(fileOf(folder, kind)).catch(() => undefined));
    if (found === undefined) throw new ConfigError(`The export ${folder} lacks its file ${kind}.jsonl.`);
    if (found !== sha256) throw new ConfigError(`The file ${kind}.jsonl of the export ${folder} has changed.`);
  }
  return manifest;
}

async function parse(folder: string): Promise<ExportManifest> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8'));
    const isWhole = isJsonObject(manifest) && isJsonObject(manifest['files']) && Number(manifest['runsTogether']) > 0;
    if (isWhole) return manifest as unknown as ExportManifest;
  } catch {
    // Said below, whatever the reason.
  }
  throw new ConfigError(`${folder} is not an export: it has no ${MANIFEST} that can be read.`);
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
