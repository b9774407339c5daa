/**
 * Measures what 20 noisy hosted programs cost another tenant, who reads one object every 20 ms: ten answer calls with lines of
 * 10 MB, ten push such lines to an open stream, and meanwhile servers with a noisy build are made and removed. Rounds without
 * and with them alternate; the median of the rounds counts.
 *
 *   node bench/gateway/noisy-programs.ts --rounds 5 --seconds 10
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ANSWER_FIRST, HostedPrograms, hasEnded, packageBuiltBy } from '../../server/test/faults/hosted-programs.ts';
import { startTwoTenants } from '../../server/test/faults/two-tenants.ts';
import type { Measured, Work } from './noisy-clients.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '10' } },
});
const PROGRAMS = 20;
const LINE_BYTES = 9_900_000;
const ANSWERS = `${ANSWER_FIRST}
text = 'x' * ${LINE_BYTES}
for line in sys.stdin:
    message = json.loads(line)
    result = {'content': [{'type': 'text', 'text': text}]}
    if 'id' in message: print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], 'result': result}), flush=True)
`;
const PUSHES = `${ANSWER_FIRST}
params = {'level': 'info', 'data': 'x' * ${LINE_BYTES}}
line = json.dumps({'jsonrpc': '2.0', 'method': 'notifications/message', 'params': params})
while True: print(line, flush=True)
`;
const NOISY_BUILD = `
import os
for at in range(200): os.write(1, b'line\\n' * 20_000)
for at in range(4000): open(f'{at}', 'w').close()
`;

const tenants = await startTwoTenants(0, undefined, { SIGNALBOX_HOSTING: 'sandbox' });
const programs = new HostedPrograms(() => tenants);
const noisy: Work['programs'][number][] = [];
for (let at = 0; at < PROGRAMS; at++) {
  const pushes = at % 2 === 1;
  noisy.push({ url: (await programs.deployed(pushes ? PUSHES : ANSWERS)).url, pushes });
}

const rounds: { readonly idle: Measured; readonly busy: Measured }[] = [];
for (let round = 0; round < Number(values.rounds); round++) {
  const idle = await measure(Number(values.seconds));
  const readers = startClient({ headers: tenants.headers, programs: noisy });
  let stopped = false;
  const building = Promise.all([build(() => stopped), build(() => stopped)]);
  // Every program has to have started.
  await delay(5000);
  await tenants.server.longestTurn();
  const busy = await measure(Number(values.seconds));
  stopped = true;
  const turn = await tenants.server.longestTurn();
  const { read } = await endClient(readers);
  const built = (await building).reduce((sum, one) => sum + one);
  rounds.push({ idle, busy });
  const said = ({ p99Milliseconds, longestMilliseconds, statuses }: Measured) =>
    `p99 ${p99Milliseconds.toFixed(1)} ms, longest ${longestMilliseconds.toFixed(0)} ms, ${JSON.stringify(statuses)}`;
  console.log(`idle: ${said(idle)}; busy: ${said(busy)}, longest turn ${turn.toFixed(0)} ms`);
  console.log(`      read ${(read / 1e6).toFixed(0)} MB, ${built} builds`);
}
const ratios = rounds
  .map(({ idle, busy }) => busy.p99Milliseconds / idle.p99Milliseconds)
  .sort((one, two) => one - two);
console.log(`p99 with them: ${ratios[Math.floor(ratios.length / 2)]?.toFixed(2)} times that without (median)`);
await tenants.dispose().catch(() => {
  // Its programs may still write when their folders are removed.
});

async function measure(seconds: number): Promise<Measured> {
  const client = startClient({ headers: tenants.headers, url: tenants.otherUrl, programs: [] });
  await delay(seconds * 1000);
  return endClient(client);
}

function startClient(work: Work): ChildProcess {
  // Those that only read stand behind in a session of their own: the kernel shares the processors among sessions first.
  const client = fork(join(import.meta.dirname, 'noisy-clients.ts'), { detached: work.url === undefined });
  client.send(work);
  return client;
}

async function endClient(client: ChildProcess): Promise<Measured> {
  client.send('end');
  const [measured] = (await once(client, 'message')) as [Measured];
  return measured;
}

/** Makes servers, builds them and removes them until stopped. Resolves with their number. */
async function build(isStopped: () => boolean): Promise<number> {
  for (let count = 0; ; count++) {
    if (isStopped()) return count;
    const made = await programs.made();
    const id = await programs.buildFolder(made, packageBuiltBy(NOISY_BUILD));
    while (!hasEnded(await programs.stateOf(made, id))) await delay(50);
    await programs.remove(made);
  }
}
