/** Adds or changes a schedule: a cron text, an interval or a recurrence rule, with its zone and the times that follow. */
import { useDeferredValue, useState } from 'react';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { FormRow } from '../components/form-row.tsx';
import { JsonEditor } from '../components/json-editor.tsx';
import { objectOf } from '../components/schema-form/form-schema.ts';
import { scheduleWords } from '../schedule/words.ts';
import { addSchedule, changeSchedule } from './actions.ts';
import { NextTimes } from './next-times.tsx';
import type { DeploymentSchedule } from './queries.ts';

type Kind = 'cron' | 'interval' | 'rrule';
type Schedule = DeploymentSchedule['schedule'];

const kinds: readonly (readonly [Kind, string])[] = [
  ['cron', 'Cron'],
  ['interval', 'Interval'],
  ['rrule', 'Recurrence rule'],
];
const units = { minutes: 60, hours: 3600, days: 86_400 } as const;
type Unit = keyof typeof units;

interface Draft {
  readonly kind: Kind;
  readonly cron: string;
  readonly every: string;
  readonly unit: Unit;
  readonly rrule: string;
  readonly zone: string;
  readonly parameters: string;
}

function draftOf(given: DeploymentSchedule | undefined): Draft {
  const schedule = given?.schedule;
  const seconds = schedule && 'interval' in schedule ? schedule.interval : 3600;
  const unit = (['days', 'hours', 'minutes'] as const).find((one) => seconds % units[one] === 0) ?? 'minutes';
  return {
    kind: schedule && 'interval' in schedule ? 'interval' : schedule && 'rrule' in schedule ? 'rrule' : 'cron',
    cron: schedule && 'cron' in schedule ? schedule.cron : '0 9 * * *',
    every: String(seconds / units[unit]),
    unit,
    rrule: schedule && 'rrule' in schedule ? schedule.rrule : 'FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9;BYMINUTE=0',
    zone: schedule?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    parameters:
      given?.parameters && Object.keys(given.parameters).length > 0 ? JSON.stringify(given.parameters, null, 2) : '',
  };
}

function scheduleOf({ kind, cron, every, unit, rrule, zone }: Draft, old: Schedule | undefined): Schedule {
  if (kind === 'cron') return { cron: cron.trim(), timezone: zone, day_or: old && 'cron' in old ? old.day_or : true };
  if (kind === 'rrule') return { rrule: rrule.trim(), timezone: zone };
  // An interval that keeps its anchor keeps its times.
  const anchor = old && 'interval' in old ? { anchor_date: old.anchor_date } : {};
  return { interval: Number(every) * units[unit], timezone: zone, ...anchor };
}

interface Props {
  readonly deploymentId: string;
  /** Undefined for a new one. */
  readonly schedule: DeploymentSchedule | undefined;
  readonly onClose: () => void;
  readonly onSaved: () => Promise<unknown>;
}

export function ScheduleDialog({ deploymentId, schedule: old, onClose, onSaved }: Props) {
  const [draft, setDraft] = useState(() => draftOf(old));
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const schedule = scheduleOf(draft, old?.schedule);
  const shown = useDeferredValue(schedule);
  const isComplete = draft.kind !== 'interval' || Number(draft.every) > 0;
  const save = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const parameters = objectOf(draft.parameters.trim() === '' ? {} : JSON.parse(draft.parameters)) as Record<
        string,
        unknown
      >;
      if (old) await changeSchedule(deploymentId, old.id, { schedule, parameters });
      else await addSchedule(deploymentId, { active: true, schedule, parameters });
      await onSaved();
      onClose();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width="wide"
      title={old ? 'Change the schedule' : 'Add a schedule'}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" disabled={isBusy || !isComplete} onClick={() => void save()}>
            {old ? 'Save' : 'Add'}
          </Button>
        </>
      }
    >
      <FormRow id="schedule-kind" title="Kind">
        <select
          id="schedule-kind"
          className="field w-auto pr-6"
          value={draft.kind}
          onChange={({ target }) => change({ kind: target.value as Kind })}
        >
          {kinds.map(([kind, title]) => (
            <option key={kind} value={kind}>
              {title}
            </option>
          ))}
        </select>
      </FormRow>
      {draft.kind === 'cron' ? (
        <FormRow id="schedule-cron" title="Cron" description="Minute, hour, day of the month, month, day of the week.">
          <input
            id="schedule-cron"
            className="field max-w-60 font-mono"
            autoComplete="off"
            spellCheck={false}
            value={draft.cron}
            onChange={({ target }) => change({ cron: target.value })}
          />
        </FormRow>
      ) : draft.kind === 'interval' ? (
        <FormRow id="schedule-every" title="Every">
          <span className="flex gap-2">
            <input
              id="schedule-every"
              className="field tabular max-w-24"
              inputMode="decimal"
              value={draft.every}
              aria-invalid={!isComplete}
              onChange={({ target }) => change({ every: target.value })}
            />
            <select
              aria-label="Unit"
              className="field w-auto pr-6"
              value={draft.unit}
              onChange={({ target }) => change({ unit: target.value as Unit })}
            >
              {Object.keys(units).map((unit) => (
                <option key={unit}>{unit}</option>
              ))}
            </select>
          </span>
        </FormRow>
      ) : (
        <FormRow id="schedule-rrule" title="Rule" description="A recurrence rule of iCalendar (RFC 5545).">
          <textarea
            id="schedule-rrule"
            className="field h-auto py-1 font-mono text-xs"
            rows={3}
            spellCheck={false}
            value={draft.rrule}
            onChange={({ target }) => change({ rrule: target.value })}
          />
        </FormRow>
      )}
      <FormRow id="schedule-zone" title="Zone" description="Times follow its clock, in summer and in winter.">
        <input
          id="schedule-zone"
          className="field max-w-60"
          list="schedule-zones"
          autoComplete="off"
          value={draft.zone}
          onChange={({ target }) => change({ zone: target.value })}
        />
        <datalist id="schedule-zones">
          {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </FormRow>
      <FormRow title="Parameters" description="Those that differ from the deployment's for runs of this schedule.">
        <JsonEditor
          label="Parameters of the schedule"
          text={draft.parameters}
          isNumbered={false}
          maxHeight={120}
          onChange={(parameters) => change({ parameters })}
        />
      </FormRow>
      <div className="mt-3 rounded-panel bg-canvas px-3 py-2" aria-live="polite">
        <p className="font-medium">
          Runs {isComplete ? scheduleWords(shown) : '…'} <span className="font-normal text-quiet">{draft.zone}</span>
        </p>
        {isComplete ? <NextTimes schedule={shown} /> : null}
      </div>
      {problem === undefined ? null : (
        <p role="alert" className="mt-2 text-failed-text">
          {problem}
        </p>
      )}
    </Dialog>
  );
}
