import { BadRequest } from '../../errors.ts';
import { compareVersions } from '../../values/versions.ts';

/** The version of the Prefect server that has this API. Clients compare it with their own. */
export const REFERENCE_VERSION = '3.9.1';
export const API_VERSION = '0.8.4';
const OLDEST_API_VERSION = '0.8.0';

/**
 * Refuses a client whose API version this server does not speak. A newer client is accepted. The missing space after
 * the full stop is the reference's. Source: the Prefect server 3.9.1, with which
 * server/test/reference/resources/protocol.ts compares.
 */
export function checkApiVersion(header: string | undefined): void {
  if (header === undefined) return;
  const given = parseVersion(header);
  if (!given) {
    throw new BadRequest(
      `Invalid X-PREFECT-API-VERSION header format.Expected header in format 'x.y.z' but received ${header}`,
    );
  }
  if (compareVersions(given, parseVersion(OLDEST_API_VERSION)!) < 0) {
    throw new BadRequest(
      `The request specified API version ${header} but this server requires version ${OLDEST_API_VERSION} or higher.`,
    );
  }
}

function parseVersion(text: string): number[] | undefined {
  const parts = text.split('.');
  return parts.length === 3 && parts.every((part) => /^\s*[+-]?\d+\s*$/.test(part)) ? parts.map(Number) : undefined;
}
