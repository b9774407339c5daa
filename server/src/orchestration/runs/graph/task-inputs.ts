/** The runs to which the stored inputs of a task run refer. */
import { type JsonText, parseObject } from '../../../values/json.ts';

const noInputs = '{}';

/** The input that lists the runs that contain a task, not the runs for which it waited. */
export const ENCLOSING_INPUT = '__parents__';

interface Upstream {
  readonly name: string;
  readonly upstream: string;
  readonly kind: 'task_run' | 'flow_run';
}

/** The runs to which stored inputs refer. */
export function upstreamOf(taskInputs: JsonText): Upstream[] {
  if (taskInputs === noInputs) return [];
  const inputs = parseObject(taskInputs) as Record<string, { input_type?: string; id?: string }[]>;
  return Object.entries(inputs).flatMap(([name, items]) =>
    items.flatMap(({ input_type, id }) =>
      (input_type === 'task_run' || input_type === 'flow_run') && id ? [{ name, upstream: id, kind: input_type }] : [],
    ),
  );
}

/** Ids of the runs whose results the task run uses, with repetitions. */
export function giversOf(taskInputs: JsonText): string[] {
  return upstreamOf(taskInputs).flatMap(({ name, upstream }) => (name === ENCLOSING_INPUT ? [] : [upstream]));
}
