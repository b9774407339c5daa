/** Values that flows read by name. */

import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../api/access.ts';
import { useRows } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { Button, NewButton } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { actionsColumn, type Changes, EditAndDelete, momentColumn, textColumn } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { ListPage, NameFilter, SetFilter } from '../components/table/list-page.tsx';
import { Copy } from '../components/text/copy.tsx';
import { Snippet } from '../components/text/snippet.tsx';
import { deleteVariable, type Variable, variablesQuery } from './queries.ts';
import { VariableDialog } from './variable-dialog.tsx';

const route = getRouteApi('/variables');
/** Tags shown in a row. */
const MOST_TAGS = 20;

export function VariablesPage() {
  const search = route.useSearch();
  // @ts-expect-error: a search has only the names that its page declares. It is unused if searches become `any`: see `page`.
  void search.undeclared;
  const navigate = useNavigate({ from: '/variables' });
  const mayChange = useMay('variables:write');
  const list = useRows(variablesQuery(search), (page) => page);
  const [edited, setEdited] = useState<Variable>();
  const [asked, setAsked] = useState<Variable>();
  const change = (part: typeof search) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  const isCreating = mayChange && search.new === true && edited === undefined;
  const create = (isOpen: boolean) =>
    void navigate({ search: (old) => ({ ...old, new: isOpen || undefined }), replace: !isOpen });
  const close = () => (edited === undefined ? create(false) : setEdited(undefined));
  const reread = () => invalidate('/variables/filter');
  const columns = columnsOf(mayChange ? { edit: setEdited, remove: setAsked } : undefined, (tag) => change({ tag }));
  return (
    <>
      <ListPage
        title="Variables"
        actions={mayChange ? <NewButton onClick={() => create(true)}>New variable</NewButton> : null}
        filters={
          <>
            <NameFilter of="Variables" value={search.name} onChange={(name) => change({ name })} />
            <SetFilter name="tag" value={search.tag} onRemove={() => change({ tag: undefined })} />
          </>
        }
        list={list}
        columns={columns}
        {...(mayChange ? { onOpen: setEdited } : {})}
        filtered={{ nothing: 'No variable', by: { name: search.name, tag: search.tag }, change }}
        empty={
          <Empty
            title="No variables yet"
            action={mayChange ? <Button onClick={() => create(true)}>New variable</Button> : null}
          >
            <p className="mb-4">
              A variable is a value that flows read by its name, so that it can change without a deployment.
            </p>
            <Snippet
              title="In a flow"
              text={'from prefect.variables import Variable\n\nregion = Variable.get("region")'}
            />
          </Empty>
        }
      />
      {edited === undefined && !isCreating ? null : (
        <VariableDialog
          variable={edited}
          onClose={close}
          onSaved={() => {
            close();
            void reread();
          }}
        />
      )}
      <Confirm
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        question={`Delete ${asked?.name ?? ''}?`}
        action="Delete variable"
        done={asked && `Variable ${asked.name} deleted`}
        onConfirm={async () => {
          if (asked) await deleteVariable(asked.id);
          await reread();
        }}
      >
        Flows that read it get their default instead, or None. Its value is lost.
      </Confirm>
    </>
  );
}

/** `changes` is undefined for a reader, who sees no buttons for them. */
function columnsOf(changes: Changes<Variable> | undefined, filter: (tag: string) => void): readonly Column<Variable>[] {
  return [
    {
      id: 'name',
      title: 'Name',
      width: 'minmax(9rem, 1fr)',
      line: 1,
      cell: (variable) =>
        changes ? (
          <button
            type="button"
            className="font-mono text-xs font-medium hover:underline"
            onClick={() => changes.edit(variable)}
          >
            {variable.name}
          </button>
        ) : (
          <span className="font-mono text-xs font-medium">{variable.name}</span>
        ),
    },
    textColumn('value', 'Value', ({ value }) => JSON.stringify(value), {
      width: 'minmax(10rem, 2.4fr)',
      line: 2,
      isMono: true,
    }),
    {
      id: 'tags',
      title: 'Tags',
      width: 'minmax(5rem, .8fr)',
      from: 760,
      cell: ({ tags }) => (
        <span className="inline-flex gap-1.5">
          {tags.slice(0, MOST_TAGS).map((tag) => (
            <button key={tag} type="button" className="text-soft hover:underline" onClick={() => filter(tag)}>
              {tag}
            </button>
          ))}
        </span>
      ),
    },
    momentColumn('updated', 'Updated', ({ updated }) => updated, { from: 620 }),
    actionsColumn('6rem', (variable) => (
      <>
        <Copy text={JSON.stringify(variable.value)} what="value" />
        {changes ? <EditAndDelete name={variable.name} row={variable} {...changes} /> : null}
      </>
    )),
  ];
}
