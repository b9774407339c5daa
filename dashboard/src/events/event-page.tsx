/** One event: what happened, to which object, and all recorded data. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Fact, PageHead, Section } from '../components/page.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { CodeBlock } from '../components/text/code-block.tsx';
import { Copy, Id } from '../components/text/copy.tsx';
import { Moment } from '../components/text/moment.tsx';
import { shortened } from '../components/text/shortened.ts';
import { Some } from '../components/use-some.tsx';
import { eventQuery } from './queries.ts';
import { type Resource, readResource } from './read-resource.ts';
import { ResourceLink } from './resource.tsx';

const route = getRouteApi('/events/event/$date/$id');

export function EventPage() {
  const { date, id } = route.useParams();
  const query = useQuery(eventQuery(date, id));
  const { data: event } = query;
  if (!event) return <Unread of={query} rows={10} isPage />;
  const json = JSON.stringify(event, undefined, 2);
  const subject = readResource(event.resource);
  const hasPayload = Object.keys(event.payload ?? {}).length > 0;
  return (
    <>
      <PageHead title={event.event} trail={<Link to="/events">Events</Link>} />
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(11rem,1fr))] gap-x-6 gap-y-2 px-6 pb-4 max-sm:px-4">
        <Fact name="Occurred">
          <Moment time={event.occurred} absolute />
        </Fact>
        <Fact name={subject.kind ?? 'About'}>
          <ResourceLink resource={event.resource} />
        </Fact>
        <Fact name="Received">
          <Moment time={event.received} absolute />
        </Fact>
        <Fact name="Id">
          <Id id={event.id} />
        </Fact>
        {event.follows ? (
          <Fact name="Follows">
            <Link to="/events/event/$date/$id" params={{ date, id: event.follows }} className="hover:underline">
              the event before
            </Link>
          </Fact>
        ) : null}
      </dl>
      <div className="grid items-start gap-x-8 gap-y-6 px-6 max-sm:px-4 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-6">
          <Section title="Related" aside={`${event.related?.length ?? 0}`}>
            <Related related={event.related ?? []} />
          </Section>
          <Section
            title="Labels"
            aside={
              <Link to="/events" search={{ resource: subject.id, span: '7d' }} className="hover:underline">
                All events of this resource
              </Link>
            }
          >
            <Labels resource={event.resource} />
          </Section>
          {hasPayload ? (
            <Section title="Payload">
              <CodeBlock label="Payload" text={JSON.stringify(event.payload, undefined, 2)} isWrapped />
            </Section>
          ) : null}
        </div>
        <Section title="JSON" aside={<Copy text={json} what="JSON" />} className="min-w-0">
          <CodeBlock
            label="The whole event as JSON"
            text={json}
            className="max-h-[70vh] overflow-y-auto rounded-panel border border-line bg-surface px-3 py-2"
          />
        </Section>
      </div>
    </>
  );
}

function Related({ related }: { readonly related: readonly Resource[] }) {
  if (related.length === 0) return <p className="border-t border-line py-2 text-quiet">No other resource.</p>;
  return (
    <ul className="border-t border-line">
      <Some of={related} as="li">
        {(resource, index) => (
          <li key={index} className="ruled grid min-h-(--row) grid-cols-[9rem_minmax(0,1fr)] items-center gap-x-4">
            <span className="truncate text-quiet">{shortened(resource['prefect.resource.role'] ?? '')}</span>
            <span className="truncate">
              <ResourceLink resource={resource} />
            </span>
          </li>
        )}
      </Some>
    </ul>
  );
}

function Labels({ resource }: { readonly resource: Resource }) {
  return (
    <dl className="border-t border-line">
      <Some of={Object.entries(resource)}>
        {([name, value]) => (
          <div
            key={name}
            className="ruled grid min-h-(--row) grid-cols-[minmax(0,2fr)_minmax(0,3fr)] items-center gap-x-4 py-1"
          >
            <dt className="truncate font-mono text-xs text-quiet" title={shortened(name)}>
              {shortened(name)}
            </dt>
            <dd className="font-mono text-xs break-words">{shortened(value)}</dd>
          </div>
        )}
      </Some>
    </dl>
  );
}
