/**
 * Whatever reads events gets them in the order of their arrival, which is not the order in which they occurred. Each reader
 * of events has a comparison with the reference here, or names the test that stands for it.
 */
import type { recorders } from '../../../src/app.ts';
import { Random } from '../generate/random.ts';
import type { ArrivalOutcome, ServerUrls } from './servers.ts';
import { compareStreams } from './streams.ts';
import { compareTaskRuns } from './task-runs.ts';
import { compareTriggers } from './triggers.ts';

/** The recorders, the queue of triggers, and what listens to the hub. A new recorder without a case does not compile. */
type EventConsumer = keyof typeof recorders | 'triggers' | 'streams';

type ArrivalCase =
  | { compare(urls: ServerUrls, seed: string, rounds: number): Promise<ArrivalOutcome> }
  /** The reference has no such part. */
  | { readonly test: string };

export const arrivalCases: Readonly<Record<EventConsumer, ArrivalCase>> = {
  triggers: { compare: compareTriggers },
  taskRuns: { compare: (urls, seed) => compareTaskRuns(urls, new Random(seed)) },
  streams: { compare: (urls, seed) => compareStreams(urls, new Random(seed)) },
  heartbeats: { test: 'server/src/services/upkeep/zombie-detection.test.ts' },
};
