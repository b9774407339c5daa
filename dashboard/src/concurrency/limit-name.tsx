/** The name of a limit as people know it: a tag and a deployment in place of the server's own names for them. */
import { Link } from '@tanstack/react-router';
import type { LimitRow } from './queries.ts';

export function limitTitle({ name, kind, deployment }: LimitRow): string {
  if (deployment) return `${deployment.flow_name} / ${deployment.name}`;
  return kind === 'tag' ? name.slice('tag:'.length) : name;
}

export const kindTitles: Readonly<Record<LimitRow['kind'], string>> = {
  global: 'Global',
  tag: 'Tag',
  deployment: 'Deployment',
};

/** Slots in use of all, as figures and as a bar. A full limit is marked by words, too. */
export function SlotMeter({ limit }: { readonly limit: LimitRow }) {
  const share = limit.limit === 0 ? 1 : Math.min(1, limit.active_slots / limit.limit);
  const isFull = limit.active && limit.active_slots >= limit.limit;
  return (
    <span className="flex items-center gap-2">
      <span aria-hidden="true" className="h-2 w-24 shrink-0 overflow-hidden rounded-bar bg-selected max-sm:w-12">
        <span className={`block h-full ${isFull ? 'bg-late' : 'bg-control'}`} style={{ width: `${share * 100}%` }} />
      </span>
      <span className="tabular whitespace-nowrap">
        {limit.active_slots} of {limit.limit}
      </span>
      {!limit.active ? <span className="text-quiet">off</span> : null}
      {isFull ? <span className="text-late-text">full</span> : null}
    </span>
  );
}

interface HolderProps {
  readonly type: string | null;
  readonly id: string | null;
  readonly name: string | null;
}

const paths: Readonly<Record<string, string>> = {
  flow_run: '/runs/flow-run/',
  task_run: '/runs/task-run/',
  deployment: '/deployments/deployment/',
};

/** Who holds or awaits a slot. */
export function HolderLink({ type, id, name }: HolderProps) {
  const path = type === null ? undefined : paths[type];
  if (path === undefined || id === null) return <span className="text-quiet">A client without a name</span>;
  if (name === null) return <span className="text-quiet">Deleted {type?.replace('_', ' ')}</span>;
  return (
    <Link to={`${path}${id}`} className="hover:underline">
      {name}
    </Link>
  );
}
