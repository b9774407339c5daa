/** What older clients cannot do by themselves, whatever server they talk to: scenarios that are skipped with them. */
import { isAtLeast } from '../../src/versions.ts';

interface Lack {
  /** The first of the clients of `CLIENTS` that can. */
  readonly until: string;
  /** What clients before it lack. */
  readonly reason: string;
  readonly scenarios: readonly string[];
}

const lacks: readonly Lack[] = [
  { until: '3.6.0', reason: 'it sends no auth string on websockets', scenarios: ['key_as_auth_string'] },
  { until: '3.2.0', reason: 'variables have no asynchronous methods of their own', scenarios: ['variables'] },
  { until: '3.2.0', reason: 'the retry delay of a flow is a whole number of seconds', scenarios: ['flow_retries'] },
  { until: '3.4.0', reason: 'the retry delay of a task is a whole number of seconds', scenarios: ['task_retries'] },
  { until: '3.2.0', reason: 'its synchronous client makes no global limits', scenarios: ['concurrency_limits'] },
  {
    until: '3.2.0',
    reason: 'it sends fields with a schedule that the reference server refuses as well',
    scenarios: ['served_deployment'],
  },
  { until: '3.4.0', reason: 'its runner fails when it cancels a run (TypeError)', scenarios: ['served_deployment'] },
  {
    until: '3.2.0',
    reason: 'it does not read the key that its `cloud login` keeps in the profile',
    scenarios: ['hosted_workspace'],
  },
];

/** Why a scenario is not run with this client; undefined when it is. */
export function lackingIn(version: string, scenario: string): string | undefined {
  return lacks.find(({ until, scenarios }) => !isAtLeast(version, until) && scenarios.includes(scenario))?.reason;
}
