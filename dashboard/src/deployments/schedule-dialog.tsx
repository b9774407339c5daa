/** Adds or changes a schedule: a cron text, an interval or a recurrence rule, with its zone and its next times. */
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
import { type Draft, draftOf, type Kind, kinds, scheduleOf, type Unit, units } from './schedule-draft.ts';

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
