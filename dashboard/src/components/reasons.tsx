/** The reasons why something does not run, with advice. */
import { CircleAlert, Info } from 'lucide-react';
import { Cure, type Reason } from './cure.tsx';
import { TextWithTimes } from './text/moment.tsx';

const titles: Partial<Record<Reason['code'], string>> = {
  deployment_paused: 'Paused',
  schedule_inactive: 'Schedules paused',
  deployment_limit_full: 'Limit full',
  deployment_limit_zero: 'Limit is 0',
  work_queue_deleted: 'No work queue',
  work_pool_paused: 'Pool paused',
  work_queue_paused: 'Queue paused',
  work_pool_full: 'Pool full',
  work_queue_full: 'Queue full',
  no_worker: 'No worker',
  work_queue_not_polled: 'Not polled',
  deployment_not_served: 'Not served',
};

/** The first reason in two words, with its sentence on hover. */
export function Health({ reasons }: { readonly reasons: readonly Reason[] }) {
  const [first] = reasons;
  if (!first) return <span className="text-quiet">Ready</span>;
  return (
    <span
      className={`inline-flex items-center gap-1 ${first.blocks ? 'text-failed-text' : 'text-soft'}`}
      title={reasons.map(({ message }) => message).join('\n')}
    >
      <Mark blocks={first.blocks} />
      {titles[first.code] ?? 'Waiting'}
    </span>
  );
}

function Mark({ blocks }: { readonly blocks: boolean }) {
  return blocks ? (
    <CircleAlert size={13} className="shrink-0 text-failed" aria-hidden="true" />
  ) : (
    <Info size={13} className="shrink-0" aria-hidden="true" />
  );
}

interface Props {
  readonly reasons: readonly Reason[];
  /** File and function of the flow, for the command that serves it. */
  readonly entrypoint?: string | null | undefined;
}

export function Reasons({ reasons, entrypoint }: Props) {
  return (
    <ul className="flex flex-col gap-2">
      {reasons.map((reason) => (
        <li key={reason.code} className="flex gap-2">
          <span className="pt-0.5">
            <Mark blocks={reason.blocks} />
          </span>
          <div className="min-w-0">
            <p>
              <TextWithTimes text={reason.message} />
              {reason.holders && reason.holders.length > 0 ? (
                <span className="text-quiet">
                  {' '}
                  Held by {reason.holders.map(({ name }) => name ?? 'unknown').join(', ')}.
                </span>
              ) : null}
            </p>
            <Cure reason={reason} entrypoint={entrypoint} />
          </div>
        </li>
      ))}
    </ul>
  );
}
