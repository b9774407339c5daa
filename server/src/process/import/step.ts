import type { WakeUps } from '../../changes/wake-ups.ts';
import type { Encryption } from '../../encryption/encryption.ts';
import type { Timestamp } from '../../values/time.ts';
import type { Source } from './sources/source.ts';
import type { Target } from './target.ts';

/** One import: where from, where to, and what is asked for. */
export interface Import {
  readonly source: Source;
  readonly target: Target;
  readonly encryption: Encryption;
  readonly wakeUps: WakeUps;
  /** Runs, and what belongs to them, from this time on. */
  readonly since: Timestamp;
  /** Whether schedules and automations become active that are active in the source. */
  readonly activates: boolean;
  /** Tells the person who waits what is read now: `flow runs of 2026-11-20`. */
  onProgress(doing: string): void;
}
