import { withDetails } from '../../../rows/state.ts';
import { proceed, type TaskRule } from '../rule.ts';

/** A background task run keeps the id under which its parameters are stored. */
export const copyTaskParametersId: TaskRule = {
  name: 'CopyTaskParametersID',
  from: ['SCHEDULED', 'PENDING'],
  to: ['PENDING', 'RUNNING'],
  judge({ initial, proposed }) {
    const { task_parameters_id } = initial!.state_details;
    if (!task_parameters_id || proposed.state_details.task_parameters_id) return proceed;
    return { kind: 'amend', proposed: withDetails(proposed, { task_parameters_id }) };
  },
};
