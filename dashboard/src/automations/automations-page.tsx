/** The list of automations: each as a sentence, with its last firing and a switch. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useMay } from '../api/access.ts';
import { invalidate } from '../api/read.ts';
import { buttonClass } from '../components/button.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Moment } from '../components/moment.tsx';
import { PageHead } from '../components/page.tsx';
import { Empty, Failed, Skeleton } from '../components/states-of-loading.tsx';
import { Switch } from '../components/switch.tsx';
import { type AutomationRow, automationsQuery, enableAutomation, type Names } from './queries.ts';
import { actionSentence, triggerSentence } from './sentence.ts';
import { templates } from './templates.ts';

const route = getRouteApi('/automations');

export function AutomationsPage() {
  const { name = '' } = route.useSearch();
  const navigate = useNavigate({ from: '/automations' });
  const mayChange = useMay('automations:write');
  const query = useInfiniteQuery(automationsQuery);
  const [problem, setProblem] = useState<string>();
  const pages = query.data?.pages;
  const names: Names = useMemo(() => Object.assign({}, ...(pages?.map((page) => page.names) ?? [])), [pages]);
  const all = useMemo(() => pages?.flatMap(({ automations }) => automations) ?? [], [pages]);
  const rows = all.filter(({ automation }) => automation.name.toLowerCase().includes(name.toLowerCase()));
  const enable = (id: string, enabled: boolean) => {
    setProblem(undefined);
    enableAutomation(id, enabled)
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
      .finally(() => void invalidate('/views/automations'));
  };
  const newLink = (
    <Link to="/automations/create" className={buttonClass('primary')}>
      <Plus size={14} />
      New automation
    </Link>
  );
  return (
    <>
      <PageHead title="Automations" actions={mayChange ? newLink : null} />
      <div className="px-6 pb-2 max-sm:px-4">
        <input
          data-filter
          type="search"
          aria-label="Automations whose name contains"
          placeholder="Name contains"
          className="field w-56"
          defaultValue={name}
          onChange={(event) => void navigate({ search: { name: event.target.value || undefined }, replace: true })}
        />
      </div>
      {problem === undefined ? null : (
        <p role="alert" className="px-6 pb-2 text-failed-text max-sm:px-4">
          {problem}
        </p>
      )}
      {query.isPending ? (
        <div className="px-6">
          <Skeleton rows={8} />
        </div>
      ) : query.isError && all.length === 0 ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : rows.length > 0 ? (
        <DataTable
          label="Automations"
          columns={columnsOf(names, mayChange ? enable : undefined)}
          rows={rows}
          idOf={({ automation }) => automation.id}
          onOpen={({ automation: { id } }) => void navigate({ to: '/automations/automation/$id', params: { id } })}
          onEnd={() => {
            if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
          }}
        />
      ) : all.length > 0 ? (
        <Empty title="No automation has this name" />
      ) : (
        <Empty title="No automations yet" action={mayChange ? newLink : null}>
          An automation waits for events, or for their absence, and then acts.
          {mayChange ? (
            <ul className="mt-3 flex flex-col gap-1">
              {templates.map(({ key, title }) => (
                <li key={key}>
                  <Link
                    to="/automations/create"
                    search={{ template: key }}
                    className="underline decoration-line underline-offset-4 hover:decoration-ink"
                  >
                    {title}
                  </Link>
                </li>
              ))}
            </ul>
          ) : null}
        </Empty>
      )}
    </>
  );
}

type Enable = (id: string, enabled: boolean) => void;

function columnsOf(names: Names, enable: Enable | undefined): readonly Column<AutomationRow>[] {
  return [
    {
      id: 'on',
      title: 'On',
      width: '2.5rem',
      line: 1,
      cell: ({ automation: { id, name, enabled = true } }) =>
        enable ? (
          <Switch label={`${name} is on`} checked={enabled} onChange={(on) => enable(id, on)} />
        ) : enabled ? (
          'on'
        ) : (
          <span className="text-quiet">off</span>
        ),
    },
    {
      id: 'name',
      title: 'Automation',
      width: 'minmax(9rem, 1.2fr)',
      line: 1,
      cell: ({ automation: { id, name } }) => (
        <Link to="/automations/automation/$id" params={{ id }} className="font-medium hover:underline">
          {name}
        </Link>
      ),
    },
    {
      id: 'when',
      title: 'When',
      width: 'minmax(10rem, 2fr)',
      line: 2,
      cell: ({ automation: { trigger } }) => {
        const sentence = triggerSentence(trigger, names);
        return <span title={sentence}>{sentence}</span>;
      },
    },
    {
      id: 'then',
      title: 'Then',
      width: 'minmax(9rem, 1.6fr)',
      from: 820,
      cell: ({ automation: { actions } }) => {
        const sentence = actions.map((action) => actionSentence(action, names)).join('; ');
        return (
          <span className="text-soft" title={sentence}>
            {sentence}
          </span>
        );
      },
    },
    {
      id: 'fired',
      title: 'Last fired',
      width: '6rem',
      from: 620,
      cell: ({ last_triggered }) =>
        last_triggered ? <Moment time={last_triggered} /> : <span className="text-quiet">never</span>,
    },
    {
      id: 'week',
      title: 'This week',
      width: '5rem',
      align: 'right',
      from: 700,
      cell: ({ triggered_count }) => (triggered_count > 0 ? `${triggered_count} ×` : null),
    },
    {
      id: 'failed',
      title: 'Failed',
      width: '5rem',
      align: 'right',
      from: 700,
      cell: ({ failed_count, last_failure }) =>
        failed_count > 0 ? (
          <span className="text-failed-text" title={last_failure ?? undefined}>
            {failed_count}
          </span>
        ) : null,
    },
  ];
}
