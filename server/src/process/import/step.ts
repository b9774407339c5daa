import type { Hub } from '../../changes/hub.ts';
import type { Encryption } from '../../encryption/encryption.ts';
import type { Timestamp } from '../../values/time.ts';
import type { Source } from './sources/source.ts';
import type { Target } from './target.ts';

/** One import: its source, its target and its options. */
export interface Import {
  readonly source: Source;
  readonly target: Target;
  readonly encryption: Encryption;
  readonly hub: Hub;
  /** Imports runs and their data from this time on. */
  readonly since: Timestamp;
  /** True if schedules and automations that are active in the source become active here. */
  readonly activates: boolean;
  /** Reports to the waiting person what is being read: `flow runs of 2026-11-20`. */
  onProgress(doing: string): void;
}
