/** The name of a limit for people: a tag or a deployment instead of the server's own name. */
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

/** Used slots of all slots, as numbers and as a bar. A full limit is also marked in words. */
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

/** A link to the holder of a slot, or to a run that waits for one. */
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
