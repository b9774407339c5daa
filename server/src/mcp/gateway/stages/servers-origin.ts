import { servedElsewhere } from '../arrive/refusals.ts';
import type { Stage } from '../way/run-stages.ts';

/** Where MCP servers have an origin of their own, they are served nowhere else. */
export const serversOrigin: Stage = ({ request }, parts) =>
  parts.serversOrigin.refusesServers(request) ? servedElsewhere(parts.config.serversUrl) : undefined;
