/**
 * The format of a folder that `signalbox export` writes: a file of JSON lines for each kind of object, and
 * `export.json`, which lists the files with their line counts and checksums.
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
/** Increases when older programs cannot read the new format. */
export const FORMAT = 2;
/** Format 1 lacks runs that have not begun, and inputs. */
const READABLE: ReadonlySet<number> = new Set([1, FORMAT]);
const SINCE_FORMAT_2: ReadonlySet<string> = new Set(['flow_run_inputs']);

/** The kinds in the order of writing. The files are named `<kind>.jsonl`. */
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
  /** Start of the export. */
  readonly made: string;
  /** Address of the source. */
  readonly source: string;
  /** Runs and events from this time on. */
  readonly since: string;
  /** True if it contains the secrets of blocks, as far as the source revealed them. */
  readonly withSecrets: boolean;
  /** The number of runs in a batch. The data of a batch is written together, in this order. */
  readonly runsTogether: number;
  /**
   * Number of runs that had not begun. They are the last ones in `flow_runs.jsonl`; an export of format 1 omits them.
   */
  readonly waiting: number;
  /** Number of runs before `since`, which are not in the export. Absent in older exports. */
  readonly earlier?: number;
  readonly files: Readonly<Record<FileKind, WrittenFile>>;
}

export function fileOf(folder: string, kind: FileKind): string {
  return join(folder, `${kind}.jsonl`);
}

/** Throws ConfigError for a folder that is not an export, or whose files are missing or changed. */
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
    // The code below throws the same error for every reason.
  }
  throw new ConfigError(`${folder} is not an export: it has no ${MANIFEST} that can be read.`);
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
