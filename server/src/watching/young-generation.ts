/** Lets V8's young generation, which `main.js` keeps small, grow once the server is busy. */
import { setFlagsFromString } from 'node:v8';

const BUSY_AFTER_REQUESTS = 1000;
let requests = 0;

export function noteRequest(): void {
  requests += 1;
  if (requests === BUSY_AFTER_REQUESTS) setFlagsFromString('--semi-space-growth-factor=2');
}
