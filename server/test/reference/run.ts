import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arrivalCases } from './arrivals/consumers.ts';
import { World } from './generate/world.ts';
import { reportOpenApi } from './openapi.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { Report } from './report.ts';
import { resources } from './resources/index.ts';
import { sequence } from './sequence.ts';
import type { RunningServer } from './servers/process.ts';
import { startReference } from './servers/reference.ts';
import { startSignalbox } from './servers/signalbox.ts';
import { Session } from './session.ts';

const PROGRESS_SECONDS = 5;
const repository = join(import.meta.dirname, '../../..');

/** Ctrl-C ends the run with a report of the comparison so far, and stops both servers. */
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interrupted = true;
  });
}

/** Sends the same requests to both servers until enough were compared. A server that dies ends the run: see `failure`. */
async function compare(session: Session, options: Options): Promise<{ report: Report; failure?: string }> {
  const report = new Report(options.examples);
  const world = new World(options.seed, Date.now());
  const log = options.log === undefined ? undefined : createWriteStream(options.log);
  const started = Date.now();
  let lastProgress = started;
  let number = 0;
  for (const step of sequence(world, resources, options.routes)) {
    number += 1;
    try {
      const result = await session.execute(step);
      log?.write(`${JSON.stringify({ number, route: step.route, note: step.note, ...result })}\n`);
      const isSilent = step.kind === 'http' && step.silent;
      if (!isSilent && (!options.routes || options.routes.test(step.route))) report.add(number, step, result);
    } catch (error) {
      return { report, failure: `Request #${number}, ${step.route}: ${(error as Error).message}` };
    }
    if (report.requests >= options.requests || interrupted) break;
    if (Date.now() - lastProgress > PROGRESS_SECONDS * 1000) {
      lastProgress = Date.now();
      const seconds = Math.round((lastProgress - started) / 1000);
      process.stderr.write(
        `${seconds} s: ${report.requests} requests, ${report.unexplained} unexplained differences\n`,
      );
    }
  }
  log?.end();
  return { report };
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Histories of events in any order of arrival, sent to servers whose only service are triggers. */
async function reportArrivals(
  { arrivals, seed, database }: Options,
  folder: string,
  start: (server: Promise<RunningServer>) => Promise<string>,
  print: (line: string) => void,
): Promise<{ passed: number; failed: number }> {
  if (arrivals === 0 || interrupted) return { passed: 0, failed: 0 };
  const own = join(folder, 'arrivals');
  const reference = await start(startReference(own, true));
  const ours = await start(startSignalbox(repository, own, database, 'triggers'));
  const result = { passed: 0, failed: 0 };
  for (const [consumer, arrivalCase] of Object.entries(arrivalCases)) {
    if (!('compare' in arrivalCase)) continue;
    const { compared, differences } = await arrivalCase.compare({ ours, reference }, seed, arrivals);
    print(`\n${consumer}: ${compared} histories of events, ${differences.length} differ`);
    for (const difference of differences.slice(0, 5)) print(JSON.stringify(difference));
    result.passed += compared - differences.length;
    result.failed += differences.length;
  }
  return result;
}

async function main(): Promise<number> {
  let options: Options;
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-reference-'));
  const startedAt = Date.now();
  const started: RunningServer[] = [];
  const start = async (server: Promise<RunningServer>) => {
    const running = await server;
    started.push(running);
    return running.url;
  };
  try {
    const reference = options.reference ?? (await start(startReference(folder)));
    const ours = options.ours ?? (await start(startSignalbox(repository, folder, options.database)));
    const session = new Session(reference, ours, startedAt);
    const { report, failure } = await compare(session, options);
    session.close();
    report.print(write);
    if (failure) write(`\n${failure}`);
    const { base } = session.clients.ours;
    const documents =
      options.openapi && !failure
        ? await reportOpenApi(base.href, session.clients.reference.base.href, write)
        : { passed: 0, failed: 0 };
    const arrivals = failure ? { passed: 0, failed: 0 } : await reportArrivals(options, folder, start, write);
    const { requests, unexplained, explained, routes } = report;
    write(`\n${requests} requests compared, ${unexplained} unexplained differences, ${explained} explained`);
    const failed = documents.failed + arrivals.failed;
    write(`${routes.passed + documents.passed + arrivals.passed} passed, ${routes.failed + failed} failed`);
    return unexplained > 0 || failed > 0 || failure !== undefined ? 1 : 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    await Promise.all(started.map((server) => server.stop()));
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
