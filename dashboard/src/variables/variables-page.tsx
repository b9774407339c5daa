/** Values that flows read by name. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Pencil, Plus, Trash2, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useMay } from '../api/access.ts';
import { useMore } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { Button, IconButton } from '../components/button.tsx';
import { Copy } from '../components/copy.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Moment } from '../components/moment.tsx';
import { PageHead } from '../components/page.tsx';
import { Snippet } from '../components/snippet.tsx';
import { Empty, Failed, Skeleton } from '../components/states-of-loading.tsx';
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
  const query = useInfiniteQuery(variablesQuery(search));
  const [edited, setEdited] = useState<Variable>();
  const [asked, setAsked] = useState<Variable>();
  const pages = query.data?.pages;
  const rows = useMemo(() => pages?.flat() ?? [], [pages]);
  const more = useMore(query);
  const change = (part: typeof search) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  const isCreating = mayChange && search.new === true && edited === undefined;
  const create = (isOpen: boolean) =>
    void navigate({ search: (old) => ({ ...old, new: isOpen || undefined }), replace: !isOpen });
  const close = () => (edited === undefined ? create(false) : setEdited(undefined));
  const reread = () => invalidate('/variables/filter');
  const columns = columnsOf(mayChange ? { edit: setEdited, remove: setAsked } : undefined, (tag) => change({ tag }));
  const isFiltered = Boolean(search.name ?? search.tag);
  return (
    <>
      <PageHead
        title="Variables"
        actions={
          mayChange ? (
            <Button kind="primary" onClick={() => create(true)}>
              <Plus size={14} />
              New variable
            </Button>
          ) : null
        }
      />
      <div className="flex flex-wrap items-center gap-2 px-6 pb-2 max-sm:px-4">
        <input
          data-filter
          type="search"
          aria-label="Variables whose name contains"
          placeholder="Name contains"
          className="field w-56"
          defaultValue={search.name}
          onChange={(event) => change({ name: event.target.value || undefined })}
        />
        {search.tag ? (
          <Button kind="quiet" title="Remove this filter" onClick={() => change({ tag: undefined })}>
            <span className="text-quiet">tag</span> {search.tag} <X size={12} />
          </Button>
        ) : null}
      </div>
      {query.isPending ? (
        <div className="px-6">
          <Skeleton rows={8} />
        </div>
      ) : query.isError && rows.length === 0 ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : rows.length > 0 ? (
        <DataTable
          label="Variables"
          columns={columns}
          rows={rows}
          idOf={({ id }) => id}
          {...(mayChange ? { onOpen: setEdited } : {})}
          onEnd={more}
        />
      ) : isFiltered ? (
        <Empty
          title="No variable matches these filters"
          action={<Button onClick={() => change({ name: undefined, tag: undefined })}>Remove the filters</Button>}
        />
      ) : (
        <Empty
          title="No variables yet"
          action={mayChange ? <Button onClick={() => create(true)}>Create a variable</Button> : null}
        >
          <p className="mb-4">
            A variable is a value that flows read by its name, so that it can change without a deployment.
          </p>
          <Snippet
            title="In a flow"
            text={'from prefect.variables import Variable\n\nregion = Variable.get("region")'}
          />
        </Empty>
      )}
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

interface Changes {
  readonly edit: (variable: Variable) => void;
  readonly remove: (variable: Variable) => void;
}

/** `changes` is undefined for a reader, who sees no buttons for them. */
function columnsOf(changes: Changes | undefined, filter: (tag: string) => void): readonly Column<Variable>[] {
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
    {
      id: 'value',
      title: 'Value',
      width: 'minmax(10rem, 2.4fr)',
      line: 2,
      cell: ({ value }) => {
        const text = JSON.stringify(value);
        return (
          <span className="font-mono text-xs text-soft" title={text}>
            {text}
          </span>
        );
      },
    },
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
    { id: 'updated', title: 'Changed', width: '6rem', from: 620, cell: ({ updated }) => <Moment time={updated} /> },
    {
      id: 'actions',
      title: '',
      width: '6rem',
      align: 'right',
      line: 1,
      cell: (variable) => (
        <span className="inline-flex">
          <Copy text={JSON.stringify(variable.value)} what="value" />
          {changes ? (
            <>
              <IconButton label={`Change ${variable.name}`} onClick={() => changes.edit(variable)}>
                <Pencil size={13} />
              </IconButton>
              <IconButton label={`Delete ${variable.name}`} onClick={() => changes.remove(variable)}>
                <Trash2 size={13} />
              </IconButton>
            </>
          ) : null}
        </span>
      ),
    },
  ];
}
