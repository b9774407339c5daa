/** The official conformance suite of the protocol, run against a server directly and through the gateway. */
import type { Peers } from './packages.ts';
import { runToEnd } from './processes.ts';

export const REVISIONS = { '2025-11-25': 30, '2026-07-28': 37 } as const;
export type Revision = keyof typeof REVISIONS;

export interface Conformance {
  /** Number of counted scenarios that passed. */
  readonly scored: number;
  /** Every scenario, including uncounted ones, with its checks. */
  readonly scenarios: readonly string[];
  readonly output: string;
}

export async function runConformance(peers: Peers, url: string, revision: Revision): Promise<Conformance> {
  const program = peers.program('@modelcontextprotocol/conformance', 'dist/index.js');
  const { output } = await runToEnd(process.execPath, [program, 'server', '--url', url, '--requirements', revision], {
    cwd: peers.folder,
    seconds: 280,
  });
  const summary = output.slice(output.indexOf('=== SUMMARY'));
  const scenarios = [...summary.matchAll(/^([✓✗]) ([\w/.-]+): (\d+ passed, \d+ failed)/gmu)].map(
    ([, mark, name, checks]) => `${mark} ${name}: ${checks}`,
  );
  const [, run, failing] = /Not scored for .*: (\d+) scenario\(s\) run, (\d+) failing/.exec(summary) ?? [];
  const passed = scenarios.filter((line) => line.startsWith('✓')).length;
  return { scored: passed - (Number(run ?? 0) - Number(failing ?? 0)), scenarios, output };
}
