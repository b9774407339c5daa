import { endExpiredLeases } from '../orchestration/limits/global-limits/expired-leases.ts';
import type { WorkspaceService } from './service.ts';

/** Slots of clients that died come back. */
export const leaseExpiry: WorkspaceService = {
  name: 'lease-expiry',
  scope: 'workspace',
  everySeconds: 15,
  runOnce: endExpiredLeases,
};
