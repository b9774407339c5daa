import { X } from 'lucide-react';
import { Button } from '../components/button.tsx';
import { DEFAULT_SPAN, spans } from '../design/span.ts';
import { outcomes, type RequestsSearch } from './filters.ts';
import { outcomeTitle } from './outcomes.tsx';

interface Props {
  readonly search: RequestsSearch;
  readonly change: (part: RequestsSearch) => void;
  readonly servers: readonly { readonly id: string; readonly slug: string; readonly name: string }[];
  readonly actorName: string | undefined;
}

export function RequestFilters({ search, change, servers, actorName }: Props) {
  const isOwn = search.span?.includes('/') ?? false;
  const server = servers.find(({ id, slug }) => id === search.server || slug === search.server);
  const chips = [
    ['actor', 'who', actorName ?? search.actor?.slice(0, 8)],
    ['method', 'method', search.method],
    ['client', 'client', search.client],
  ] as const;
  return (
    <div className="flex flex-wrap items-center gap-2 px-6 max-sm:px-4">
      <select
        aria-label="Server"
        className="field w-44"
        value={server?.slug ?? ''}
        onChange={(event) => change({ server: event.target.value || undefined })}
      >
        <option value="">All servers</option>
        {servers.map(({ slug, name }) => (
          <option key={slug} value={slug}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label="Outcome"
        className="field w-36"
        value={search.errors ? 'errors' : (search.outcome ?? '')}
        onChange={({ target: { value } }) =>
          change({ errors: value === 'errors' || undefined, outcome: outcomes.find((one) => one === value) })
        }
      >
        <option value="">Any outcome</option>
        <option value="errors">Not OK</option>
        {outcomes.map((outcome) => (
          <option key={outcome} value={outcome}>
            {outcomeTitle(outcome)}
          </option>
        ))}
      </select>
      <input
        key={search.capability ?? ''}
        data-filter
        type="search"
        aria-label="Tool, resource or prompt"
        placeholder="Tool, exactly"
        className="field w-44 font-mono text-xs"
        defaultValue={search.capability}
        onKeyDown={(event) => {
          if (event.key === 'Enter') change({ capability: event.currentTarget.value || undefined });
        }}
        onBlur={(event) => {
          if (event.target.value !== (search.capability ?? '')) change({ capability: event.target.value || undefined });
        }}
      />
      {chips.map(([name, title, value]) =>
        value ? (
          <Button key={name} kind="quiet" title="Remove this filter" onClick={() => change({ [name]: undefined })}>
            <span className="text-quiet">{title}</span> {value} <X size={12} />
          </Button>
        ) : null,
      )}
      <div className="flex-1" />
      <select
        aria-label="Time"
        className="field w-auto pr-6"
        value={isOwn ? 'own' : (search.span ?? DEFAULT_SPAN)}
        onChange={(event) => change({ span: event.target.value })}
      >
        {isOwn ? <option value="own">Chosen time</option> : null}
        {spans.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}
