/**
 * Loading modules makes garbage once, for which V8 would enlarge its young generation by some 20 MB and keep them. So the
 * young generation stays small until the server has work, and may grow from then on.
 */
import { setFlagsFromString } from 'node:v8';

/** A server that has answered so many is no idle one. */
const BUSY_AFTER_REQUESTS = 1000;
let requests = 0;

export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

export function noteRequest(): void {
  requests += 1;
  if (requests === BUSY_AFTER_REQUESTS) setFlagsFromString('--semi-space-growth-factor=2');
}
