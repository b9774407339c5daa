/** The schedules of a deployment: read, paused, changed and deleted. */
import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../api/access.ts';
import { invalidate } from '../api/read.ts';
import { Button, IconButton } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Section } from '../components/page.tsx';
import { scheduleWords, zoneOf } from '../schedule/words.ts';
import { deleteSchedule } from './actions.ts';
import { NextTimes } from './next-times.tsx';
import { switchSchedule } from './pause.ts';
import type { DeploymentSchedule, DeploymentView } from './queries.ts';
import { ScheduleDialog } from './schedule-dialog.tsx';

export function Schedules({ view }: { readonly view: DeploymentView }) {
  const { deployment } = view;
  const schedules = deployment.schedules ?? [];
  const mayChange = useMay('deployments:write');
  const [edited, setEdited] = useState<DeploymentSchedule | 'new'>();
  const [asked, setAsked] = useState<DeploymentSchedule>();
  const reread = () => invalidate('/views/deployments/{id}', '/deployments/{id}');
  const pause = (schedule: DeploymentSchedule) =>
    switchSchedule(deployment.id, schedule, scheduleWords(schedule.schedule));
  return (
    <Section
      title="Schedules"
      aside={
        mayChange ? (
          <button type="button" className="hover:underline" onClick={() => setEdited('new')}>
            New schedule
          </button>
        ) : null
      }
    >
      {schedules.length === 0 ? (
        <p className="border-t border-line py-2 text-quiet">It has no schedule: it runs when somebody starts it.</p>
      ) : (
        <ul className="border-t border-line">
          {schedules.map((schedule) => (
            <li key={schedule.id} className="ruled flex items-start gap-2 py-1.5">
              <div className="min-w-0 flex-1">
                <p className={schedule.active ? 'font-medium' : 'text-quiet'}>
                  {sentence(scheduleWords(schedule.schedule))}{' '}
                  <span className="font-normal text-quiet">{zoneOf(schedule.schedule)}</span>
                  {schedule.active ? null : <span className="ml-2 font-normal">paused</span>}
                </p>
                {schedule.active && !deployment.paused ? <NextTimes schedule={schedule.schedule} /> : null}
                {Object.keys(schedule.parameters ?? {}).length > 0 ? (
                  <p className="truncate font-mono text-xs text-quiet">{JSON.stringify(schedule.parameters)}</p>
                ) : null}
              </div>
              {mayChange ? (
                <span className="flex">
                  <Button kind="quiet" onClick={() => pause(schedule)}>
                    {schedule.active ? 'Pause schedule' : 'Resume schedule'}
                  </Button>
                  <IconButton label="Edit this schedule" onClick={() => setEdited(schedule)}>
                    <Pencil size={13} />
                  </IconButton>
                  <IconButton label="Delete this schedule" onClick={() => setAsked(schedule)}>
                    <Trash2 size={13} />
                  </IconButton>
                </span>
              ) : null}
            </li>
          ))}
        </ul>
      )}
      {edited === undefined ? null : (
        <ScheduleDialog
          deploymentId={deployment.id}
          schedule={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
          onSaved={reread}
        />
      )}
      <Confirm
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        question="Delete this schedule?"
        action="Delete schedule"
        done="Schedule deleted"
        onConfirm={async () => {
          if (asked) await deleteSchedule(deployment.id, asked.id);
          await reread();
        }}
      >
        {asked ? `It runs ${scheduleWords(asked.schedule)} (${zoneOf(asked.schedule)}). ` : ''}The runs that it has made
        and that have not started are deleted with it.
      </Confirm>
    </Section>
  );
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
