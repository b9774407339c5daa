/** The list of automations: each as a sentence, with its last firing and a switch. */

import { getRouteApi, Link, linkOptions, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMemo } from 'react';
import { useMay } from '../api/access.ts';
import { useRows } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { buttonClass } from '../components/button.tsx';
import { Switch } from '../components/form/switch.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { momentColumn, nameColumn, numberColumn, textColumn } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { ListPage, NameFilter } from '../components/table/list-page.tsx';
import { useAction } from '../components/use-action.ts';
import { type AutomationRow, automationsQuery, enableAutomation, type Names } from './queries.ts';
import { actionSentence, triggerSentence } from './sentence.ts';
import { templates } from './templates.ts';

const route = getRouteApi('/automations');
const pageOf = ({ automation: { id } }: AutomationRow) =>
  linkOptions({ to: '/automations/automation/$id', params: { id } });

export function AutomationsPage() {
  const { name = '' } = route.useSearch();
  const navigate = useNavigate({ from: '/automations' });
  const mayChange = useMay('automations:write');
  const list = useRows(automationsQuery, ({ automations }) => automations);
  const pages = list.query.data?.pages;
  const { run, problem } = useAction();
  const names: Names = useMemo(() => Object.assign({}, ...(pages?.map((page) => page.names) ?? [])), [pages]);
  const rows = list.rows.filter(({ automation }) => automation.name.toLowerCase().includes(name.toLowerCase()));
  const enable = (id: string, enabled: boolean) =>
    void run(() => enableAutomation(id, enabled), `Automation switched ${enabled ? 'on' : 'off'}`).finally(
      () => void invalidate('/views/automations'),
    );
  const create = (kind?: 'primary') =>
    mayChange ? (
      <Link to="/automations/create" className={buttonClass(kind)}>
        <Plus size={14} />
        New automation
      </Link>
    ) : null;
  return (
    <ListPage
      title="Automations"
      actions={create('primary')}
      filters={
        <NameFilter
          of="Automations"
          value={name}
          onChange={(text) => void navigate({ search: { name: text }, replace: true })}
        />
      }
      list={list}
      rows={rows}
      columns={columnsOf(names, mayChange ? enable : undefined)}
      idOf={({ automation }) => automation.id}
      pageOf={pageOf}
      empty={
        list.rows.length > 0 ? (
          <Empty title="No automation has this name" />
        ) : (
          <Empty title="No automations yet" action={create()}>
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
        )
      }
    >
      <ProblemNote text={problem} className="px-6 pb-2 max-sm:px-4" />
    </ListPage>
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
    nameColumn('Automation', ({ automation }) => automation.name, pageOf, {
      width: 'minmax(9rem, 1.2fr)',
      isFirst: true,
    }),
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
    textColumn(
      'then',
      'Then',
      ({ automation: { actions } }) => actions.map((action) => actionSentence(action, names)).join('; '),
      { width: 'minmax(9rem, 1.6fr)', from: 820 },
    ),
    momentColumn('fired', 'Last fired', (row) => row.last_triggered, { none: 'never', from: 620 }),
    numberColumn('week', 'This week', ({ triggered_count: times }) => (times > 0 ? `${times} ×` : null), { from: 700 }),
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
