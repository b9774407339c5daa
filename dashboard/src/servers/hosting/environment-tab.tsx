/** The variables of a hosted server. Values are written but never read here. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { invalidate } from '../../api/read.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { CheckField, TextField } from '../../components/form/form-fields.tsx';
import { useForm } from '../../components/form/use-form.ts';
import { Section } from '../../components/page.tsx';
import { Unread } from '../../components/states-of-loading.tsx';
import { Moment } from '../../components/text/moment.tsx';
import type { ServerPath } from '../queries.ts';
import type { TabProps } from '../tab-props.ts';
import { deleteVariable, environmentQuery, setVariable } from './hosted-queries.ts';

export function EnvironmentTab({ organization, view }: TabProps) {
  const path = { org: organization.slug, server: view.server.slug };
  const query = useQuery(environmentQuery(path));
  const [edited, setEdited] = useState<Edited>();
  const [asked, setAsked] = useState<string>();
  const reread = () => invalidate('/organizations/{org}/servers/{server}/environment');
  const items = query.data?.items ?? [];
  if (!query.data) return <Unread of={query} rows={6} />;
  return (
    <Section title="Variables" aside={<Button onClick={() => setEdited(fresh)}>Add a variable</Button>}>
      <ul className="border-t border-line" aria-label="Variables">
        {items.length === 0 ? (
          <li className="ruled py-2 text-soft">
            The program gets PORT and HOST, and no other variable of the server. Add the variables that it needs, such
            as keys.
          </li>
        ) : null}
        {items.map(({ name, sensitive, description, updatedAt }) => (
          <li
            key={name}
            className="ruled grid min-h-9 grid-cols-[minmax(0,1fr)_6rem_minmax(0,1.5fr)_5rem_auto] items-center gap-x-4 max-sm:grid-cols-[minmax(0,1fr)_auto]"
          >
            <span className="truncate font-mono text-xs font-medium">{name}</span>
            <span className="text-soft max-sm:hidden">{sensitive ? 'sensitive' : 'plain'}</span>
            <span className="truncate text-soft max-sm:hidden">{description}</span>
            <span className="text-xs text-quiet max-sm:hidden">
              <Moment time={updatedAt} />
            </span>
            <span className="flex gap-1">
              <Button kind="quiet" onClick={() => setEdited({ name, sensitive, description, isNew: false })}>
                Replace
              </Button>
              <Button kind="quiet" onClick={() => setAsked(name)}>
                Delete
              </Button>
            </span>
          </li>
        ))}
      </ul>
      {edited ? (
        <VariableDialog
          path={path}
          edited={edited}
          onClose={() => setEdited(undefined)}
          onSaved={async () => {
            await reread();
            setEdited(undefined);
          }}
        />
      ) : null}
      <Confirm
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        question={`Delete ${asked ?? ''}?`}
        action="Delete variable"
        onConfirm={async () => {
          if (asked !== undefined) await deleteVariable(path, asked);
          await reread();
        }}
      >
        Its value is lost. A program that runs is replaced by one without it.
      </Confirm>
    </Section>
  );
}

interface Edited {
  readonly name: string;
  readonly sensitive: boolean;
  readonly description: string;
  readonly isNew: boolean;
}

const fresh: Edited = { name: '', sensitive: true, description: '', isNew: true };

interface DialogProps {
  readonly path: ServerPath;
  readonly edited: Edited;
  readonly onClose: () => void;
  readonly onSaved: () => Promise<unknown>;
}

function VariableDialog({ path, edited, onClose, onSaved }: DialogProps) {
  const { isNew, ...stored } = edited;
  const form = useForm({ ...stored, value: '' });
  const { name, value, sensitive, description } = form.values;
  const save = async () => {
    await setVariable(path, name, { value, sensitive, description });
    await onSaved();
  };
  return (
    <FormDialog
      title={isNew ? 'Add a variable' : `Replace ${edited.name}`}
      action="Save"
      form={form}
      isReady={name !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      {isNew ? <TextField of={form} name="name" label="Name" isMono /> : null}
      <TextField
        of={form}
        name="value"
        label={isNew ? 'Value' : 'New value'}
        isMono
        {...(sensitive ? { type: 'password' } : { rows: 4, className: 'h-24 py-1' })}
        hint="It is encrypted at rest. Running programs are replaced, so that they get it."
      />
      <CheckField of={form} name="sensitive" label="Sensitive: no answer contains it, and it is removed from output" />
      <TextField of={form} name="description" label="Description" />
    </FormDialog>
  );
}
