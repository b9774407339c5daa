/** One automation: its sentence, its actions, its recent firings and a dry run. */

import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../api/access.ts';
import { invalidate } from '../api/read.ts';
import { Button, buttonClass } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Switch } from '../components/form/switch.tsx';
import { ObjectMenu } from '../components/object-menu.tsx';
import { Facts, PageHead, Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Skeleton, Unread } from '../components/states-of-loading.tsx';
import { CodeBlock } from '../components/text/code-block.tsx';
import { Copy, Id } from '../components/text/copy.tsx';
import { Moment } from '../components/text/moment.tsx';
import { useAction } from '../components/use-action.ts';
import { usePageActions } from '../shell/page-actions.ts';
import { automationCommands } from './commands.ts';
import { DryRunPanel } from './dry-run-panel.tsx';
import { automationQuery, deleteAutomation, doingsQuery, enableAutomation } from './queries.ts';
import { type ActionType, actionSentence, actionTitles, triggerSentence } from './sentence.ts';

const route = getRouteApi('/automations/automation/$id');

export function AutomationPage() {
  const { id } = route.useParams();
  const query = useQuery(automationQuery(id));
  if (!query.data) return <Unread of={query} rows={10} isPage />;
  const { row, names } = query.data;
  const { automation, last_triggered, triggered_count, failed_count, last_failure } = row;
  const { name, description, enabled = true, trigger, actions } = automation;
  const later = [...(automation.actions_on_trigger ?? []), ...(automation.actions_on_resolve ?? [])];
  const json = JSON.stringify(automation, undefined, 2);
  return (
    <>
      <PageHead
        title={name}
        trail={[['Automations', { to: '/automations' }]]}
        actions={<Actions id={id} name={name} enabled={enabled} />}
      />
      <div className="px-6 pb-4 max-sm:px-4">
        <p className="max-w-200 text-lg">{triggerSentence(trigger, names)}.</p>
        {description ? <p className="max-w-200 text-soft">{description}</p> : null}
      </div>
      <Facts
        className="grid grid-cols-[repeat(auto-fit,minmax(9rem,1fr))] gap-x-6 gap-y-2 px-6 pb-5 max-sm:px-4"
        of={{
          'Last fired': last_triggered ? <Moment time={last_triggered} /> : 'never',
          'Fired in the past week': <>{triggered_count} times</>,
          'Actions failed in the past week':
            failed_count > 0 ? <span className="text-failed-text">{failed_count}</span> : 'none',
          Updated: <Moment time={automation.updated} />,
          Id: <Id id={id} />,
        }}
      />
      {last_failure ? (
        <p className="px-6 pb-5 text-failed-text max-sm:px-4">The last action that failed: {last_failure}</p>
      ) : null}
      <div className="grid items-start gap-x-10 gap-y-8 px-6 max-sm:px-4 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-8">
          <Section title="Then">
            <ol className="border-t border-line">
              {[...actions, ...later].map((action, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: an action has no id; its place names it.
                <li key={index} className="ruled flex min-h-(--row) items-center">
                  {actionSentence(action, names)}
                </li>
              ))}
            </ol>
          </Section>
          <Doings id={id} />
        </div>
        <div className="flex min-w-0 flex-col gap-8">
          <DryRunPanel trigger={trigger} />
          <Section title="JSON" aside={<Copy text={json} what="JSON" />}>
            <CodeBlock
              label="The automation as JSON"
              text={json}
              className="max-h-96 overflow-y-auto rounded-panel border border-line bg-surface px-3 py-2"
            />
          </Section>
        </div>
      </div>
    </>
  );
}

function Actions({ id, name, enabled }: { readonly id: string; readonly name: string; readonly enabled: boolean }) {
  const navigate = useNavigate();
  const mayChange = useMay('automations:write');
  const [asked, setAsked] = useState<'commands' | 'delete'>();
  const { run, problem } = useAction();
  const enable = (on: boolean) =>
    void run(() => enableAutomation(id, on), `Automation ${name} switched ${on ? 'on' : 'off'}`).finally(
      () => void invalidate('/views/automations/{id}'),
    );
  usePageActions([
    mayChange && {
      title: enabled ? 'Switch this automation off' : 'Switch this automation on',
      act: () => enable(!enabled),
    },
    mayChange && {
      title: 'Edit this automation',
      act: () => void navigate({ to: '/automations/automation/$id/edit', params: { id } }),
    },
    { title: 'This automation as commands…', act: () => setAsked('commands') },
    mayChange && { title: 'Delete this automation…', act: () => setAsked('delete') },
  ]);
  return (
    <>
      <ProblemNote text={problem} className="" />
      {mayChange ? (
        <>
          <span className="mr-2 inline-flex items-center gap-2">
            <Switch label={`${name} is on`} checked={enabled} onChange={enable} />
            {enabled ? 'On' : 'Off'}
          </span>
          <Link to="/automations/automation/$id/edit" params={{ id }} className={buttonClass()}>
            Edit
          </Link>
          <Button kind="danger" onClick={() => setAsked('delete')}>
            Delete
          </Button>
        </>
      ) : enabled ? null : (
        <span className="text-quiet">Off</span>
      )}
      <ObjectMenu
        id={id}
        commands={automationCommands({ id, enabled }, mayChange)}
        isShowingCommands={asked === 'commands'}
        onCommands={(isShown) => setAsked(isShown ? 'commands' : undefined)}
      />
      <Confirm
        isOpen={asked === 'delete'}
        onClose={() => setAsked(undefined)}
        question={`Delete ${name}?`}
        action="Delete automation"
        done={`Automation ${name} deleted`}
        onConfirm={async () => {
          await deleteAutomation(id);
          await navigate({ to: '/automations' });
        }}
      >
        It no longer fires. The counters of its trigger are lost; the events of its past firings stay.
      </Confirm>
    </>
  );
}

/** The latest firings with their actions. */
function Doings({ id }: { readonly id: string }) {
  const { data: events } = useQuery(doingsQuery(id));
  return (
    <Section
      title="Recent"
      aside={
        <Link to="/events" search={{ resource: `prefect.automation.${id}`, span: '7d' }} className="hover:underline">
          All its events
        </Link>
      }
    >
      {events === undefined ? (
        <Skeleton rows={4} />
      ) : events.length === 0 ? (
        <p className="border-t border-line py-2 text-quiet">
          It has not fired yet. The dry run shows if it would have fired.
        </p>
      ) : (
        <ul className="border-t border-line">
          {events.map(({ id: eventId, event, occurred, payload = {} }) => (
            <li key={eventId} className="ruled grid min-h-(--row) grid-cols-[6rem_minmax(0,1fr)] items-center gap-x-3">
              <Moment time={occurred} />
              <Link
                to="/events/event/$date/$id"
                params={{ date: occurred.slice(0, 10), id: eventId }}
                className={`truncate hover:underline ${event.endsWith('.failed') ? 'text-failed-text' : ''}`}
              >
                {doing(event, payload as Readonly<Record<string, unknown>>)}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function doing(event: string, payload: Readonly<Record<string, unknown>>): string {
  if (event.endsWith('.triggered')) return 'Fired';
  const type = String(payload['action_type'] ?? '');
  const title = actionTitles[type as ActionType] ?? type;
  return event.endsWith('.failed') ? `${title} failed: ${String(payload['reason'] ?? '')}` : `${title}: done`;
}
