import type { ExpectedDifference, Finding } from './expected/finding.ts';
import { expectedOfLimits } from './expected/limits.ts';
import { expectedOfProtocol } from './expected/protocol.ts';
import { expectedOfRequests } from './expected/requests.ts';
import { expectedOfRuns } from './expected/runs.ts';

/** Where Signalbox differs on purpose, by subject. Every other difference is a fault of one of the two. */
export const differencesBySubject: Readonly<Record<string, readonly ExpectedDifference[]>> = {
  'Requests and answers': [...expectedOfRequests, ...expectedOfProtocol],
  'Runs, states, events and work pools': expectedOfRuns,
  'Concurrency limits': expectedOfLimits,
};
const expectedDifferences = Object.values(differencesBySubject).flat();

/** The first entry that explains the finding. */
export function explain(finding: Finding): ExpectedDifference | undefined {
  return expectedDifferences.find((entry) => entry.route.test(finding.route) && entry.where(finding));
}

/** The difference in one line. */
export function summaryOf({ told: { routes, request, reference, ours } }: ExpectedDifference): string {
  return `${routes.join(', ') || 'Any route'}: ${request} Reference: ${reference} Signalbox: ${ours}`;
}
