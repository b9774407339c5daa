/** A flow run as a line in the answers of tools. */
import { described, type Static, Type } from '../../../schema/kinds.ts';
import { compact, shortened, toSecond } from './text.ts';

const MESSAGE_LENGTH = 200;
const MOST_TAGS = 20;

export const RunLine = Type.Object({
  id: Type.String(),
  name: Type.String(),
  flow: Type.String(),
  deployment: Type.Optional(Type.String()),
  work_pool: Type.Optional(Type.String()),
  state: described(Type.String(), 'Type of the state, such as FAILED.'),
  state_name: described(
    Type.Optional(Type.String()),
    'Given if it says more than the type, such as Late or AwaitingRetry.',
  ),
  message: Type.Optional(Type.String()),
  expected_start: described(Type.Optional(Type.String()), 'Given for a run that has not started.'),
  start: Type.Optional(Type.String()),
  end: Type.Optional(Type.String()),
  seconds: described(Type.Optional(Type.Number()), 'Seconds in Running.'),
  attempts: described(Type.Optional(Type.Integer()), 'How often it has entered Running, if more than once.'),
  tags: Type.Optional(Type.Array(Type.String())),
});
export type RunLine = Static<typeof RunLine>;

/** The fields of a run in the API's views that a line shows. */
export interface ViewedRun {
  readonly id: string;
  readonly name: string;
  readonly flow_name: string;
  readonly deployment_name: string | null;
  readonly work_pool_name?: string | null;
  readonly state_type: string | null;
  readonly state_name: string | null;
  readonly state_message?: string | null;
  readonly expected_start_time: string | null;
  readonly start_time: string | null;
  readonly end_time: string | null;
  readonly run_time: number;
  readonly run_count: number;
  readonly tags: readonly string[];
}

export function runLine(run: ViewedRun): RunLine {
  return compact({
    id: run.id,
    name: run.name,
    flow: run.flow_name,
    deployment: run.deployment_name,
    work_pool: run.work_pool_name,
    ...stateOf(run),
    message: run.state_message ? shortened(run.state_message, MESSAGE_LENGTH) : undefined,
    expected_start: run.start_time ? undefined : toSecond(run.expected_start_time),
    start: toSecond(run.start_time),
    end: toSecond(run.end_time),
    seconds: run.run_time > 0 ? Math.round(run.run_time * 10) / 10 : undefined,
    attempts: run.run_count > 1 ? run.run_count : undefined,
    tags: run.tags.slice(0, MOST_TAGS),
  }) as RunLine;
}

/** `PENDING` for a run without a state, because it has not been scheduled. */
export function stateOf(run: { readonly state_type?: string | null; readonly state_name?: string | null }) {
  const state = run.state_type ?? 'PENDING';
  const name = run.state_name ?? undefined;
  return { state, state_name: name?.toUpperCase() === state ? undefined : name };
}
