/** From the first client to the first run of a deployment. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { basePath, serverFacts } from '../api/server-facts.ts';
import { workspace } from '../api/workspace.ts';
import { Reasons } from '../components/reasons.tsx';
import { Moment } from '../components/text/moment.tsx';
import { Snippet } from '../components/text/snippet.tsx';
import { StateLabel } from '../design/state-mark.tsx';
import { stateKind } from '../design/states.ts';
import {
  connectCommands,
  DEPLOYED,
  deployCommands,
  flowCommands,
  type Installation,
  type Installer,
  installCommands,
  needsKey,
  POOL,
  poolCommands,
  runCommands,
  workerCommands,
} from './commands.ts';
import { KeyOffer } from './key-offer.tsx';
import type { FirstHourView } from './queries.ts';
import { Step } from './step.tsx';

interface Props {
  readonly view: FirstHourView;
  readonly mayDo: boolean;
  /** True for a person who can have keys. */
  readonly isSignedIn: boolean;
}

export function FlowSteps({ view, mayDo, isSignedIn }: Props) {
  /** A key that was made here; it stays while the steps open and close. */
  const [secret, setSecret] = useState<string>();
  const { client, flow, flow_run, work_pool, deployment, deployment_run, waiting } = view;
  const installation: Installation = {
    address: location.origin + basePath,
    workspace,
    apiAuth: serverFacts.apiAuth,
    prefectVersion: view.prefect_version,
  };
  const pool = work_pool?.name ?? POOL;
  const deployed = deployment ? `${deployment.flow_name}/${deployment.name}` : DEPLOYED;
  /** A deployment that a process serves needs neither pool nor worker. */
  const isServed = deployment !== null && deployment.work_pool_name === null;
  const arrived = [
    client !== null || flow_run !== null,
    flow !== null && flow_run !== null,
    work_pool !== null || isServed,
    deployment !== null,
    (work_pool?.workers_online ?? 0) > 0 || deployment_run !== null || isServed,
    deployment_run !== null,
  ];
  const next = arrived.indexOf(false);
  const at = (index: number) => ({ isArrived: arrived[index] ?? false, isNext: index === next });
  return (
    <ol className="border-t border-line">
      <Step
        title="Connect a Prefect client"
        {...at(0)}
        says={
          client ? (
            <>
              Prefect {client.version} called <Moment time={client.seen} />
            </>
          ) : (
            'Waits for the first call of a client'
          )
        }
      >
        {mayDo ? (
          <Connect installation={installation} isSignedIn={isSignedIn} secret={secret} onCreated={setSecret} />
        ) : null}
      </Step>
      <Step
        title="Run a flow"
        {...at(1)}
        says={
          flow_run ? <RunLink run={flow_run} /> : flow ? `${flow.name} has not run yet` : 'Waits for the first flow'
        }
      >
        {mayDo ? <Snippet title="Write hello.py and run it" text={flowCommands} /> : null}
      </Step>
      <Step
        title="Create a work pool"
        {...at(2)}
        says={
          work_pool ? (
            <>
              <Link to="/work-pools/work-pool/$name" params={{ name: work_pool.name }} className="hover:underline">
                {work_pool.name}
              </Link>
              {work_pool.is_paused ? (
                <span className="text-failed-text"> is paused, so its workers take no run</span>
              ) : null}
            </>
          ) : isServed ? (
            'Not needed: the deployment is served by its own process'
          ) : (
            'Waits for the first work pool'
          )
        }
      >
        {mayDo ? (
          work_pool?.is_paused ? (
            <Snippet title="Resume the work pool" text={`prefect work-pool resume "${work_pool.name}"`} />
          ) : (
            <Snippet title="Create the work pool" text={poolCommands} />
          )
        ) : null}
      </Step>
      <Step
        title="Deploy the flow"
        {...at(3)}
        says={
          deployment ? (
            <Link to="/deployments/deployment/$id" params={{ id: deployment.id }} className="hover:underline">
              {deployed}
            </Link>
          ) : (
            'Waits for the first deployment'
          )
        }
      >
        {mayDo ? <Snippet title="Write deploy.py and run it" text={deployCommands(pool)} /> : null}
      </Step>
      <Step
        title="Start a worker"
        {...at(4)}
        says={
          work_pool && work_pool.workers_online > 0
            ? `${work_pool.workers_online} online in ${work_pool.name}`
            : work_pool && !isServed
              ? `No worker polls ${work_pool.name}`
              : isServed
                ? 'Not needed'
                : 'Waits for a work pool'
        }
      >
        {mayDo ? (
          <Snippet
            title="Start the worker in a terminal of its own"
            text={workerCommands(pool, installation, secret)}
          />
        ) : null}
      </Step>
      <Step
        title="Run the deployment"
        {...at(5)}
        says={
          deployment_run ? (
            <RunLink run={deployment_run} />
          ) : waiting ? (
            <Link to="/runs/flow-run/$id" params={{ id: waiting.id }} className="hover:underline">
              {waiting.name} is due and has not begun
            </Link>
          ) : (
            'Waits for the first run that a worker takes'
          )
        }
      >
        {mayDo ? <Snippet title="Run the deployment once" text={runCommands(deployed)} /> : null}
      </Step>
      {waiting && !deployment_run && waiting.reasons.length > 0 ? (
        <li className="py-2 pl-7 max-sm:pl-0" aria-label="Why the run waits">
          <Reasons reasons={waiting.reasons} />
        </li>
      ) : null}
    </ol>
  );
}

function RunLink({ run }: { readonly run: NonNullable<FirstHourView['flow_run']> }) {
  return (
    <Link
      to="/runs/flow-run/$id"
      params={{ id: run.id }}
      className="inline-flex flex-wrap items-center gap-x-2 hover:underline"
    >
      {run.name}
      <StateLabel kind={stateKind(run.state_type, run.state_name)} name={run.state_name ?? ''} />
    </Link>
  );
}

interface ConnectProps {
  readonly installation: Installation;
  readonly isSignedIn: boolean;
  readonly secret: string | undefined;
  readonly onCreated: (secret: string) => void;
}

function Connect({ installation, isSignedIn, secret, onCreated }: ConnectProps) {
  const [installer, setInstaller] = useState<Installer>('pip');
  return (
    <>
      <fieldset className="mb-2 flex gap-4 text-soft">
        <legend className="sr-only">Install with</legend>
        {(['pip', 'uv'] as const).map((one) => (
          <label key={one} className="inline-flex items-center gap-1.5">
            <input
              type="radio"
              name="installer"
              checked={installer === one}
              onChange={() => setInstaller(one)}
              className="accent-(--ink)"
            />
            {one}
          </label>
        ))}
      </fieldset>
      <Snippet title="Install Prefect" text={installCommands(installer, installation)} />
      {needsKey(installation) && isSignedIn ? (
        <KeyOffer descriptor="first flow" secret={secret} onCreated={onCreated} />
      ) : null}
      <Snippet title="Point Prefect at this workspace" text={connectCommands(installation, secret)} />
    </>
  );
}
