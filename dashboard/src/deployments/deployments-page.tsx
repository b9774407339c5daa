/** All deployments, with their health, their last runs and their next runs. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { Button } from '../components/button.tsx';
import { PageHead } from '../components/page.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { Snippet } from '../components/text/snippet.tsx';
import { DeploymentLines } from './deployment-lines.tsx';

const route = getRouteApi('/deployments');

const EXAMPLE = `from prefect import flow

@flow
def hello():
    print("Hello")

if __name__ == "__main__":
    hello.serve(name="every-hour", interval=3600)`;

export function DeploymentsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/deployments' });
  const change = (part: typeof search) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <>
      <PageHead title="Deployments" />
      <div className="flex flex-wrap items-center gap-2 px-6 pb-2 max-sm:px-4">
        <input
          data-filter
          type="search"
          aria-label="Deployments or flows whose name contains"
          placeholder="Name of it or of its flow"
          className="field w-60"
          defaultValue={search.name}
          onChange={(event) => change({ name: event.target.value || undefined })}
        />
        <select
          aria-label="Paused"
          className="field w-auto pr-6"
          value={search.paused ?? ''}
          onChange={({ target }) =>
            change({ paused: target.value === '' ? undefined : (target.value as 'yes' | 'no') })
          }
        >
          <option value="">Active and paused</option>
          <option value="no">Active</option>
          <option value="yes">Paused</option>
        </select>
        {(['tag', 'pool'] as const).map((name) =>
          search[name] ? (
            <Button key={name} kind="quiet" title="Remove this filter" onClick={() => change({ [name]: undefined })}>
              <span className="text-quiet">{name}</span> {search[name]} <X size={12} />
            </Button>
          ) : null,
        )}
      </div>
      <DeploymentLines
        isWide
        filter={{
          name: search.name,
          tag: search.tag,
          work_pool: search.pool,
          paused: search.paused === undefined ? undefined : search.paused === 'yes',
        }}
        empty={
          isFiltered ? (
            <Empty
              title="No deployment matches these filters"
              action={
                <Button onClick={() => change({ name: undefined, tag: undefined, pool: undefined, paused: undefined })}>
                  Remove the filters
                </Button>
              }
            />
          ) : (
            <Empty title="No deployments yet">
              <p className="mb-4">
                A deployment is a flow that the server can start: on a schedule, from this page or from the API.
              </p>
              <Snippet title="serve.py" text={EXAMPLE} />
            </Empty>
          )
        }
      />
    </>
  );
}
