/** The limits for the use of the server by its callers. */
import { useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { invalidate } from '../api/read.ts';
import { Button, IconButton } from '../components/button.tsx';
import { ChoiceField, FormSection, NumberField, SaveButton, TextField } from '../components/form/form-fields.tsx';
import { FieldErrors } from '../components/form/form-row.tsx';
import { itemOf, type Part, useForm } from '../components/form/use-form.ts';
import { Unread } from '../components/states-of-loading.tsx';
import { setLimits } from './actions.ts';
import { type Limits, limitsQuery, type ServerPath } from './queries.ts';
import type { TabProps } from './tab-props.ts';

export function LimitsTab({ organization, view }: TabProps) {
  const path = { org: organization.slug, server: view.server.slug };
  const query = useQuery(limitsQuery(path));
  if (!query.data) return <Unread of={query} rows={4} />;
  return (
    <Form key={JSON.stringify(query.data)} path={path} stored={query.data} mayChange={view.server.role === 'admin'} />
  );
}

type Quota = Limits['quotas'][number];
/** The tool is empty for all. The id tells rows apart that have the same values. */
type Row = Omit<Quota, 'tool'> & { readonly id: number; readonly tool: string };

let lastId = 0;

function rowOf({ tool, ...quota }: Quota): Row {
  lastId += 1;
  return { ...quota, id: lastId, tool: tool ?? '' };
}

const emptyQuota = { per: 'actor', tool: null, requestsPerMinute: 60, concurrentRequests: null } as const;
const holders = [
  ['actor', 'each caller'],
  ['server', 'all together'],
] as const;

interface FormProps {
  readonly path: ServerPath;
  readonly stored: Limits;
  readonly mayChange: boolean;
}

function Form({ path, stored, mayChange }: FormProps) {
  const form = useForm(() => ({ quotas: stored.quotas.map(rowOf), maxResultBytes: stored.maxResultBytes }), 'stacked', [
    'quotas',
  ]);
  const { quotas: rows, maxResultBytes } = form.values;
  const given: Limits = {
    quotas: rows.map(({ per, tool, requestsPerMinute, concurrentRequests }) => ({
      per,
      tool: tool.trim() || null,
      requestsPerMinute,
      concurrentRequests,
    })),
    maxResultBytes,
  };
  const save = async () => {
    await setLimits(path, given);
    await invalidate('/organizations/{org}/servers/{server}/limits');
  };
  return (
    <fieldset disabled={!mayChange} className="flex max-w-220 flex-col gap-8">
      <FormSection title="Quotas" aside="In force at the next request, on all replicas together">
        {rows.length === 0 ? <p className="text-soft">Callers are not limited.</p> : null}
        {rows.map(({ id }, index) => (
          <QuotaRow
            key={id}
            of={itemOf(form, 'quotas', index)}
            onRemove={() => form.set({ quotas: rows.filter((row) => row.id !== id) })}
          />
        ))}
        <div>
          <Button onClick={() => form.set({ quotas: [...rows, rowOf(emptyQuota)] })}>Add a quota</Button>
        </div>
        <FieldErrors errors={[form.problems.get('quotas') ?? []].flat()} />
      </FormSection>
      <FormSection title="Size of answers">
        <NumberField
          of={form}
          name="maxResultBytes"
          label="Most bytes of an answer"
          from={0}
          className="w-48"
          placeholder="no limit of its own"
          hint="A larger one is replaced by an error. In a stream it counts for each message."
        />
      </FormSection>
      <div>
        <SaveButton of={form} kind="primary" isChanged={JSON.stringify(given) !== JSON.stringify(stored)} onSave={save}>
          Save the limits
        </SaveButton>
        {mayChange ? null : <p className="mt-2 text-quiet">Only administrators of the server change them.</p>}
      </div>
    </fieldset>
  );
}

function QuotaRow({ of, onRemove }: { readonly of: Part<Row>; readonly onRemove: () => void }) {
  return (
    <div className="grid items-start gap-3 sm:grid-cols-[11rem_1fr_8rem_8rem_2rem]">
      <ChoiceField
        of={of}
        name="per"
        label="For"
        choices={holders}
        error={of.problems.get('') ?? of.problems.get('per')}
      />
      <TextField of={of} name="tool" label="Tool" isMono placeholder="every request" />
      <NumberField of={of} name="requestsPerMinute" label="A minute" from={0} className="" placeholder="any number" />
      <NumberField
        of={of}
        name="concurrentRequests"
        label="At the same time"
        from={0}
        className=""
        placeholder="any number"
      />
      <IconButton label="Remove the quota" className="sm:mt-4.5" onClick={onRemove}>
        <Trash2 size={14} />
      </IconButton>
    </div>
  );
}
