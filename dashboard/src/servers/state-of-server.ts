/** The state of a server in one word, and the reason for a problem. */
import type { StateKind } from '../design/states.ts';
import type { CatalogItem } from './queries.ts';

export interface ServerState {
  readonly kind: StateKind;
  readonly name: string;
  /** The problem as one sentence, or undefined. */
  readonly why?: string | undefined;
}

export type Given = Pick<CatalogItem, 'server' | 'process' | 'live'>;

export function stateOf({ server, process, live }: Given): ServerState {
  const { kind, manifestError, manifestReadAt } = server;
  if (process) {
    if (!live) return { kind: 'SCHEDULED', name: 'Not deployed', why: 'A build has to succeed and go live first.' };
    if (process.stoppedAt) {
      return {
        kind: 'PAUSED',
        name: 'Stopped',
        why: 'It was stopped by hand. Requests are refused until it is started.',
      };
    }
    if (process.state === 'waiting') {
      const why = `${process.lastFailure ?? 'It ended.'} It is started again in ${process.retryAfterSeconds} s.`;
      return { kind: 'FAILED', name: 'Fails to start', why };
    }
    if (process.state === 'starting') return { kind: 'PENDING', name: 'Starting' };
    if (process.state === 'running') return { kind: 'RUNNING', name: 'Running' };
    if (!manifestError) {
      return { kind: 'COMPLETED', name: 'Ready', why: 'No program runs. It starts with the next request.' };
    }
  }
  if (manifestError) return { kind: 'FAILED', name: 'Does not answer', why: manifestError };
  if (manifestReadAt) return { kind: 'COMPLETED', name: kind === 'hosted' ? 'Ready' : 'Reachable' };
  return { kind: 'PENDING', name: 'Not asked yet', why: 'It has not been asked what it offers.' };
}
