/** A state's mark: a shape of its own, so that states differ without colour too. */
import { MARK_SIZE, type MarkPart, markShapes } from './state-shapes.ts';
import { type StateKind, stateWords, titleOf, tokenOf } from './states.ts';

interface MarkProps {
  readonly kind: StateKind;
  /** Pixels; 14 by default. */
  readonly size?: number;
  /** True if no word is beside it. */
  readonly alone?: boolean;
}

export function StateMark({ kind, size = 14, alone = false }: MarkProps) {
  return (
    <svg
      width={size}
      height={size}
      viewBox={`0 0 ${MARK_SIZE} ${MARK_SIZE}`}
      className="shrink-0"
      style={{ color: `var(--${tokenOf(kind)})`, ['--mark-ink' as string]: 'var(--surface)' }}
      role={alone ? 'img' : undefined}
      aria-label={alone ? titleOf(kind) : undefined}
      aria-hidden={alone ? undefined : true}
    >
      {alone ? <title>{titleOf(kind)}</title> : null}
      {markShapes[kind].map((part) => (
        <Part key={part.path} part={part} />
      ))}
    </svg>
  );
}

function Part({ part: { path, isInk, width, dashes } }: { readonly part: MarkPart }) {
  const colour = isInk ? 'var(--mark-ink)' : 'currentColor';
  if (width === undefined) return <path d={path} fill={colour} />;
  return (
    <path
      d={path}
      fill="none"
      stroke={colour}
      strokeWidth={width}
      strokeDasharray={dashes?.join(' ')}
      strokeLinecap={dashes ? 'butt' : 'round'}
      strokeLinejoin="round"
    />
  );
}

/** Mark and words. The name is the run's own if it has one: `AwaitingRetry` reads "Waits to retry". */
export function StateLabel({ kind, name }: { readonly kind: StateKind; readonly name?: string | null }) {
  const words = stateWords(kind, name);
  return (
    <span
      className="inline-flex max-w-full items-center gap-1.5 align-middle whitespace-nowrap"
      title={name && words !== name ? name : undefined}
    >
      <StateMark kind={kind} />
      <span className="truncate font-medium" style={{ color: `var(--${tokenOf(kind)}-text)` }}>
        {words}
      </span>
    </span>
  );
}
