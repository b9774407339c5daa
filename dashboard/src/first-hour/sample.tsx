/** Loads and removes the sample. */
import { useState } from 'react';
import { useAccess } from '../api/access.ts';
import { Button } from '../components/button.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { useAction } from '../components/use-action.ts';
import { type FirstHourView, loadSample, type PolicyPlace, removeSample } from './queries.ts';

export function Sample({ sample }: Pick<FirstHourView, 'sample'>) {
  const { isBusy, problem, run } = useAction();
  const [wasLoaded, setLoaded] = useState(false);
  const place = usePolicyPlace();
  const load = async () => setLoaded(await run(() => loadSample(place), 'The sample is loaded'));
  return (
    <section aria-label="Sample" className="flex flex-wrap items-center gap-3 pt-3">
      {sample ? (
        <>
          <p className="text-soft">
            The sample is loaded: {sample.flows} flows, {sample.deployments} deployments and {sample.flow_runs} runs in
            every state. {wasLoaded && place ? 'The built-in MCP server has a policy. ' : null}
            Removing it leaves everything of yours.
          </p>
          <Button disabled={isBusy} onClick={() => void run(() => removeSample(place), 'The sample is removed')}>
            Remove the sample
          </Button>
        </>
      ) : (
        <>
          <p className="text-soft">
            Or look around first: the sample has flows, deployments, runs in every state with logs, a paused work pool
            and an automation that is off{place ? ', and a policy for the built-in MCP server' : ''}.
          </p>
          <Button disabled={isBusy} onClick={() => void load()}>
            Load the sample
          </Button>
        </>
      )}
      <ProblemNote text={problem} className="w-full" />
    </section>
  );
}

/** Undefined for people who may not give the built-in server a policy. */
function usePolicyPlace(): PolicyPlace | undefined {
  const access = useAccess();
  const organization = access?.organizations.find(({ id }) => id === access.organizationId);
  if (organization?.role !== 'admin' || !access?.workspaceId) return undefined;
  return { org: organization.slug, workspace: access.workspaceId };
}
