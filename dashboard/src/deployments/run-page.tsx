/** Starts a run of a deployment: with chosen parameters, time and queue. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../components/button.tsx';
import { ChoiceField, OwnField, TextField } from '../components/form/form-fields.tsx';
import { TagsField } from '../components/form/tags-field.tsx';
import { useForm } from '../components/form/use-form.ts';
import { PageHead } from '../components/page.tsx';
import { type FormValues, type JsonSchema, objectOf } from '../components/schema-form/form-schema.ts';
import { SchemaForm } from '../components/schema-form/schema-form.tsx';
import { useSchemaForm } from '../components/schema-form/use-schema-form.ts';
import { isFirstRead, Unread } from '../components/states-of-loading.tsx';
import { createRun } from './actions.ts';
import { type Deployment, deploymentQuery, type PoolAndQueues, parametersOfRunQuery, poolQuery } from './queries.ts';

const route = getRouteApi('/deployments/deployment/$id/run');

export function RunPage() {
  const { id } = route.useParams();
  const { from } = route.useSearch();
  const query = useQuery(deploymentQuery(id));
  const earlier = useQuery(parametersOfRunQuery(from));
  const pool = useQuery(poolQuery(query.data?.work_pool_name));
  if (!query.data) return <Unread of={query} rows={8} isPage />;
  if (isFirstRead(earlier)) return <Unread of={earlier} rows={8} isPage />;
  if (isFirstRead(pool)) return <Unread of={pool} rows={8} isPage />;
  const { data: deployment } = query;
  return <RunForm deployment={deployment} work={pool.data} initial={{ ...deployment.parameters, ...earlier.data }} />;
}

interface FormProps {
  readonly deployment: Deployment;
  /** Its pool and the queues of the pool; undefined if it has none or they cannot be read. */
  readonly work: PoolAndQueues | undefined;
  /** The parameters that prefill the form. */
  readonly initial: FormValues;
}

function RunForm({ deployment, work, initial }: FormProps) {
  const navigate = useNavigate();
  const parameters = useSchemaForm(initial);
  const variables = useSchemaForm(deployment.job_variables ?? {});
  const form = useForm(
    {
      name: '',
      tags: [] as readonly string[],
      time: '',
      queue: '',
      isChecked: deployment.enforce_parameter_schema ?? true,
    },
    'rows',
  );
  const { time, isChecked } = form.values;
  const [isBusy, setBusy] = useState(false);
  const variablesSchema = objectOf(work?.pool.base_job_template?.['variables']);
  const hasVariables = Object.keys(objectOf(variablesSchema['properties'])).length > 0;

  const start = async () => {
    const isReady = [!isChecked || parameters.isReady(), !hasVariables || variables.isReady()].every(Boolean);
    if (!isReady) return;
    setBusy(true);
    try {
      const run = await createRun(deployment.id, {
        ...form.values,
        parameters: parameters.value,
        jobVariables: changed(variables.value, variablesSchema, deployment.job_variables ?? {}),
        time: time === '' ? undefined : new Date(time),
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
        className="in-order max-w-200 px-6 max-sm:px-4"
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
        <TextField of={form} name="name" label="Name" autoComplete="off" hint="Empty: the server generates a name." />
        <OwnField
          of={form}
          name="tags"
          label="Tags"
          hint={`Added to those of the deployment${deployment.tags?.length ? `: ${deployment.tags.join(', ')}` : ''}.`}
        >
          {(id, value, set) => <TagsField id={id} tags={value} onChange={set} />}
        </OwnField>
        <OwnField of={form} name="time" label="Start" hint="Empty: at once.">
          {(id, value, set) => (
            <span className="flex items-center gap-2">
              <input
                id={id}
                type="datetime-local"
                className="field tabular w-auto"
                value={value}
                onChange={({ target }) => set(target.value)}
              />
              <span className="text-xs text-quiet">{Intl.DateTimeFormat().resolvedOptions().timeZone}</span>
            </span>
          )}
        </OwnField>
        {work && work.queues.length > 1 ? (
          <ChoiceField
            of={form}
            name="queue"
            label="Work queue"
            className="w-auto"
            choices={[
              ['', `${deployment.work_queue_name ?? 'default'}, of the deployment`],
              ...work.queues.map(({ name }) => [name, name] as const),
            ]}
          />
        ) : null}
        <OwnField
          of={form}
          name="isChecked"
          label="Check parameters"
          hint="The server refuses parameters that do not fit the schema."
        >
          {(id, value, set) => (
            <span className="flex h-(--row-control) items-center">
              <input id={id} type="checkbox" checked={value} onChange={({ target }) => set(target.checked)} />
            </span>
          )}
        </OwnField>
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
