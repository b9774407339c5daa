/** Reads a folder that `signalbox export` wrote, line by line. */
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { ConfigError } from '../errors.ts';
import { isJsonObject, parseJson } from '../json.ts';
import { parseDateTime } from '../schema/parse-datetime.ts';
import type { Timestamp } from '../time.ts';
import { type ExportManifest, FILES, type FileKind, fileOf, readManifest } from './folder-format.ts';
import type { Kind, Page, RunBatch, Source, SourceObject } from './source.ts';

/** Objects that are handed on together. */
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

  /** Throws ConfigError for a folder that is not a whole export. */
  static async open(folder: string): Promise<FolderSource> {
    return new FolderSource(folder, await readManifest(folder));
  }

  /** The beginning of the window that the export was asked for. */
  get since(): Timestamp {
    return parseDateTime(this.#manifest.since) ?? notAnExport(this.#folder);
  }

  objects(kind: Kind): AsyncGenerator<Page> {
    return inPages(this.#lines(kind), PAGE);
  }

  async *runs(from: Timestamp, end: Timestamp): AsyncGenerator<RunBatch> {
    const states = new Cursor(this.#lines('flow_run_states'));
    const taskRuns = new Cursor(this.#lines('task_runs'));
    const logs = new Cursor(this.#lines('logs'));
    const isWanted = (run: SourceObject) => isBetween(run['expected_start_time'], from, end);
    let waiting = this.#manifest.waiting;
    for await (const written of inPages(this.#lines('flow_runs'), this.#manifest.runsTogether)) {
      const ofBatch = new Set(written.map(({ id }) => id));
      const runs = written.filter(isWanted);
      const wanted = new Set(runs.map(({ id }) => id));
      if (wanted.size > 0) {
        yield {
          runs,
          waiting,
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
        };
        waiting = 0;
      }
      for (const cursor of [states, taskRuns, logs]) await cursor.pass(ofBatch);
    }
    if (waiting > 0) yield { runs: [], waiting, states: async () => [], taskRuns: nothing, logs: nothing };
  }

  backgroundTaskRuns(since: Timestamp): AsyncGenerator<Page> {
    return this.#since('background_task_runs', 'expected_start_time', since);
  }

  events(since: Timestamp): AsyncGenerator<Page> {
    return this.#since('events', 'occurred', since);
  }

  async runCount(): Promise<number> {
    return this.#manifest.files.flow_runs.lines + this.#manifest.waiting;
  }

  async counts(): Promise<Record<string, number>> {
    const { files } = this.#manifest;
    return Object.fromEntries(FILES.map((kind) => [kind.replaceAll('_', ' '), files[kind].lines]));
  }

  async *#since(kind: FileKind, field: string, since: Timestamp): AsyncGenerator<Page> {
    for await (const page of inPages(this.#lines(kind), PAGE)) yield page.filter((one) => isBetween(one[field], since));
  }

  async *#lines(kind: FileKind): AsyncGenerator<SourceObject> {
    const file = fileOf(this.#folder, kind);
    const lines = createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
    let number = 0;
    for await (const line of lines) {
      number += 1;
      yield objectIn(line) ?? notAnObject(file, number);
    }
  }
}

/** A file whose lines belong to batches of flow runs, one batch behind the other. */
class Cursor {
  readonly #lines: AsyncIterator<SourceObject>;
  /** The line that was read and belongs to a later batch. */
  #next: SourceObject | undefined;

  constructor(lines: AsyncIterator<SourceObject>) {
    this.#lines = lines;
  }

  /** The lines of the batch, in pages; `wanted` leaves out those of other runs. */
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

async function* inPages(objects: AsyncIterable<SourceObject>, size: number): AsyncGenerator<Page> {
  let page: SourceObject[] = [];
  for await (const object of objects) {
    page.push(object);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

async function* nothing(): AsyncGenerator<Page> {
  // There is nothing.
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
  throw new ConfigError(`${folder} does not tell since when it holds runs.`);
}

function notAnObject(file: string, line: number): never {
  throw new ConfigError(`Line ${line} of ${file} is not a JSON object.`);
}
