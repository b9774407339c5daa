/** Starts a run of a deployment: with chosen parameters, time and queue. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../components/button.tsx';
import { FormRow } from '../components/form-row.tsx';
import { PageHead } from '../components/page.tsx';
import { type FormValues, type JsonSchema, objectOf } from '../components/schema-form/form-schema.ts';
import { SchemaForm } from '../components/schema-form/schema-form.tsx';
import { useSchemaForm } from '../components/schema-form/use-schema-form.ts';
import { Failed, Skeleton } from '../components/states-of-loading.tsx';
import { TagsField } from '../components/tags-field.tsx';
import { createRun } from './actions.ts';
import { type Deployment, deploymentQuery, parametersOfRunQuery, poolQuery } from './queries.ts';

const route = getRouteApi('/deployments/deployment/$id/run');

export function RunPage() {
  const { id } = route.useParams();
  const { from } = route.useSearch();
  const query = useQuery(deploymentQuery(id));
  const earlier = useQuery(parametersOfRunQuery(from));
  if (query.isPending || (from !== undefined && earlier.isPending)) {
    return (
      <div className="px-6 pt-6">
        <Skeleton rows={8} />
      </div>
    );
  }
  if (!query.data) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const { data: deployment } = query;
  return <RunForm deployment={deployment} initial={{ ...deployment.parameters, ...earlier.data }} />;
}

interface FormProps {
  readonly deployment: Deployment;
  /** The parameters that prefill the form. */
  readonly initial: FormValues;
}

function RunForm({ deployment, initial }: FormProps) {
  const navigate = useNavigate();
  const { data: work } = useQuery(poolQuery(deployment.work_pool_name));
  const parameters = useSchemaForm(initial);
  const variables = useSchemaForm(deployment.job_variables ?? {});
  const [name, setName] = useState('');
  const [tags, setTags] = useState<readonly string[]>([]);
  const [time, setTime] = useState('');
  const [queue, setQueue] = useState('');
  const [isChecked, setChecked] = useState(deployment.enforce_parameter_schema ?? true);
  const [isBusy, setBusy] = useState(false);
  const variablesSchema = objectOf(work?.pool.base_job_template?.['variables']);
  const hasVariables = Object.keys(objectOf(variablesSchema['properties'])).length > 0;

  const start = async () => {
    const isReady = [!isChecked || parameters.isReady(), !hasVariables || variables.isReady()].every(Boolean);
    if (!isReady) return;
    setBusy(true);
    try {
      const run = await createRun(deployment.id, {
        parameters: parameters.value,
        jobVariables: changed(variables.value, variablesSchema, deployment.job_variables ?? {}),
        name,
        tags,
        time: time === '' ? undefined : new Date(time),
        queue,
        isChecked,
      });
      await navigate({ to: '/runs/flow-run/$id', params: { id: run } });
    } catch (error) {
      parameters.refuse(error, 'parameters');
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <PageHead
        title={`Run ${deployment.name}`}
        trail={
          <Link to="/deployments/deployment/$id" params={{ id: deployment.id }} className="hover:underline">
            {deployment.name}
          </Link>
        }
      />
      <form
        noValidate
        className="max-w-200 px-6 max-sm:px-4"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <SchemaForm
          label="Parameters"
          schema={(deployment.parameter_openapi_schema ?? {}) as JsonSchema}
          {...parameters.props}
        />
        <h2 className="mt-6 mb-1 text-sm font-semibold">Run</h2>
        <FormRow id="run-name" title="Name" description="Empty: the server generates a name.">
          <input
            id="run-name"
            className="field"
            autoComplete="off"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </FormRow>
        <FormRow
          id="run-tags"
          title="Tags"
          description={`Added to those of the deployment${deployment.tags?.length ? `: ${deployment.tags.join(', ')}` : ''}.`}
        >
          <TagsField id="run-tags" tags={tags} onChange={setTags} />
        </FormRow>
        <FormRow id="run-time" title="Start" description="Empty: at once.">
          <span className="flex items-center gap-2">
            <input
              id="run-time"
              type="datetime-local"
              className="field tabular w-auto"
              value={time}
              onChange={({ target }) => setTime(target.value)}
            />
            <span className="text-xs text-quiet">{Intl.DateTimeFormat().resolvedOptions().timeZone}</span>
          </span>
        </FormRow>
        {work && work.queues.length > 1 ? (
          <FormRow id="run-queue" title="Work queue">
            <select
              id="run-queue"
              className="field w-auto pr-6"
              value={queue}
              onChange={({ target }) => setQueue(target.value)}
            >
              <option value="">{deployment.work_queue_name ?? 'default'}, of the deployment</option>
              {work.queues.map((one) => (
                <option key={one.id} value={one.name}>
                  {one.name}
                </option>
              ))}
            </select>
          </FormRow>
        ) : null}
        <FormRow
          id="run-checked"
          title="Check parameters"
          description="The server refuses parameters that do not fit the schema."
        >
          <span className="flex h-(--row-control) items-center">
            <input
              id="run-checked"
              type="checkbox"
              checked={isChecked}
              onChange={({ target }) => setChecked(target.checked)}
            />
          </span>
        </FormRow>
        {hasVariables ? (
          <details className="mt-4">
            <summary className="cursor-default text-sm text-soft">
              Job variables of {deployment.work_pool_name}:{' '}
              {countOf(changed(variables.value, variablesSchema, deployment.job_variables ?? {}))}
            </summary>
            <div className="mt-2">
              <SchemaForm label="Job variables" schema={variablesSchema} {...variables.props} />
            </div>
          </details>
        ) : null}
        <div className="sticky bottom-0 mt-4 flex gap-2 border-t border-line bg-canvas py-3">
          <Button kind="primary" type="submit" disabled={isBusy}>
            {time === '' ? 'Run' : 'Schedule the run'}
          </Button>
          <Button onClick={() => void navigate({ to: '/deployments/deployment/$id', params: { id: deployment.id } })}>
            Cancel
          </Button>
        </div>
      </form>
    </>
  );
}

function countOf(values: FormValues): string {
  const count = Object.keys(values).length;
  return count === 0 ? 'as the deployment has them' : `${count} changed`;
}

/** The variables that differ from the deployment's, or from the default of the pool if the deployment has none. */
function changed(values: FormValues, schema: JsonSchema, own: FormValues): FormValues {
  const properties = objectOf(schema['properties']);
  const before = (name: string) => (name in own ? own[name] : objectOf(properties[name])['default']);
  const isSame = (name: string, value: unknown) => JSON.stringify(value) === JSON.stringify(before(name));
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => !isSame(name, value)));
}
