/** Writes the data that an import would read into a folder of files, from which an import can read it later. */
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeWholeFolder } from '../../files/whole-folder.ts';
import { jsonTextOf } from '../../values/json.ts';
import { type Timestamp, wireTimestamp } from '../../values/time.ts';
import { VERSION } from '../../values/versions.ts';
import { type ExportManifest, FILES, type FileKind, FORMAT, fileOf, MANIFEST } from './sources/folder-format.ts';
import { withoutSecrets } from './sources/hidden-secrets.ts';
import { hasBegun, KINDS, type Page, RUNS_TOGETHER, type RunBatch, type Source } from './sources/source.ts';

interface Export {
  readonly source: Source;
  /** A folder that does not exist yet. It appears only when it is complete. */
  readonly folder: string;
  readonly withSecrets: boolean;
  readonly since: Timestamp;
  readonly now: Timestamp;
  onProgress(doing: string): void;
}

/** Throws ConfigError when the folder exists or when the source cannot be read; then no folder is left. */
export async function runExport(given: Export): Promise<ExportManifest> {
  const { folder, source, since, now, withSecrets } = given;
  return makeWholeFolder(folder, async (part) => {
    const files = new Map<FileKind, LineFile>();
    try {
      for (const kind of FILES) files.set(kind, await LineFile.create(fileOf(part, kind)));
      const { waiting, earlier } = await writeAll(given, (kind, page) => files.get(kind)?.write(page));
      const written = await Promise.all(Array.from(files, async ([kind, file]) => [kind, await file.end()] as const));
      const manifest: ExportManifest = {
        format: FORMAT,
        version: VERSION,
        made: wireTimestamp(now),
        source: source.name,
        since: wireTimestamp(since),
        withSecrets,
        runsTogether: RUNS_TOGETHER,
        waiting,
        earlier,
        files: Object.fromEntries(written) as ExportManifest['files'],
      };
      await writeFile(join(part, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600 });
      return manifest;
    } finally {
      for (const file of files.values()) await file.close();
    }
  });
}

type Write = (kind: FileKind, page: Page) => Promise<void> | undefined;

async function writeAll(
  { source, since, now, withSecrets, onProgress }: Export,
  write: Write,
): Promise<{ waiting: number; earlier: number }> {
  for (const kind of KINDS) {
    onProgress(kind.replaceAll('_', ' '));
    const hides = kind === 'block_documents' && !withSecrets;
    for await (const page of source.objects(kind)) await write(kind, hides ? page.map(withoutSecrets) : page);
  }
  const total = await source.runCount(since);
  let done = 0;
  for await (const batch of source.runs(since, now)) {
    onProgress(`runs, ${done} of ${total}`);
    await writeRuns(batch, write);
    done += batch.runs.length;
  }
  let waiting = 0;
  for await (const batch of source.waitingRuns()) {
    onProgress('runs that have not started');
    await writeRuns(batch, write);
    waiting += batch.runs.length;
  }
  onProgress('background task runs');
  for await (const page of source.backgroundTaskRuns(since)) await write('background_task_runs', page.filter(hasBegun));
  for await (const page of source.events(since, now)) {
    onProgress(`events of ${String(page[0]?.['occurred']).slice(0, 10)}`);
    await write('events', page);
  }
  return { waiting, earlier: await source.earlierRunCount(since) };
}

async function writeRuns(batch: RunBatch, write: Write): Promise<void> {
  await write('flow_runs', batch.runs);
  const states = await batch.states();
  for (const [index, run] of batch.runs.entries()) {
    const ofRun = states[index] ?? [];
    await write(
      'flow_run_states',
      ofRun.map((state) => ({ ...state, flow_run_id: run['id'] })),
    );
  }
  for await (const page of batch.taskRuns()) await write('task_runs', page);
  for await (const page of batch.logs()) await write('logs', page);
  for await (const page of batch.inputs()) await write('flow_run_inputs', page);
}

/** A file to which lines are appended, readable only by its owner. */
class LineFile {
  readonly #file: FileHandle;
  readonly #hash: Hash = createHash('sha256');
  #lines = 0;
  #isOpen = true;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(path: string): Promise<LineFile> {
    return new LineFile(await open(path, 'wx', 0o600));
  }

  async write(objects: Page): Promise<void> {
    if (objects.length === 0) return;
    const text = objects.map((object) => `${jsonTextOf(object)}\n`).join('');
    this.#hash.update(text);
    this.#lines += objects.length;
    await this.#file.appendFile(text);
  }

  async end(): Promise<{ lines: number; sha256: string }> {
    await this.#file.sync();
    await this.close();
    return { lines: this.#lines, sha256: this.#hash.digest('hex') };
  }

  async close(): Promise<void> {
    if (this.#isOpen) await this.#file.close();
    this.#isOpen = false;
  }
}
