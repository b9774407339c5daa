/** The actions on the page of a deployment. */
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../api/access.ts';
import { invalidate } from '../api/read.ts';
import { Button, buttonClass } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { MenuItem, MenuSeparator } from '../components/menu.tsx';
import { ObjectMenu } from '../components/object-menu.tsx';
import { usePageActions } from '../shell/page-actions.ts';
import { deleteDeployment } from './actions.ts';
import { deploymentCommands } from './commands.ts';
import { switchDeployment } from './pause.ts';
import type { DeploymentView } from './queries.ts';

export function DeploymentActions({ view }: { readonly view: DeploymentView }) {
  const { deployment } = view;
  const { id, name } = deployment;
  const navigate = useNavigate();
  const mayRun = useMay('flow_runs:write');
  const mayChange = useMay('deployments:write');
  const [asked, setAsked] = useState<'commands' | 'delete'>();
  const close = () => setAsked(undefined);
  const pause = () => switchDeployment(deployment);
  const schedules = deployment.schedules?.length ?? 0;
  const go = (page: 'run' | 'edit' | 'backfill' | 'duplicate') =>
    void navigate({ to: `/deployments/deployment/$id/${page}`, params: { id } });
  usePageActions([
    mayRun && { title: 'Run this deployment…', key: 'r', act: () => go('run') },
    mayRun && { title: 'Backfill this deployment…', key: 'b', act: () => go('backfill') },
    mayChange && {
      title: deployment.paused ? 'Resume this deployment' : 'Pause this deployment',
      key: 'p',
      act: pause,
    },
    mayChange && { title: 'Edit this deployment', key: 'e', act: () => go('edit') },
    mayChange && { title: 'Duplicate this deployment', act: () => go('duplicate') },
    { title: 'This deployment as commands…', act: () => setAsked('commands') },
    mayChange && { title: 'Delete this deployment…', act: () => setAsked('delete') },
  ]);
  return (
    <>
      {mayRun ? (
        <Link to="/deployments/deployment/$id/run" params={{ id }} className={buttonClass('primary')}>
          Run
        </Link>
      ) : null}
      {mayChange ? (
        <>
          <Button
            onClick={pause}
            title={deployment.paused ? 'Its schedules make runs again' : 'No schedule makes runs until it is resumed'}
          >
            {deployment.paused ? 'Resume deployment' : 'Pause deployment'}
          </Button>
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
