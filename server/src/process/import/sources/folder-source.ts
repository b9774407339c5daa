/** Reads a folder that `signalbox export` wrote, line by line. */
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { ConfigError } from '../../../errors.ts';
import { parseDateTime } from '../../../schema/parse-datetime.ts';
import { isJsonObject, parseJson } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';
import { type ExportManifest, type FileKind, fileOf, readManifest } from './folder-format.ts';
import { hasBegun, type Kind, type Page, type RunBatch, type Source, type SourceObject } from './source.ts';

/** Objects in one page. */
const PAGE = 200;

export class FolderSource implements Source {
  readonly name: string;
  readonly #folder: string;
  readonly #manifest: ExportManifest;

  private constructor(folder: string, manifest: ExportManifest) {
    this.#folder = folder;
    this.#manifest = manifest;
    this.name = `${resolve(folder)} of ${manifest.made}`;
  }

  /** Throws ConfigError for a folder that is not a complete export. */
  static async open(folder: string): Promise<FolderSource> {
    return new FolderSource(folder, await readManifest(folder));
  }

  /** The start of the export's time window. */
  get since(): Timestamp {
    return parseDateTime(this.#manifest.since) ?? notAnExport(this.#folder);
  }

  objects(kind: Kind): AsyncGenerator<Page> {
    return inPages(this.#lines(kind), PAGE);
  }

  get remarks(): readonly string[] {
    return [];
  }

  runs(from: Timestamp, end: Timestamp): AsyncGenerator<RunBatch> {
    return this.#batches((run) => hasBegun(run) && isBetween(run['expected_start_time'], from, end));
  }

  waitingRuns(): AsyncGenerator<RunBatch> {
    return this.#batches((run) => !hasBegun(run));
  }

  async *#batches(isWanted: (run: SourceObject) => boolean): AsyncGenerator<RunBatch> {
    const states = new Cursor(this.#lines('flow_run_states'));
    const taskRuns = new Cursor(this.#lines('task_runs'));
    const logs = new Cursor(this.#lines('logs'));
    const inputs = new Cursor(this.#lines('flow_run_inputs'));
    const endsBatch = (last: SourceObject, next: SourceObject) => hasBegun(last) && !hasBegun(next);
    for await (const written of inPages(this.#lines('flow_runs'), this.#manifest.runsTogether, endsBatch)) {
      const ofBatch = new Set(written.map(({ id }) => id));
      const runs = written.filter(isWanted);
      const wanted = new Set(runs.map(({ id }) => id));
      if (wanted.size > 0) {
        yield {
          runs,
          states: async () => {
            const byRun = new Map<unknown, SourceObject[]>();
            for await (const page of states.of(ofBatch)) {
              for (const state of page) {
                const ofRun = byRun.get(state['flow_run_id']) ?? [];
                ofRun.push(state);
                byRun.set(state['flow_run_id'], ofRun);
              }
            }
            return runs.map(({ id }) => byRun.get(id) ?? []);
          },
          taskRuns: () => taskRuns.of(ofBatch, wanted),
          logs: () => logs.of(ofBatch, wanted),
          inputs: () => inputs.of(ofBatch, wanted),
        };
      }
      for (const cursor of [states, taskRuns, logs, inputs]) await cursor.pass(ofBatch);
    }
  }

  backgroundTaskRuns(since: Timestamp): AsyncGenerator<Page> {
    return this.#since('background_task_runs', 'expected_start_time', since);
  }

  events(since: Timestamp): AsyncGenerator<Page> {
    return this.#since('events', 'occurred', since);
  }

  async runCount(): Promise<number> {
    const { lines } = this.#manifest.files.flow_runs;
    return this.#manifest.format === 1 ? lines : lines - this.#manifest.waiting;
  }

  /** Only counts runs that the export omitted, not the runs in its files that the import skips. */
  async earlierRunCount(): Promise<number> {
    return this.#manifest.earlier ?? 0;
  }

  async marker(): Promise<undefined> {}

  async *#since(kind: FileKind, field: string, since: Timestamp): AsyncGenerator<Page> {
    for await (const page of inPages(this.#lines(kind), PAGE)) yield page.filter((one) => isBetween(one[field], since));
  }

  async *#lines(kind: FileKind): AsyncGenerator<SourceObject> {
    if (this.#manifest.files[kind] === undefined) return;
    const file = fileOf(this.#folder, kind);
    const lines = createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
    let number = 0;
    for await (const line of lines) {
      number += 1;
      yield objectIn(line) ?? notAnObject(file, number);
    }
  }
}

/** A file whose lines belong to consecutive batches of flow runs. */
class Cursor {
  readonly #lines: AsyncIterator<SourceObject>;
  /** The line that was read ahead and belongs to a later batch. */
  #next: SourceObject | undefined;

  constructor(lines: AsyncIterator<SourceObject>) {
    this.#lines = lines;
  }

  /** The lines of the batch, in pages; lines of runs outside `wanted` are skipped. */
  async *of(batch: ReadonlySet<unknown>, wanted = batch): AsyncGenerator<Page> {
    let page: SourceObject[] = [];
    for (;;) {
      this.#next ??= (await this.#lines.next()).value as SourceObject | undefined;
      if (!this.#next || !batch.has(this.#next['flow_run_id'])) break;
      if (wanted.has(this.#next['flow_run_id'])) page.push(this.#next);
      this.#next = undefined;
      if (page.length < PAGE) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }

  async pass(batch: ReadonlySet<unknown>): Promise<void> {
    for await (const _page of this.of(batch, new Set()));
  }
}

/** `ends` is true if a page must end between two objects, even if it has room. */
async function* inPages(
  objects: AsyncIterable<SourceObject>,
  size: number,
  ends: (last: SourceObject, next: SourceObject) => boolean = () => false,
): AsyncGenerator<Page> {
  let page: SourceObject[] = [];
  for await (const object of objects) {
    const last = page.at(-1);
    if (last && (page.length >= size || ends(last, object))) {
      yield page;
      page = [];
    }
    page.push(object);
  }
  if (page.length > 0) yield page;
}

function isBetween(value: unknown, from: Timestamp, end?: Timestamp): boolean {
  const time = parseDateTime(String(value));
  return time !== undefined && time >= from && (end === undefined || time <= end);
}

function objectIn(line: string): SourceObject | undefined {
  try {
    const value = parseJson(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function notAnExport(folder: string): never {
  throw new ConfigError(`${folder} does not contain the time of its oldest runs.`);
}

function notAnObject(file: string, line: number): never {
  throw new ConfigError(`Line ${line} of ${file} is not a JSON object.`);
}
