/** The actions on the page of a deployment. */
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../api/access.ts';
import { invalidate } from '../api/read.ts';
import { Button, buttonClass } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { MenuItem, MenuSeparator } from '../components/menu.tsx';
import { notify } from '../components/notify/notify.ts';
import { ObjectMenu } from '../components/object-menu.tsx';
import { usePageActions } from '../shell/page-actions.ts';
import { deleteDeployment, pauseDeployment } from './actions.ts';
import { deploymentCommands } from './commands.ts';
import type { DeploymentView } from './queries.ts';

export function DeploymentActions({ view }: { readonly view: DeploymentView }) {
  const { deployment } = view;
  const { id, name } = deployment;
  const navigate = useNavigate();
  const mayRun = useMay('flow_runs:write');
  const mayChange = useMay('deployments:write');
  const [asked, setAsked] = useState<'commands' | 'delete'>();
  const close = () => setAsked(undefined);
  const [problem, setProblem] = useState<string>();
  const pause = () => {
    setProblem(undefined);
    pauseDeployment(id, !deployment.paused)
      .then(() => notify(`Deployment ${name} ${deployment.paused ? 'resumed' : 'paused'}`))
      .then(() => invalidate('/views/deployments/{id}', '/deployments/{id}'))
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  };
  const schedules = deployment.schedules?.length ?? 0;
  const go = (page: 'run' | 'edit' | 'backfill' | 'duplicate') =>
    void navigate({ to: `/deployments/deployment/$id/${page}`, params: { id } });
  usePageActions([
    mayRun && { title: 'Run this deployment…', act: () => go('run') },
    mayRun && { title: 'Backfill this deployment…', act: () => go('backfill') },
    mayChange && { title: deployment.paused ? 'Resume this deployment' : 'Pause this deployment', act: pause },
    mayChange && { title: 'Edit this deployment', act: () => go('edit') },
    mayChange && { title: 'Duplicate this deployment', act: () => go('duplicate') },
    { title: 'This deployment as commands…', act: () => setAsked('commands') },
    mayChange && { title: 'Delete this deployment…', act: () => setAsked('delete') },
  ]);
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
      <ObjectMenu
        id={id}
        commands={deploymentCommands(view, { mayRun, mayChange })}
        isShowingCommands={asked === 'commands'}
        onCommands={(isShown) => setAsked(isShown ? 'commands' : undefined)}
      >
        {mayRun ? <MenuItem onSelect={() => go('backfill')}>Backfill</MenuItem> : null}
        {mayChange ? (
          <>
            <MenuItem onSelect={() => go('duplicate')}>Duplicate</MenuItem>
            <MenuSeparator />
            <MenuItem isDangerous onSelect={() => setAsked('delete')}>
              Delete
            </MenuItem>
          </>
        ) : null}
      </ObjectMenu>
      <Confirm
        isOpen={asked === 'delete'}
        onClose={close}
        question={`Delete the deployment ${name}?`}
        action="Delete deployment"
        done={`Deployment ${name} deleted`}
        onConfirm={async () => {
          await deleteDeployment(id);
          await invalidate('/views/deployments');
          await navigate({ to: '/deployments', search: {} });
        }}
      >
        {schedules === 1 ? 'Its schedule is' : `Its ${schedules} schedules are`} deleted with it, and so are the runs
        that have not started. Runs that have started stay. This cannot be undone.
      </Confirm>
    </>
  );
}
