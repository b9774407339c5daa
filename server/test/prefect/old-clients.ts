/** What older clients cannot do by themselves, whatever server they talk to: scenarios that are skipped with them. */
import { isAtLeast } from '../../src/versions.ts';

interface Lack {
  /** The first of the clients of `CLIENTS` that can. */
  readonly until: string;
  /** What clients before it lack. */
  readonly reason: string;
  readonly scenarios: readonly string[];
}

const lacks: readonly Lack[] = [];

/** Why a scenario is not run with this client; undefined when it is. */
export function lackingIn(version: string, scenario: string): string | undefined {
  return lacks.find(({ until, scenarios }) => !isAtLeast(version, until) && scenarios.includes(scenario))?.reason;
}
