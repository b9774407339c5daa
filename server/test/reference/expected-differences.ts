import type { ExpectedDifference, Finding } from './expected/finding.ts';
import { expectedOfLimits } from './expected/limits.ts';
import { expectedOfRequests } from './expected/requests.ts';
import { expectedOfRuns } from './expected/runs.ts';

/** Where Signalbox differs on purpose. Every other difference is a fault of one of the two. */
const expectedDifferences: readonly ExpectedDifference[] = [
  ...expectedOfRequests,
  ...expectedOfRuns,
  ...expectedOfLimits,
];

/** The first entry that explains the finding. */
export function explain(finding: Finding): ExpectedDifference | undefined {
  return expectedDifferences.find((entry) => entry.route.test(finding.route) && entry.where(finding));
}
