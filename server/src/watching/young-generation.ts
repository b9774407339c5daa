/** Lets V8's young generation, which `main.js` keeps small, grow once the server is busy. */
import { setFlagsFromString } from 'node:v8';

const BUSY_AFTER_REQUESTS = 1000;
let requests = 0;

/** Call it for each request and each message of a socket. */
export function noteRequest(): void {
  requests += 1;
  if (requests === BUSY_AFTER_REQUESTS) setFlagsFromString('--semi-space-growth-factor=2');
}
