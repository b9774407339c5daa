/** The runs that the stored inputs of a task run name. */
import { type JsonText, parseObject } from '../../../values/json.ts';

const noInputs = '{}';

/** The name of the input that lists the runs that contain a task, not the runs it waited for. */
export const ENCLOSING_INPUT = '__parents__';

interface Upstream {
  readonly name: string;
  readonly upstream: string;
  readonly kind: 'task_run' | 'flow_run';
}

/** The runs that stored inputs name. */
export function upstreamOf(taskInputs: JsonText): Upstream[] {
  if (taskInputs === noInputs) return [];
  const inputs = parseObject(taskInputs) as Record<string, { input_type?: string; id?: string }[]>;
  return Object.entries(inputs).flatMap(([name, items]) =>
    items.flatMap(({ input_type, id }) =>
      (input_type === 'task_run' || input_type === 'flow_run') && id ? [{ name, upstream: id, kind: input_type }] : [],
    ),
  );
}

/** Ids of the runs whose results it takes, as often as they are named. */
export function giversOf(taskInputs: JsonText): string[] {
  return upstreamOf(taskInputs).flatMap(({ name, upstream }) => (name === ENCLOSING_INPUT ? [] : [upstream]));
}
