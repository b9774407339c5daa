/** One limit: each slot with its holder, the waiting runs, and the number of slots taken over time. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useMay } from '../api/access.ts';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { Histogram, type Series } from '../components/chart/histogram.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Facts, PageHead, Section } from '../components/page.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { Id } from '../components/text/copy.tsx';
import { Moment } from '../components/text/moment.tsx';
import { Snippet } from '../components/text/snippet.tsx';
import { StateMark } from '../design/state-mark.tsx';
import { isEnded, type StateType, stateKind } from '../design/states.ts';
import { duration } from '../design/time.ts';
import { DeleteLimit } from './delete-limit.tsx';
import { LimitDialog } from './limit-dialog.tsx';
import { HolderLink, kindTitles, limitTitle, SlotMeter } from './limit-name.tsx';
import { acquiredQuery, type LimitRow, limitQuery, releaseLease, releaseSlots, type SlotHolder } from './queries.ts';

const route = getRouteApi('/concurrency-limits/concurrency-limit/$id');
const series: readonly Series[] = [{ key: 'taken', title: 'times taken', fill: 'var(--control)', text: 'var(--soft)' }];

export function LimitPage() {
  const { id } = route.useParams();
  const mayChange = useMay('concurrency_limits:write');
  const query = useQuery(limitQuery(id));
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'edit' | 'delete'>();
  const { data: limit } = query;
  if (!limit) return <Unread of={query} rows={10} isPage />;
  const reread = () => invalidate('/views/concurrency_limits/{id}');
  return (
    <>
      <PageHead
        title={limitTitle(limit)}
        trail={[['Concurrency', { to: '/concurrency' }]]}
        actions={
          !mayChange ? null : limit.deployment ? (
            <Link to={`/deployments/deployment/${limit.deployment.id}` as string} className="hover:underline">
              Edit it on its deployment
            </Link>
          ) : (
            <>
              <Button onClick={() => setDialog('edit')}>Edit</Button>
              <Button kind="danger" onClick={() => setDialog('delete')}>
                Delete
              </Button>
            </>
          )
        }
      />
      <Facts
        className="grid grid-cols-[repeat(auto-fit,minmax(9rem,1fr))] gap-x-6 gap-y-2 px-6 pb-5 max-sm:px-4"
        of={{
          Slots: <SlotMeter limit={limit} />,
          Kind: kindTitles[limit.kind],
          'Slots become free':
            limit.slot_decay_per_second > 0 ? `1 in ${duration(1 / limit.slot_decay_per_second)}` : 'when released',
          'Held on average': duration(limit.avg_slot_occupancy_seconds),
          Updated: <Moment time={limit.updated} />,
          Id: <Id id={limit.id} />,
        }}
      />
      <div className="flex flex-col gap-8 px-6 max-sm:px-4">
        <div className="grid items-start gap-8 lg:grid-cols-2">
          <Holders limit={limit} {...(mayChange ? { reread } : {})} />
          <Waiters limit={limit} />
        </div>
        <Use limit={limit} />
        {limit.kind === 'global' ? <Usage name={limit.name} /> : null}
      </div>
      {dialog === 'edit' ? (
        <LimitDialog
          limit={limit}
          onClose={() => setDialog(undefined)}
          onSaved={() => {
            setDialog(undefined);
            void reread();
          }}
        />
      ) : null}
      {dialog === 'delete' ? (
        <DeleteLimit
          limit={limit}
          onClose={() => setDialog(undefined)}
          onDeleted={() => navigate({ to: '/concurrency' })}
        />
      ) : null}
    </>
  );
}

interface HoldersProps {
  readonly limit: LimitRow;
  /** Absent for people who may not release slots. */
  readonly reread?: () => Promise<unknown>;
}

function Holders({ limit, reread }: HoldersProps) {
  const [asked, setAsked] = useState<SlotHolder | 'unleased'>();
  const { holders, unleased_slots } = limit;
  const hasUnleased = unleased_slots > 0 && limit.slot_decay_per_second === 0;
  return (
    <Section title="Held by" aside={`${limit.holder_count}`}>
      {holders.length === 0 && !hasUnleased ? (
        <p className="border-t border-line py-2 text-quiet">No slot is held.</p>
      ) : (
        <ul className="border-t border-line">
          {holders.map((holder) => (
            <li
              key={holder.lease_id}
              className="ruled grid min-h-9 grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-x-4 py-1"
            >
              <Holder holder={holder} />
              <span className="tabular text-right text-xs text-quiet">
                {holder.slots} {holder.slots === 1 ? 'slot' : 'slots'} since <Moment time={holder.since} />
              </span>
              {reread ? <Button onClick={() => setAsked(holder)}>Release</Button> : null}
            </li>
          ))}
          {hasUnleased ? (
            <li className="ruled grid min-h-9 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 py-1">
              <span>
                {unleased_slots} {unleased_slots === 1 ? 'slot' : 'slots'} without a lease
                <span className="block text-xs text-quiet">The server does not know who took them.</span>
              </span>
              {reread ? <Button onClick={() => setAsked('unleased')}>Release</Button> : null}
            </li>
          ) : null}
        </ul>
      )}
      <Confirm
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        question="Release these slots?"
        action="Release"
        onConfirm={async () => {
          if (asked === 'unleased') await releaseSlots(limit);
          else if (asked) await releaseLease(asked.lease_id);
          await reread?.();
        }}
      >
        They are free for others at once. A holder that still runs goes on without them, so more may run at a time than
        the limit says.
      </Confirm>
    </Section>
  );
}

/** Marks a run that has ended but still holds a slot: its lease expires, or can be released. */
function Holder({ holder }: { readonly holder: SlotHolder }) {
  const type = holder.state_type as StateType | null;
  const isStuck = isEnded(type);
  return (
    <span className="flex min-w-0 items-center gap-2">
      {type ? <StateMark kind={stateKind(type, null)} alone /> : null}
      <span className="min-w-0">
        <span className="block truncate">
          <HolderLink {...holder} />
        </span>
        {isStuck ? (
          <span className="block text-xs text-late-text">The run has ended and still holds its slot.</span>
        ) : null}
        {holder.expires_at ? (
          <span className="block text-xs text-quiet">
            its lease ends <Moment time={holder.expires_at} />
          </span>
        ) : null}
      </span>
    </span>
  );
}

function Waiters({ limit }: { readonly limit: LimitRow }) {
  const { waiters, waiter_count, denied_slots, kind } = limit;
  return (
    <Section title="Waiting" aside={kind === 'deployment' ? `${waiter_count}` : undefined}>
      {waiters.length > 0 ? (
        <ul className="border-t border-line">
          {waiters.map(({ id, name, since }) => (
            <li key={id} className="ruled flex min-h-9 items-center justify-between gap-4">
              <HolderLink type="flow_run" id={id} name={name} />
              <span className="text-xs text-quiet">
                due <Moment time={since} />
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <p className="border-t border-line py-2 text-quiet">
          {denied_slots > 0
            ? `About ${denied_slots} ${denied_slots === 1 ? 'slot is' : 'slots are'} still asked for. Clients ask again by themselves and do not say who they are.`
            : 'Nobody waits.'}
        </p>
      )}
    </Section>
  );
}

function Use({ limit }: { readonly limit: LimitRow }) {
  const { data: counts } = useQuery(acquiredQuery(limit.id));
  const intervals = useMemo(
    () => (counts ?? []).map(({ start_time, count }) => ({ start: start_time, counts: { taken: count } })),
    [counts],
  );
  return (
    <Section
      title="Taken over the last day"
      aside={
        <Link to="/events" search={{ resource: `prefect.concurrency-limit.${limit.id}` }} className="hover:underline">
          Events of this limit
        </Link>
      }
    >
      <Histogram intervals={intervals} height={64} series={series} subject="Slots taken" />
    </Section>
  );
}

function Usage({ name }: { readonly name: string }) {
  const text = [
    'from prefect.concurrency.sync import concurrency',
    '',
    `with concurrency(${JSON.stringify(name)}, occupy=1):`,
    '    ...',
  ].join('\n');
  return (
    <div className="max-w-160">
      <Snippet title="In a flow" text={text} />
    </div>
  );
}
