import { servedElsewhere } from '../arrive/refusals.ts';
import type { Stage } from '../way/run-stages.ts';

/** If MCP servers have an origin of their own, refuses requests to them on other origins. */
export const serversOrigin: Stage = ({ request }, parts) =>
  parts.serversOrigin.refusesServers(request) ? servedElsewhere(parts.config.serversUrl) : undefined;
