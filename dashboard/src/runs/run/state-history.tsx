/** The past states of a run, with the time in each. */
import type { components } from '../../api/schema.gen.ts';
import { StateLabel } from '../../design/state-mark.tsx';
import { isEnded, stateKind, titleOf, tokenOf } from '../../design/states.ts';
import { absoluteTime, duration, preciseClockTime } from '../../design/time.ts';
import { usePreferences } from '../../preferences/preferences.ts';

type PastState = components['schemas']['PastState'];

interface Props {
  /** Oldest first. */
  readonly states: readonly PastState[];
  /** Time of the reading of the states, RFC 3339. */
  readonly asOf: string;
}

const DAY_MILLISECONDS = 86_400_000;

export function StateHistory({ states, asOf }: Props) {
  usePreferences();
  if (states.length === 0) return <p className="text-quiet">This run has no state yet.</p>;
  const lasted = (index: number) => {
    const state = states[index];
    const next = states[index + 1];
    if (!state || (!next && isEnded(state.type))) return undefined;
    return Math.max(0, (Date.parse(next?.timestamp ?? asOf) - Date.parse(state.timestamp)) / 1000);
  };
  const tries = triesOf(states);
  const isLong =
    Date.parse(states.at(-1)?.timestamp ?? asOf) - Date.parse(states[0]?.timestamp ?? asOf) > DAY_MILLISECONDS;
  const isTriedAgain = (tries.at(-1) ?? 0) > 1;
  return (
    <>
      <Strip states={states} lasted={lasted} />
      <ol>
        {states.map((state, index) => {
          const seconds = lasted(index);
          return (
            <li
              key={state.id}
              className="ruled grid grid-cols-[minmax(8rem,auto)_4.5rem_1fr_auto] items-center gap-x-4 py-1 max-sm:grid-cols-[1fr_4.5rem_auto]"
            >
              <StateLabel kind={stateKind(state.type, state.name)} name={state.name} />
              <span className="tabular text-right text-quiet">{seconds === undefined ? '' : duration(seconds)}</span>
              <span className="min-w-0 break-words text-soft max-sm:order-last max-sm:col-span-3">
                {isTriedAgain && state.type === 'RUNNING' ? (
                  <span className="mr-2 text-quiet">try {tries[index]}</span>
                ) : null}
                {state.message}
              </span>
              <time
                dateTime={state.timestamp}
                title={absoluteTime(state.timestamp)}
                className="tabular text-right text-xs text-quiet"
              >
                {isLong ? absoluteTime(state.timestamp) : preciseClockTime(state.timestamp)}
              </time>
            </li>
          );
        })}
      </ol>
    </>
  );
}

/** For each state, the number of times that the run had been running by then. */
function triesOf(states: readonly PastState[]): number[] {
  let tries = 0;
  return states.map(({ type }) => {
    if (type === 'RUNNING') tries += 1;
    return tries;
  });
}

/** The share of each state in the run's time. Waits are thin; a running part has the colour of its outcome. */
function Strip({
  states,
  lasted,
}: {
  readonly states: readonly PastState[];
  readonly lasted: (index: number) => number | undefined;
}) {
  const total = states.reduce((sum, _state, index) => sum + (lasted(index) ?? 0), 0);
  if (states.length < 3 || total === 0) return null;
  return (
    <div className="mb-2 flex h-3.5 items-center gap-px" aria-hidden="true">
      {states.map((state, index) => {
        const seconds = lasted(index);
        if (seconds === undefined) return null;
        const isRunning = state.type === 'RUNNING';
        const next = states[index + 1];
        const outcome = next && isRunning ? outcomeOf(next) : stateKind(state.type, state.name);
        return (
          <span
            key={state.id}
            title={`${state.name ?? titleOf(outcome)} ${duration(seconds)}`}
            className={`min-w-0.75 rounded-bar ${isRunning ? 'h-full' : 'h-1'}`}
            style={{ flexGrow: (seconds / total) * 100, flexBasis: 0, background: `var(--${tokenOf(outcome)})` }}
          />
        );
      })}
    </div>
  );
}

/** An attempt that is followed by a wait for the next one has failed. */
function outcomeOf(next: PastState) {
  return next.type === 'SCHEDULED' ? 'FAILED' : stateKind(next.type, next.name);
}
