/** Changes a deployment, or makes another one of the same flow and code. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { FormRow } from '../components/form-row.tsx';
import { PageHead } from '../components/page.tsx';
import { objectOf } from '../components/schema-form/form-schema.ts';
import { SchemaForm } from '../components/schema-form/schema-form.tsx';
import { useSchemaForm } from '../components/schema-form/use-schema-form.ts';
import { Failed, Skeleton } from '../components/states-of-loading.tsx';
import { TagsField } from '../components/tags-field.tsx';
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
  if (query.isPending) {
    return (
      <div className="px-6 pt-6">
        <Skeleton rows={8} />
      </div>
    );
  }
  if (!query.data) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return <EditForm deployment={query.data} isCopy={isCopy} />;
}

function EditForm({ deployment, isCopy }: { readonly deployment: Deployment; readonly isCopy: boolean }) {
  const navigate = useNavigate();
  const { id } = deployment;
  const oldLimit = deployment.global_concurrency_limit?.limit;
  const parameters = useSchemaForm(deployment.parameters ?? {});
  const [name, setName] = useState(isCopy ? `${deployment.name}-copy` : deployment.name);
  const [description, setDescription] = useState(deployment.description ?? '');
  const [tags, setTags] = useState<string[]>(deployment.tags ?? []);
  const [limit, setLimit] = useState(oldLimit === undefined ? '' : String(oldLimit));
  const [isBusy, setBusy] = useState(false);
  const isLimit = limit === '' || /^[1-9]\d*$/.test(limit);
  const save = async () => {
    if (!isLimit || name.trim() === '') return;
    setBusy(true);
    try {
      const common = { description, tags, parameters: { ...parameters.value } };
      const slots = limit === '' ? null : Number(limit);
      let saved = id;
      if (isCopy) {
        const variables = deployment.job_variables ?? {};
        saved = await duplicateDeployment(deployment, {
          ...common,
          name,
          concurrency_limit: slots,
          job_variables: variables,
        });
      } else {
        const changed = slots === (oldLimit ?? null) ? {} : { concurrency_limit: slots };
        await updateDeployment(id, { ...common, ...changed });
      }
      await invalidate('/views/deployments/{id}', '/deployments/{id}');
      await navigate({ to: '/deployments/deployment/$id', params: { id: saved } });
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
          <FormRow id="name" title="Name" errors={name.trim() === '' ? ['A name is needed.'] : []}>
            <input id="name" className="field" value={name} onChange={({ target }) => setName(target.value)} />
          </FormRow>
        ) : null}
        <FormRow id="description" title="Description">
          <textarea
            id="description"
            className="field h-auto py-1"
            rows={3}
            value={description}
            onChange={({ target }) => setDescription(target.value)}
          />
        </FormRow>
        <FormRow id="tags" title="Tags">
          <TagsField id="tags" tags={tags} onChange={setTags} />
        </FormRow>
        <FormRow
          id="limit"
          title="Runs at a time"
          description="Further runs wait until one of them has ended. Empty: no limit."
          errors={isLimit ? [] : ['This must be a whole number of at least 1.']}
        >
          <input
            id="limit"
            className="field tabular max-w-24"
            inputMode="numeric"
            value={limit}
            onChange={({ target }) => setLimit(target.value.trim())}
          />
        </FormRow>
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
