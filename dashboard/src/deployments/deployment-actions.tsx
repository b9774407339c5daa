/** The actions on the page of a deployment. */
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../api/access.ts';
import { Button, buttonClass, IconButton } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../components/menu.tsx';
import { deleteDeployment, pauseDeployment } from './actions.ts';
import type { DeploymentView } from './queries.ts';

export function DeploymentActions({ view }: { readonly view: DeploymentView }) {
  const { deployment, flow } = view;
  const { id, name } = deployment;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mayRun = useMay('flow_runs:write');
  const mayChange = useMay('deployments:write');
  const [isAsked, ask] = useState(false);
  const [problem, setProblem] = useState<string>();
  const pause = () => {
    setProblem(undefined);
    pauseDeployment(id, !deployment.paused)
      .then(() => queries.invalidateQueries({ queryKey: ['deployment', id] }))
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  };
  const schedules = deployment.schedules?.length ?? 0;
  return (
    <>
      {problem === undefined ? null : (
        <span role="alert" className="text-failed-text">
          {problem}
        </span>
      )}
      {mayRun ? (
        <Link to="/deployments/deployment/$id/run" params={{ id }} className={buttonClass('primary')}>
          Run
        </Link>
      ) : null}
      {mayChange ? (
        <>
          <Button onClick={pause}>{deployment.paused ? 'Resume' : 'Pause'}</Button>
          <Link to="/deployments/deployment/$id/edit" params={{ id }} className={buttonClass()}>
            Edit
          </Link>
        </>
      ) : null}
      <Menu
        trigger={
          <IconButton label="More">
            <Ellipsis size={15} />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => void navigator.clipboard.writeText(id)}>Copy id</MenuItem>
        <MenuItem onSelect={() => void navigator.clipboard.writeText(`prefect deployment run '${flow.name}/${name}'`)}>
          Copy as prefect command
        </MenuItem>
        {mayRun ? (
          <MenuItem onSelect={() => void navigate({ to: '/deployments/deployment/$id/backfill', params: { id } })}>
            Backfill
          </MenuItem>
        ) : null}
        {mayChange ? (
          <>
            <MenuItem onSelect={() => void navigate({ to: '/deployments/deployment/$id/duplicate', params: { id } })}>
              Duplicate
            </MenuItem>
            <MenuSeparator />
            <MenuItem isDangerous onSelect={() => ask(true)}>
              Delete
            </MenuItem>
          </>
        ) : null}
      </Menu>
      <Confirm
        isOpen={isAsked}
        onClose={() => ask(false)}
        question={`Delete the deployment ${name}?`}
        action="Delete deployment"
        onConfirm={async () => {
          await deleteDeployment(id);
          await queries.invalidateQueries({ queryKey: ['deployments'] });
          await navigate({ to: '/deployments', search: {} });
        }}
      >
        {schedules === 1 ? 'Its schedule is' : `Its ${schedules} schedules are`} deleted with it, and so are the runs
        that have not started. Runs that have started stay. This cannot be undone.
      </Confirm>
    </>
  );
}
