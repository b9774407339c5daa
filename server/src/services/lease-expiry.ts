import { endExpiredLeases } from '../orchestration/limits/global-limits/slots.ts';
import type { WorkspaceService } from './service.ts';

/** Frees the concurrency slots of clients whose leases expired. */
export const leaseExpiry: WorkspaceService = {
  name: 'lease-expiry',
  scope: 'workspace',
  everySeconds: 15,
  runOnce: endExpiredLeases,
};
