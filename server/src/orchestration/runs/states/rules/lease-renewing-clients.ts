/** Clients from this version on renew the lease on their run's slot. Shown by deployment-slots.test.ts. */
export const LEASE_RENEWING_VERSION = '3.4.11';

/** Clients of these versions take the slots of their deployment themselves. Shown by deployment-slots.test.ts. */
export const slotTakingVersions: readonly string[] = ['3.0.0rc20', '3.0.0', '3.0.1', '3.0.2', '3.0.3'];
