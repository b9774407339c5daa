/** Named filters of the list of runs, stored on the server for everyone in the workspace. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bookmark, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useMay } from '../../../api/access.ts';
import { answered, api } from '../../../api/client.ts';
import { invalidate } from '../../../api/read.ts';
import { Button, IconButton } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { Failed } from '../../../components/states-of-loading.tsx';
import { viewsQuery } from '../queries.ts';
import type { RunsSearch } from '../run-fields.ts';
import { filtersOf, isOfRuns, type SavedSearch, searchOf } from './saved-filters.ts';

export function SavedViews({ search }: { readonly search: RunsSearch }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Bookmark size={14} /> Views
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Saved views">
        <Views search={search} close={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function Views({ search, close }: { readonly search: RunsSearch; readonly close: () => void }) {
  const mayChange = useMay('saved_searches:write');
  const query = useQuery(viewsQuery);
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string>();
  const [deleted, setDeleted] = useState<SavedSearch>();
  const views = (query.data ?? []).filter(isOfRuns);
  const act = async (action: () => Promise<unknown>) => {
    setProblem(undefined);
    try {
      await action();
      await invalidate('/saved_searches/filter');
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const put = (body: Pick<SavedSearch, 'name' | 'filters'>) => answered(api.PUT('/saved_searches/', { body }));
  const remove = (view: SavedSearch) =>
    act(async () => {
      await answered(api.DELETE('/saved_searches/{id}', { params: { path: { id: view.id } } }));
      setDeleted(view);
    });
  const undo = ({ name: old, filters }: SavedSearch) =>
    act(async () => {
      await put({ name: old, filters });
      setDeleted(undefined);
    });
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    void act(async () => {
      await put({ name: name.trim(), filters: filtersOf(search) });
      setName('');
    });
  };
  if (query.isError && !query.data) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return (
    <>
      {views.length === 0 ? <p className="text-quiet">No saved views yet.</p> : null}
      <ul>
        {views.map((view) => (
          <li key={view.id} className="ruled flex h-9 items-center gap-2">
            <Link
              to="/runs"
              search={searchOf(view)}
              onClick={close}
              className="min-w-0 flex-1 truncate font-medium hover:underline"
            >
              {view.name}
            </Link>
            <span className="max-w-44 truncate text-xs text-quiet">{summaryOf(searchOf(view))}</span>
            {mayChange ? (
              <IconButton label={`Delete the view ${view.name}`} onClick={() => void remove(view)}>
                <Trash2 size={14} />
              </IconButton>
            ) : null}
          </li>
        ))}
      </ul>
      <p role="status" className="mt-2 min-h-5 text-soft">
        {deleted ? (
          <>
            Deleted {deleted.name}.{' '}
            <button type="button" className="text-accent hover:underline" onClick={() => void undo(deleted)}>
              Undo
            </button>
          </>
        ) : null}
      </p>
      {mayChange ? (
        <form className="mt-4 flex items-end gap-2" onSubmit={save}>
          <label className="min-w-0 flex-1">
            <span className="text-xs text-quiet">Save this view as</span>
            <input className="field" value={name} onChange={(event) => setName(event.target.value)} />
          </label>
          <Button type="submit" disabled={name.trim() === ''}>
            {views.some((view) => view.name === name.trim()) ? 'Replace' : 'Save'}
          </Button>
        </form>
      ) : null}
      {problem === undefined ? null : (
        <p role="alert" className="mt-2 text-failed-text">
          {problem}
        </p>
      )}
    </>
  );
}

function summaryOf(search: RunsSearch): string {
  return Object.values(search)
    .filter((value) => value !== undefined)
    .join(' · ');
}
