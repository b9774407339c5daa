import type { Timestamp } from '../../src/values/time.ts';

export interface DateRequest {
  readonly schedule: Readonly<Record<string, unknown>>;
  readonly start: Timestamp;
  readonly end: Timestamp;
  readonly count: number;
}
