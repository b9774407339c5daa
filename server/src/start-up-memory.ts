/**
 * Loading modules makes garbage once, for which V8 would enlarge its young generation by some 20 MB and keep them. So the
 * young generation stays as it is until the server is ready, and may grow with the requests after that.
 */
import { setFlagsFromString } from 'node:v8';

export function beginStartUp(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

export function endStartUp(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
