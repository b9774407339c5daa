/** The variables of a hosted server. Values are written but never read here. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { Confirm, Dialog } from '../components/dialog.tsx';
import { Moment } from '../components/moment.tsx';
import { Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { useAction } from '../components/use-action.ts';
import { Field } from './field.tsx';
import { deleteVariable, environmentQuery, setVariable } from './hosted-queries.ts';
import type { ServerPath } from './queries.ts';
import type { TabProps } from './tab-props.ts';

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
  const [name, setName] = useState(edited.name);
  const [value, setValue] = useState('');
  const [sensitive, setSensitive] = useState(edited.sensitive);
  const [description, setDescription] = useState(edited.description);
  const action = useAction();
  const save = () =>
    action.run(async () => {
      await setVariable(path, name, { value, sensitive, description });
      await onSaved();
    });
  const nameProblem = action.fields.get('name');
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={edited.isNew ? 'Add a variable' : `Replace ${edited.name}`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" disabled={action.isBusy || name === ''} onClick={() => void save()}>
            Save
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {edited.isNew ? (
          <Field title="Name" error={nameProblem}>
            <input
              className="field font-mono text-xs"
              value={name}
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
          </Field>
        ) : null}
        <Field
          title={edited.isNew ? 'Value' : 'New value'}
          error={action.fields.get('value')}
          hint="It is encrypted at rest. Running programs are replaced, so that they get it."
        >
          {sensitive ? (
            <input
              type="password"
              className="field font-mono text-xs"
              value={value}
              autoComplete="new-password"
              onChange={(event) => setValue(event.target.value)}
            />
          ) : (
            <textarea
              className="field h-24 py-1 font-mono text-xs"
              value={value}
              spellCheck={false}
              onChange={(event) => setValue(event.target.value)}
            />
          )}
        </Field>
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={sensitive} onChange={(event) => setSensitive(event.target.checked)} />
          Sensitive: no answer contains it, and it is removed from output
        </label>
        <Field title="Description" error={action.fields.get('description')}>
          <input className="field" value={description} onChange={(event) => setDescription(event.target.value)} />
        </Field>
        {action.fields.size === 0 ? <ProblemNote text={action.problem} /> : null}
      </div>
    </Dialog>
  );
}
