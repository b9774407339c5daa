/** The marks of a timeline, in one line. */
import type { ReactNode } from 'react';

interface Props {
  readonly hasBreaks: boolean;
  readonly hasLinks: boolean;
}

export function TimelineLegend({ hasBreaks, hasLinks }: Props) {
  return (
    <span className="flex flex-wrap gap-x-3">
      <Sign text="runs, coloured by state">
        <span className="h-2.5 w-5 rounded-bar bg-completed" />
      </Sign>
      <Sign text="waits">
        <span className="h-1 w-5 bg-control" />
      </Sign>
      {hasBreaks ? (
        <Sign text="idle time, folded">
          <span className="h-2.5 w-3 border-x border-dashed border-control bg-hover" />
        </Sign>
      ) : null}
      {hasLinks ? (
        <Sign text="takes its result">
          <span className="h-px w-5 bg-accent" />
        </Sign>
      ) : null}
    </span>
  );
}

function Sign({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      {children}
      {text}
    </span>
  );
}
