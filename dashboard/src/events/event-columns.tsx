/** The columns of the list of events. */
import { Link } from '@tanstack/react-router';
import { Narrowable } from '../components/list/narrowing.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { Moment } from '../components/text/moment.tsx';
import type { ReceivedEvent } from './queries.ts';
import { type Resource, readResource } from './read-resource.ts';
import { ResourceLink } from './resource.tsx';

/** Resources in a row, in addition to the subject. */
const MOST_RELATED = 4;
/** The one that acted comes first; tags come last. */
const RANKS: readonly string[] = ['actor', 'automation', 'worker', 'flow-run', 'deployment', 'flow', 'work-pool'];

export const eventColumns: readonly Column<ReceivedEvent>[] = [
  { id: 'time', title: 'Time', width: '9.5rem', line: 2, cell: ({ occurred }) => <Moment time={occurred} isExact /> },
  {
    id: 'event',
    title: 'Event',
    text: ({ event }) => event,
    extra: 8,
    bounds: [160, 400],
    line: 1,
    isFirst: true,
    cell: ({ id, event, occurred }) => (
      <Narrowable field="event" value={event} isLinked>
        <Link
          to="/events/event/$date/$id"
          params={{ date: occurred.slice(0, 10), id }}
          className="font-medium hover:underline"
        >
          {event}
        </Link>
      </Narrowable>
    ),
  },
  {
    id: 'resource',
    title: 'About',
    text: ({ resource }) => wordsOf(resource as Resource),
    extra: 8,
    bounds: [140, 360],
    line: 2,
    cell: ({ resource }) => <ResourceCell field="resource" resource={resource as Resource} />,
  },
  {
    id: 'related',
    title: 'Related',
    width: 'minmax(10rem, 1fr)',
    from: 640,
    cell: ({ related = [] }) => <RelatedCell related={related as readonly Resource[]} />,
  },
];

function wordsOf(resource: Resource): string {
  const { kind, name } = readResource(resource);
  return `${kind ?? ''} ${name}`;
}

interface CellProps {
  readonly field: 'resource' | 'related';
  readonly resource: Resource;
}

function ResourceCell({ field, resource }: CellProps) {
  const { id, name } = readResource(resource);
  return (
    <Narrowable field={field} value={id} words={name} isLinked>
      <ResourceLink resource={resource} hasKind />
    </Narrowable>
  );
}

function RelatedCell({ related }: { readonly related: readonly Resource[] }) {
  const ordered = related.toSorted((one, other) => rankOf(one) - rankOf(other));
  return (
    <span className="text-soft">
      {ordered.slice(0, MOST_RELATED).map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one resource may take part in several roles.
        <span key={index}>
          {index > 0 ? ' · ' : ''}
          <ResourceCell field="related" resource={one} />
        </span>
      ))}
      {related.length > MOST_RELATED ? <span className="text-quiet"> +{related.length - MOST_RELATED}</span> : null}
    </span>
  );
}

function rankOf(resource: Resource): number {
  const rank = RANKS.indexOf(resource['prefect.resource.role'] ?? '');
  return rank < 0 ? RANKS.length : rank;
}
