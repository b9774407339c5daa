/** A host of foreign programs in the process of the test. */
import { ProgramHost } from '../../src/mcp/hosting/host/program-host.ts';
import type { HostMaker } from '../../src/mcp/hosting/hosting.ts';

/** `elapsed` is its clock, in milliseconds; the machine's own when absent. */
export function inThisProcess(elapsed?: () => number): HostMaker {
  return (settings, listener) => new ProgramHost(settings, elapsed).connect(listener);
}
