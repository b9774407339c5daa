/** A state's mark: a shape of its own, so that states differ without colour too. */
import type { ReactNode } from 'react';
import { type StateKind, titleOf, tokenOf } from './states.ts';

/** Drawn on 14 × 14; `currentColor` is the state's colour, `--mark-ink` what stands on it. */
const shapes: Readonly<Record<StateKind, ReactNode>> = {
  SCHEDULED: (
    <>
      <circle cx="7" cy="7" r="5.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M7 4v3.2l2 1.3" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinecap="round" />
    </>
  ),
  LATE: (
    <>
      <path
        d="M12.1 8.3A5.25 5.25 0 1 1 9.6 2.4"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
      />
      <path d="M6.6 4.3v3.1l1.9 1.2" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinecap="round" />
      <path d="M12.3 1.6v2.6" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
      <circle cx="12.3" cy="6.2" r=".9" fill="currentColor" />
    </>
  ),
  PENDING: (
    <circle
      cx="7"
      cy="7"
      r="5.25"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeDasharray="2.2 1.92"
      strokeLinecap="butt"
    />
  ),
  RUNNING: (
    <>
      <circle cx="7" cy="7" r="6" fill="currentColor" />
      <path d="M5.6 4.4v5.2L9.9 7z" fill="var(--mark-ink)" />
    </>
  ),
  PAUSED: (
    <>
      <rect x="1.5" y="1.5" width="11" height="11" rx="2.5" fill="currentColor" />
      <path d="M5.4 4.6v4.8M8.6 4.6v4.8" stroke="var(--mark-ink)" strokeWidth="1.5" strokeLinecap="round" />
    </>
  ),
  CANCELLING: (
    <>
      <circle cx="7" cy="7" r="5.25" fill="none" stroke="currentColor" strokeWidth="1.6" strokeDasharray="3.2 2.3" />
      <path d="m4.6 9.4 4.8-4.8" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
    </>
  ),
  COMPLETED: (
    <>
      <circle cx="7" cy="7" r="6" fill="currentColor" />
      <path
        d="m4.4 7.2 1.8 1.8 3.4-3.8"
        fill="none"
        stroke="var(--mark-ink)"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  FAILED: (
    <>
      <path d="M4.6 1h4.8L13 4.6v4.8L9.4 13H4.6L1 9.4V4.6z" fill="currentColor" />
      <path d="m5 5 4 4m0-4L5 9" stroke="var(--mark-ink)" strokeWidth="1.6" strokeLinecap="round" />
    </>
  ),
  CANCELLED: (
    <>
      <circle cx="7" cy="7" r="5.25" fill="none" stroke="currentColor" strokeWidth="1.6" />
      <path d="m3.4 10.6 7.2-7.2" stroke="currentColor" strokeWidth="1.6" />
    </>
  ),
  CRASHED: (
    <>
      <path d="M7 .9 13.5 12.6H.5z" fill="currentColor" stroke="currentColor" strokeWidth=".6" strokeLinejoin="round" />
      <path d="M7.9 4.6 5.6 8.3h1.7l-.8 2.9 2.5-3.9H7.2z" fill="var(--mark-ink)" />
    </>
  ),
};

interface MarkProps {
  readonly kind: StateKind;
  /** Pixels; 14 by default. */
  readonly size?: number;
  /** True where no word stands beside it. */
  readonly alone?: boolean;
}

export function StateMark({ kind, size = 14, alone = false }: MarkProps) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 14 14"
      className="shrink-0"
      style={{ color: `var(--${tokenOf(kind)})`, ['--mark-ink' as string]: 'var(--surface)' }}
      role={alone ? 'img' : undefined}
      aria-label={alone ? titleOf(kind) : undefined}
      aria-hidden={alone ? undefined : true}
    >
      {alone ? <title>{titleOf(kind)}</title> : null}
      {shapes[kind]}
    </svg>
  );
}

/** Mark and name. The name is the run's own where it has one: `AwaitingRetry`, `Cached`. */
export function StateLabel({ kind, name }: { readonly kind: StateKind; readonly name?: string | null }) {
  return (
    <span className="inline-flex items-center gap-1.5 align-middle leading-none whitespace-nowrap">
      <StateMark kind={kind} />
      <span className="font-medium" style={{ color: `var(--${tokenOf(kind)}-text)` }}>
        {name || titleOf(kind)}
      </span>
    </span>
  );
}
