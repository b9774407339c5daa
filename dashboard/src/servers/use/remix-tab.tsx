/** The capabilities of a remix: chosen from other servers, with names and descriptions of its own. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { invalidate } from '../../api/read.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/form/form-dialog.tsx';
import { Section } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Failed, Skeleton } from '../../components/states-of-loading.tsx';
import { useAction } from '../../components/use-action.ts';
import { changeServer } from '../actions.ts';
import { type CatalogItem, catalogQuery, remixPreviewQuery, type ServerPath, serverQuery } from '../queries.ts';
import type { TabProps } from '../tab-props.ts';
import {
  type Choice,
  draftOf,
  offersOf,
  type RemixDraft,
  type RemixPreview,
  remixLists,
  withChoices,
  withoutSource,
  withResource,
  withSource,
} from './remix-draft.ts';

export function RemixTab({ organization, view }: TabProps) {
  const { server } = view;
  const path = { org: organization.slug, server: server.slug };
  const stored = draftOf(server);
  const [draft, setDraft] = useState(stored);
  const action = useAction();
  const catalog = useInfiniteQuery(catalogQuery(organization.slug));
  const preview = useQuery(remixPreviewQuery(path, draft));
  const items = catalog.data?.pages.flatMap((page) => page.items) ?? [];
  const isChanged = JSON.stringify(draft) !== JSON.stringify(stored);
  const hasConflicts = (preview.data?.conflicts.length ?? 0) > 0;
  return (
    <div className="grid gap-10 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="flex flex-col gap-8">
        <p className="max-w-140 text-soft">
          Choose capabilities of other servers. People who may use this remix need no access to those servers.
        </p>
        {draft.sources.map((source) => (
          <Source
            key={source.server}
            path={{ org: organization.slug, server: source.server }}
            source={source}
            draft={draft}
            onChange={setDraft}
          />
        ))}
        <AddSource items={items} draft={draft} onChange={setDraft} />
        <div className="flex flex-wrap items-center gap-3">
          <Button
            kind="primary"
            disabled={!isChanged || action.isBusy || hasConflicts}
            onClick={() =>
              void action.run(async () => {
                await changeServer(path, { remix: draft });
                await invalidate('/organizations/{org}/views/servers/{server}');
              })
            }
          >
            Save choices
          </Button>
          {isChanged ? (
            <Button kind="quiet" onClick={() => setDraft(stored)}>
              Discard changes
            </Button>
          ) : null}
        </div>
        <ProblemNote text={action.problem} />
      </div>
      <Preview
        preview={preview.data}
        error={preview.error}
        items={items}
        choose={(server, uri) => setDraft(withResource(draft, server, uri))}
      />
    </div>
  );
}

interface EditProps {
  readonly draft: RemixDraft;
  readonly onChange: (draft: RemixDraft) => void;
}

/** Servers that can be a source but are not yet. */
function AddSource({ items, draft, onChange }: EditProps & { readonly items: readonly CatalogItem[] }) {
  const chosen = new Set(draft.sources.map(({ server }) => server));
  const free = items.filter(
    ({ server }) =>
      server.kind !== 'remix' &&
      server.kind !== 'builtin' &&
      server.authentication === 'platform' &&
      server.role !== null &&
      !chosen.has(server.id),
  );
  if (free.length === 0) {
    return chosen.size > 0 ? null : <p className="text-soft">You have access to no other server.</p>;
  }
  return (
    <Field label="Add a server">
      <select className="field w-64" value="" onChange={(event) => onChange(withSource(draft, event.target.value))}>
        <option value="">Choose one</option>
        {free.map(({ server }) => (
          <option key={server.id} value={server.id}>
            {server.name}
          </option>
        ))}
      </select>
    </Field>
  );
}

interface SourceProps extends EditProps {
  readonly path: ServerPath;
  readonly source: RemixDraft['sources'][number];
}

function Source({ path, source, draft, onChange }: SourceProps) {
  const query = useQuery(serverQuery(path));
  const { data: view } = query;
  const remove = (
    <Button
      kind="quiet"
      aria-label={`Remove ${view?.server.name ?? 'the server'}`}
      onClick={() => onChange(withoutSource(draft, source.server))}
    >
      Remove
    </Button>
  );
  if (query.isPending) return <Skeleton rows={3} />;
  if (!view) {
    return (
      <Section title="A server that cannot be read" aside={remove}>
        <Failed error={query.error} retry={() => void query.refetch()} />
      </Section>
    );
  }
  return (
    <Section
      title={view.server.name}
      aside={
        <span className="flex items-baseline gap-3">
          <Link to="/servers/$server" params={{ server: view.server.slug }} className="hover:underline">
            Open
          </Link>
          {remove}
        </span>
      }
    >
      {remixLists.map(({ list, title }) => {
        const choices = source[list] ?? [];
        const offers = offersOf(view.capabilities, list, choices);
        if (offers.length === 0) return null;
        const change = (changed: Choice[]) => onChange(withChoices(draft, source.server, list, changed));
        return (
          <fieldset key={list} className="border-t border-line py-2">
            <legend className="sr-only">{`${title} of ${view.server.name}`}</legend>
            <p aria-hidden className="mb-1 text-xs text-quiet">
              {title}
            </p>
            {offers.map((offer) => (
              <Offer
                key={offer.name}
                {...offer}
                canRename={list !== 'resourceTemplates'}
                choice={choices.find(({ name }) => name === offer.name)}
                onChange={(choice) => {
                  const others = choices.filter(({ name }) => name !== offer.name);
                  change(choice ? replaced(choices, choice) : others);
                }}
              />
            ))}
          </fieldset>
        );
      })}
    </Section>
  );
}

/** Replaces the choice with the same name, or adds it at the end. */
function replaced(choices: readonly Choice[], choice: Choice): Choice[] {
  const isThere = choices.some(({ name }) => name === choice.name);
  return isThere ? choices.map((one) => (one.name === choice.name ? choice : one)) : [...choices, choice];
}

interface OfferProps {
  readonly name: string;
  readonly description: string;
  readonly isOffered: boolean;
  readonly canRename: boolean;
  readonly choice: Choice | undefined;
  /** Called with undefined when the person removes the choice. */
  readonly onChange: (choice: Choice | undefined) => void;
}

function Offer({ name, description, isOffered, canRename, choice, onChange }: OfferProps) {
  return (
    <div className="py-1">
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          className="mt-1"
          checked={choice !== undefined}
          onChange={(event) =>
            onChange(event.target.checked ? { name, title: null, description: null, as: null } : undefined)
          }
        />
        <span className="min-w-0">
          <span className="font-mono text-xs break-all">{name}</span>
          {isOffered ? null : <span className="ml-2 text-failed-text">the server no longer offers it</span>}
          {description ? <span className="line-clamp-2 text-soft">{description}</span> : null}
        </span>
      </label>
      {choice ? (
        <div className="mt-1 mb-2 ml-6 grid gap-3 sm:grid-cols-2">
          {canRename ? (
            <Field label={`Name of ${name} here`}>
              <input
                className="field font-mono text-xs"
                value={choice.as ?? ''}
                placeholder={name}
                spellCheck={false}
                onChange={(event) => onChange({ ...choice, as: event.target.value || null })}
              />
            </Field>
          ) : null}
          <Field label={`Description of ${name} here`}>
            <input
              className="field"
              value={choice.description ?? ''}
              placeholder="as the server gives it"
              onChange={(event) => onChange({ ...choice, description: event.target.value || null })}
            />
          </Field>
        </div>
      ) : null}
    </div>
  );
}

interface PreviewProps {
  readonly preview: RemixPreview | undefined;
  readonly error: Error | null;
  readonly items: readonly CatalogItem[];
  /** Also chooses a resource of a server. */
  readonly choose: (server: string, uri: string) => void;
}

function Preview({ preview, error, items, choose }: PreviewProps) {
  const nameOf = (id: string) => items.find(({ server }) => server.id === id)?.server.name ?? 'another server';
  if (error) return <ProblemNote text={error.message} />;
  if (!preview) return <Skeleton rows={4} />;
  const { capabilities, conflicts } = preview;
  return (
    <Section title="Clients see" aside={capabilities.length}>
      {conflicts.map(({ list, name, message }) => (
        <ProblemNote key={`${list} ${name}`} text={message} />
      ))}
      {capabilities.length === 0 ? <p className="border-t border-line py-2 text-soft">Nothing is chosen yet.</p> : null}
      <ul className="border-t border-line">
        {capabilities.map(({ list, server, name, as, item, leftOut }) => (
          <li key={`${list} ${server} ${name}`} className="border-b border-line py-1.5">
            <div className="flex items-baseline gap-3">
              <span className="min-w-0 truncate font-mono text-xs" title={as}>
                {as}
              </span>
              <span className="ml-auto shrink-0 text-soft">{nameOf(server)}</span>
              {item === null ? <span className="shrink-0 text-failed-text">not offered</span> : null}
            </div>
            {leftOut.map((uri) => (
              <p key={uri} className="flex flex-wrap items-baseline gap-x-3 text-xs text-soft">
                <span className="min-w-0 break-all">
                  It has the page {uri}, which is not chosen: clients do not see it.
                </span>
                <Button kind="quiet" aria-label={`Choose ${uri}`} onClick={() => choose(server, uri)}>
                  Choose it
                </Button>
              </p>
            ))}
          </li>
        ))}
      </ul>
    </Section>
  );
}
