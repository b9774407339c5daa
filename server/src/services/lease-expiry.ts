import { endExpiredLeases } from '../orchestration/limits/global-limits/expired-leases.ts';
import type { Service } from './service.ts';

/** Slots of clients that died come back. */
export const leaseExpiry: Service = { name: 'lease-expiry', everySeconds: 15, runOnce: endExpiredLeases };
