/** The attempts of a flow run as tabs above its reasons: each has its own failure, states, task runs and log. */
import { Link } from '@tanstack/react-router';
import { Moment } from '../../components/text/moment.tsx';
import { StateMark } from '../../design/state-mark.tsx';
import { stateKind, stateWords } from '../../design/states.ts';
import type { FlowRunView } from '../queries.ts';

export type Attempt = FlowRunView['attempts'][number];

/** The number in an address. Undefined, which stands for all attempts, if it is anything else. */
export function attemptOf(text: string | undefined): number | undefined {
  const number = Number(text);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

interface Props {
  readonly view: FlowRunView;
  /** All attempts when it is absent. */
  readonly chosen: number | undefined;
}

const tab =
  'flex items-center gap-1.5 rounded-control px-2 py-0.5 text-soft hover:bg-hover hover:text-ink aria-[current=page]:bg-selected aria-[current=page]:font-medium aria-[current=page]:text-ink';

export function AttemptTabs({ view: { flow_run: run, attempts }, chosen }: Props) {
  if (attempts.length < 2) return null;
  const to = (number: number | undefined) => ({
    to: '/runs/flow-run/$id' as const,
    params: { id: run.id },
    search: (old: object) => ({ ...old, attempt: number === undefined ? undefined : String(number), task: undefined }),
    replace: true,
    resetScroll: false,
    className: tab,
    'aria-current': chosen === number ? ('page' as const) : undefined,
  });
  return (
    <nav aria-label="Attempts" className="mt-3 flex flex-wrap gap-1 px-6 max-sm:px-4" data-screen-only>
      <Link {...to(undefined)}>All attempts</Link>
      {attempts.map(({ number, state_type, state_name }) => {
        const kind = stateKind(state_type, state_name);
        return (
          <Link key={number} {...to(number)}>
            <StateMark kind={kind} size={12} />
            Attempt {number}
            <span className="text-quiet">{stateWords(kind, state_name).toLowerCase()}</span>
          </Link>
        );
      })}
    </nav>
  );
}

/** Names the attempt of the failure below, where it is not plain from the state of the run. */
export function AttemptOfFailure({ view: { attempts, explained } }: Pick<Props, 'view'>) {
  const attempt = attempts.find(({ number }) => number === explained);
  const last = attempts.at(-1);
  if (!attempt || attempts.length < 2) return null;
  return (
    <p className="mb-1 text-xs text-quiet">
      Attempt {attempt.number} of {last?.number}, failed <Moment time={attempt.timestamp} />
    </p>
  );
}
