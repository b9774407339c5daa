import { styleText } from 'node:util';
import { asCalled } from '../invocation.ts';
import { examine } from '../process/doctor/doctor.ts';
import type { Finding } from '../process/doctor/finding.ts';
import { ownUrl } from '../process/server.ts';
import { type Command, configOf, print } from './command.ts';
import { during } from './progress.ts';

const MARKS = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' } as const;
const COLOURS = { ok: 'green', warning: 'yellow', problem: 'red' } as const;

export const doctorCommands: readonly Command[] = [
  {
    words: 'doctor',
    says: 'Check for problems that stop the server from working, now or soon, and print what to do. Changes nothing. The exit code is 1 when there is a problem.',
    flags: [],
    json: true,
    async run(flags, json) {
      const config = configOf(flags);
      const found = await during('Looking', examine(config, ownUrl(config)));
      const findings = found.map(({ cure, ...finding }) => ({ ...finding, ...(cure && { cure: asCalled(cure) }) }));
      print(json, findings, findings.map(lineOf).join('\n'));
      return findings.some(({ state }) => state === 'problem') ? 1 : 0;
    },
  },
];

function lineOf({ subject, state, says, cure }: Finding): string {
  const advice = cure === undefined ? '' : `\n${' '.repeat(24)}${cure}`;
  return `${styleText(COLOURS[state], MARKS[state])}${subject.padEnd(16)}${says}${advice}`;
}
