/**
 * `npm run test:prefect`: runs the scripts of the folder `scenarios` with the unmodified Prefect SDK against a server.
 * The last line is `N passed, N failed, N skipped`; the exit code is 1 when a scenario failed, 2 for a wrong command.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countsLine, printCountsAtEnd, secondTryLine } from '../support/counts.ts';
import type { TestPostgres } from '../support/postgres.ts';
import { openControl } from './control.ts';
import { lackingIn } from './old-clients.ts';
import { type Options, readOptions, UsageError, usage } from './options.ts';
import { hasPackage, PythonMissing, preparePython } from './python.ts';
import { listScenarios, type Outcome, runScenario, type Scenario } from './scenario.ts';
import { ServerProcess } from './server-process.ts';

const say = (line: string) => console.log(line);
const tally = { passed: 0, failed: 0, skipped: 0 };
/** With more failures than these there is one cause, and a second try would only take time. */
const mostSecondTries = 8;
/** The largest number of lines shown of a failing scenario. */
const longestOutput = 200;
const interrupted = new AbortController();

/** Clean-ups to run at the end, latest first. */
const cleanups: (() => Promise<unknown>)[] = [];

async function main(options: Options): Promise<void> {
  const all = await listScenarios();
  const chosen = choose(all, options.only)
    .filter(({ name }) => !options.except.some((part) => name.includes(part)))
    .filter(({ bothDatabases }) => bothDatabases || !options.bothDatabases)
    .filter(({ quick }) => quick || !options.quick);
  if (options.list) {
    for (const scenario of chosen) say(`${scenario.name.padEnd(width(chosen))}  ${scenario.promise}`);
    return;
  }

  const prepared = await preparePython(say, options.client).catch(skipAllIf(PythonMissing, chosen));
  if (!prepared) return;
  const { command: python, version } = prepared;
  const postgres = await startDatabase(options, chosen);
  if (postgres === 'missing') return;

  const folder = await mkdtemp(join(tmpdir(), 'signalbox-prefect-'));
  cleanups.push(async () =>
    options.keep ? say(`kept: ${folder}`) : rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  );
  let servers = 0;
  const startServer = async (settings: Record<string, string>) => {
    servers += 1;
    const server = await ServerProcess.start({
      kind: options.server,
      folder: join(folder, `server-${servers}`),
      postgresUrl: await postgres?.createDatabase(),
      settings,
      python,
      replicas: options.replicas,
    });
    cleanups.push(() => server.stop('SIGKILL'));
    return server;
  };

  const shared = !options.url && chosen.some((scenario) => !scenario.ownServer) ? await startServer({}) : undefined;
  const nameWidth = width(chosen);
  const failedOnce: Scenario[] = [];
  const runOne = async (scenario: Scenario, isSecondTry = false) => {
    const label = scenario.name.padEnd(nameWidth);
    if (options.url && scenario.ownServer) {
      tally.skipped += 1;
      say(`skip  ${label}  needs a server that it may restart`);
      return;
    }
    if (scenario.waitsFor && options.server === 'signalbox') {
      tally.skipped += 1;
      say(`skip  ${label}  waits for ${scenario.waitsFor}`);
      return;
    }
    const lacking = lackingIn(version, scenario.name);
    if (lacking !== undefined) {
      tally.skipped += 1;
      say(`skip  ${label}  Prefect ${version}: ${lacking}`);
      return;
    }
    if (scenario.needsPackage && !hasPackage(python, scenario.needsPackage)) {
      tally.skipped += 1;
      say(`skip  ${label}  needs the Python package ${scenario.needsPackage}`);
      return;
    }
    const home = join(folder, isSecondTry ? `${scenario.name}-again` : scenario.name);
    await mkdir(home, { recursive: true });
    const server = scenario.ownServer ? await startServer(scenario.serverSettings) : shared;
    const control = scenario.ownServer && server ? await openControl(server) : undefined;
    const apiUrl = options.url ?? server?.url ?? '';
    const outcome = await runScenario(scenario, { python, apiUrl, controlUrl: control?.url, home }, interrupted.signal);
    control?.close();
    const stopping = scenario.ownServer ? await server?.stop('SIGTERM').then(undefined, String) : undefined;
    if (interrupted.signal.aborted) return;
    const judged = stopping ? { ...outcome, passed: false, reason: outcome.reason ?? stopping } : outcome;
    report(label, judged);
    if (!judged.passed && !isSecondTry) failedOnce.push(scenario);
    if (!outcome.passed && server) say(indent(`last lines of the server's log:\n${await server.logTail()}`));
  };
  // The longest first, so that none of them is left to run alone at the end.
  const queue = chosen
    .filter((scenario) => !scenario.alone)
    .toSorted((one, other) => other.timeoutSeconds - one.timeoutSeconds);
  const worker = async () => {
    for (let next = queue.shift(); next && !interrupted.signal.aborted; next = queue.shift()) await runOne(next);
  };
  await Promise.all(Array.from({ length: options.parallel }, worker));
  queue.push(...chosen.filter((scenario) => scenario.alone));
  await worker();
  if (!options.url && failedOnce.length <= mostSecondTries) {
    // On a busy machine a client may wait too long once: with nothing beside it, the scenario has to pass.
    for (const scenario of failedOnce) {
      if (interrupted.signal.aborted) break;
      say(`again ${scenario.name}`);
      const { passed } = tally;
      tally.failed -= 1;
      await runOne(scenario, true);
      if (tally.passed > passed) say(secondTryLine(scenario.name));
    }
  }
  await shared?.stop('SIGTERM');
}

function choose(all: Scenario[], only: string[]): Scenario[] {
  if (only.length === 0) return all;
  const chosen = only.flatMap((part) => {
    const exact = all.filter(({ name }) => name === part);
    const matching = exact.length > 0 ? exact : all.filter(({ name }) => name.includes(part));
    if (matching.length === 0) throw new UsageError(`no scenario has ${part} in its name; see --list`);
    return matching;
  });
  return [...new Set(chosen)];
}

async function startDatabase(options: Options, chosen: Scenario[]): Promise<TestPostgres | undefined | 'missing'> {
  if (options.database === 'sqlite' || options.url) return undefined;
  // Imported only here: everything else of this suite runs without installed packages.
  const { startPostgres } = await import('../support/postgres.ts');
  const postgres = await startPostgres();
  if (!postgres) {
    skipAll('PostgreSQL 15 or later is missing: install it, or set SIGNALBOX_TEST_POSTGRES_URL', chosen);
    return 'missing';
  }
  cleanups.push(() => postgres.stop());
  return postgres;
}

function skipAllIf(kind: typeof PythonMissing, chosen: Scenario[]): (cause: unknown) => undefined {
  return (cause) => {
    if (!(cause instanceof kind)) throw cause;
    skipAll(cause.message, chosen);
    return undefined;
  };
}

function skipAll(reason: string, chosen: Scenario[]): void {
  say(`skip  all scenarios: ${reason}`);
  tally.skipped += chosen.length;
}

function report(label: string, outcome: Outcome): void {
  const seconds = `${outcome.seconds.toFixed(1).padStart(5)} s`;
  if (outcome.passed) tally.passed += 1;
  else tally.failed += 1;
  say(`${outcome.passed ? 'ok  ' : 'FAIL'}  ${label}  ${seconds}${outcome.reason ? `  ${outcome.reason}` : ''}`);
  for (const note of outcome.notes) say(`      ${note}`);
  if (!outcome.passed) say(indent(lastLines(outcome.output)));
}

/** The end of what a scenario wrote: the cause of a failure is there, and thousands of lines hide it. */
function lastLines(output: string): string {
  const lines = output.trimEnd().split('\n');
  const left = lines.length - longestOutput;
  return left > 0 ? [`(${left} lines before)`, ...lines.slice(left)].join('\n') : lines.join('\n');
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    | ');
}

function width(scenarios: Scenario[]): number {
  return Math.max(0, ...scenarios.map(({ name }) => name.length));
}

async function cleanUp(): Promise<void> {
  for (let undo = cleanups.pop(); undo; undo = cleanups.pop()) await undo().catch((cause) => console.error(cause));
}

const leave = () => {
  interrupted.abort();
  return cleanUp();
};
process.once('SIGINT', () => void leave().then(() => process.exit(130)));
printCountsAtEnd(() => tally, leave);

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) say(usage);
  else {
    try {
      await main(options);
    } finally {
      await cleanUp();
    }
    if (!options.list) say(countsLine(tally));
    process.exitCode = tally.failed > 0 ? 1 : 0;
  }
} catch (cause) {
  console.error(cause instanceof UsageError ? `${cause.message}\n\n${usage}` : cause);
  process.exitCode = cause instanceof UsageError ? 2 : 1;
}
