/** Changes a deployment, or makes another one of the same flow and code. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { NumberField, OwnField, TextField } from '../components/form/form-fields.tsx';
import { TagsField } from '../components/form/tags-field.tsx';
import { useForm } from '../components/form/use-form.ts';
import { notify } from '../components/notify/notify.ts';
import { PageHead } from '../components/page.tsx';
import { objectOf } from '../components/schema-form/form-schema.ts';
import { SchemaForm } from '../components/schema-form/schema-form.tsx';
import { useSchemaForm } from '../components/schema-form/use-schema-form.ts';
import { Unread } from '../components/states-of-loading.tsx';
import { duplicateDeployment, updateDeployment } from './actions.ts';
import { type Deployment, deploymentQuery } from './queries.ts';

export function EditPage() {
  return <Loaded isCopy={false} />;
}

export function DuplicatePage() {
  return <Loaded isCopy />;
}

function Loaded({ isCopy }: { readonly isCopy: boolean }) {
  const { id = '' } = useParams({ strict: false });
  const query = useQuery(deploymentQuery(id));
  if (!query.data) return <Unread of={query} rows={8} isPage />;
  return <EditForm deployment={query.data} isCopy={isCopy} />;
}

function EditForm({ deployment, isCopy }: { readonly deployment: Deployment; readonly isCopy: boolean }) {
  const navigate = useNavigate();
  const { id } = deployment;
  const oldLimit = deployment.global_concurrency_limit?.limit ?? null;
  const parameters = useSchemaForm(deployment.parameters ?? {});
  const form = useForm(
    {
      name: isCopy ? `${deployment.name}-copy` : deployment.name,
      description: deployment.description ?? '',
      tags: deployment.tags ?? [],
      concurrency_limit: oldLimit,
    },
    'rows',
  );
  const [isBusy, setBusy] = useState(false);
  const { name, description, tags, concurrency_limit } = form.values;
  const save = async () => {
    if (form.isWrong || name.trim() === '') return;
    setBusy(true);
    try {
      const common = { description, tags, parameters: { ...parameters.value } };
      let saved = id;
      if (isCopy) {
        const variables = deployment.job_variables ?? {};
        saved = await duplicateDeployment(deployment, {
          ...common,
          name,
          concurrency_limit,
          job_variables: variables,
        });
      } else {
        const changed = concurrency_limit === oldLimit ? {} : { concurrency_limit };
        await updateDeployment(id, { ...common, ...changed });
      }
      await invalidate('/views/deployments/{id}', '/deployments/{id}');
      await navigate({ to: '/deployments/deployment/$id', params: { id: saved } });
      if (!isCopy) notify('Saved');
    } catch (error) {
      parameters.refuse(error, 'parameters');
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <PageHead
        title={isCopy ? `Duplicate ${deployment.name}` : `Edit ${deployment.name}`}
        trail={
          <Link to="/deployments/deployment/$id" params={{ id }} className="hover:underline">
            {deployment.name}
          </Link>
        }
      />
      <form
        noValidate
        className="max-w-200 px-6 max-sm:px-4"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {isCopy ? (
          <TextField of={form} name="name" label="Name" error={name.trim() === '' ? 'A name is needed.' : undefined} />
        ) : null}
        <TextField of={form} name="description" label="Description" rows={3} className="h-auto py-1" />
        <OwnField of={form} name="tags" label="Tags">
          {(id, value, set) => <TagsField id={id} tags={value} onChange={set} />}
        </OwnField>
        <NumberField
          of={form}
          name="concurrency_limit"
          label="Runs at a time"
          from={1}
          hint="Further runs wait until one of them has ended. Empty: no limit."
        />
        <div className="mt-4">
          <SchemaForm label="Parameters" schema={objectOf(deployment.parameter_openapi_schema)} {...parameters.props} />
        </div>
        <div className="sticky bottom-0 mt-4 flex gap-2 border-t border-line bg-canvas py-3">
          <Button kind="primary" type="submit" disabled={isBusy}>
            {isCopy ? 'Create' : 'Save'}
          </Button>
          <Button onClick={() => void navigate({ to: '/deployments/deployment/$id', params: { id } })}>Cancel</Button>
        </div>
      </form>
    </>
  );
}
