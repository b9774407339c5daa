/** The attempts of a flow run as tabs above its reasons: each has its own failure, states, task runs and log. */
import { Moment } from '../../../components/text/moment.tsx';
import { StateMark } from '../../../design/state-mark.tsx';
import { stateKind, stateWords } from '../../../design/states.ts';
import type { FlowRunView } from '../../queries.ts';

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
  readonly onChoose: (number: number | undefined) => void;
}

export function AttemptTabs({ view: { attempts }, chosen, onChoose }: Props) {
  if (attempts.length < 2) return null;
  const tab = (number: number | undefined) => ({
    type: 'button' as const,
    'aria-pressed': chosen === number,
    onClick: () => onChoose(number),
    className:
      'flex items-center gap-1.5 rounded-control px-2 py-0.5 text-soft hover:bg-hover hover:text-ink aria-pressed:bg-selected aria-pressed:font-medium aria-pressed:text-ink',
  });
  return (
    <fieldset aria-label="Attempts" className="mt-3 flex flex-wrap gap-1 px-6 max-sm:px-4" data-screen-only>
      <button {...tab(undefined)}>All attempts</button>
      {attempts.map(({ number, state_type, state_name }) => {
        const kind = stateKind(state_type, state_name);
        return (
          <button key={number} {...tab(number)}>
            <StateMark kind={kind} size={12} />
            Attempt {number}
            <span className="text-quiet">{stateWords(kind, state_name).toLowerCase()}</span>
          </button>
        );
      })}
    </fieldset>
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
