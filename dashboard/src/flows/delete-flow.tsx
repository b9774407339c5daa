/** Asks before a flow is deleted. */
import { Confirm } from '../components/dialog.tsx';
import { countOfRuns } from './count-of-runs.ts';
import { deleteFlow, type FlowRow } from './queries.ts';

interface Props {
  readonly flow: Pick<FlowRow, 'id' | 'name' | 'runs' | 'deployments'> | undefined;
  readonly onClose: () => void;
  readonly onDeleted: () => Promise<unknown>;
}

export function DeleteFlow({ flow, onClose, onDeleted }: Props) {
  const deployments = flow?.deployments ?? 0;
  return (
    <Confirm
      isOpen={flow !== undefined}
      onClose={onClose}
      question={`Delete the flow ${flow?.name ?? ''}?`}
      action="Delete flow"
      done={flow && `Flow ${flow.name} deleted`}
      {...(flow && (flow.runs > 0 || deployments > 0) ? { name: flow.name } : {})}
      onConfirm={async () => {
        if (flow) await deleteFlow(flow.id);
        await onDeleted();
      }}
    >
      Its {deployments === 1 ? 'deployment' : `${deployments} deployments`} and {flow ? countOfRuns(flow.runs) : ''} are
      deleted with it, with their states and logs. This cannot be undone.
    </Confirm>
  );
}
