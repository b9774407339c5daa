/** Adds or changes a schedule: a cron text, an interval or a recurrence rule, with its zone and its next times. */
import { useDeferredValue } from 'react';
import { FormDialog } from '../components/form/form-dialog.tsx';
import { ChoiceField, OwnField, TextField } from '../components/form/form-fields.tsx';
import { FormRow } from '../components/form/form-row.tsx';
import { JsonEditor } from '../components/form/json-editor.tsx';
import { useForm } from '../components/form/use-form.ts';
import { objectOf } from '../components/schema-form/form-schema.ts';
import { scheduleWords } from '../schedule/words.ts';
import { addSchedule, changeSchedule } from './actions.ts';
import { NextTimes } from './next-times.tsx';
import type { DeploymentSchedule } from './queries.ts';
import { draftOf, kinds, scheduleOf, type Unit, units } from './schedule-draft.ts';

interface Props {
  readonly deploymentId: string;
  /** Undefined for a new one. */
  readonly schedule: DeploymentSchedule | undefined;
  readonly onClose: () => void;
  readonly onSaved: () => Promise<unknown>;
}

export function ScheduleDialog({ deploymentId, schedule: old, onClose, onSaved }: Props) {
  const form = useForm(() => draftOf(old), 'rows');
  const draft = form.values;
  const schedule = scheduleOf(draft, old?.schedule);
  const shown = useDeferredValue(schedule);
  const isComplete = draft.kind !== 'interval' || Number(draft.every) > 0;
  const save = async () => {
    const parameters = objectOf(draft.parameters.trim() === '' ? {} : JSON.parse(draft.parameters)) as Record<
      string,
      unknown
    >;
    if (old) await changeSchedule(deploymentId, old.id, { schedule, parameters });
    else await addSchedule(deploymentId, { active: true, schedule, parameters });
    await onSaved();
    onClose();
  };
  return (
    <FormDialog
      title={old ? 'Edit schedule' : 'New schedule'}
      action={old ? 'Save' : 'Add'}
      width="wide"
      form={form}
      isReady={isComplete}
      onSubmit={save}
      onClose={onClose}
    >
      <ChoiceField of={form} name="kind" label="Kind" choices={kinds} className="w-auto" />
      {draft.kind === 'cron' ? (
        <TextField
          of={form}
          name="cron"
          label="Cron"
          isMono
          className="max-w-60"
          autoComplete="off"
          hint="Minute, hour, day of the month, month, day of the week."
        />
      ) : draft.kind === 'interval' ? (
        <OwnField of={form} name="every" label="Every">
          {(id, value, set) => (
            <span className="flex gap-2">
              <input
                id={id}
                className="field tabular max-w-24"
                inputMode="decimal"
                value={value}
                aria-invalid={!isComplete}
                onChange={({ target }) => set(target.value)}
              />
              <select
                aria-label="Unit"
                className="field w-auto pr-6"
                value={draft.unit}
                onChange={({ target }) => form.set({ unit: target.value as Unit })}
              >
                {Object.keys(units).map((unit) => (
                  <option key={unit}>{unit}</option>
                ))}
              </select>
            </span>
          )}
        </OwnField>
      ) : (
        <TextField
          of={form}
          name="rrule"
          label="Rule"
          isMono
          rows={3}
          className="h-auto py-1 text-xs"
          hint="A recurrence rule of iCalendar (RFC 5545)."
        />
      )}
      <TextField
        of={form}
        name="zone"
        label="Zone"
        className="max-w-60"
        list="schedule-zones"
        autoComplete="off"
        hint="Times follow its clock, in summer and in winter."
      />
      <datalist id="schedule-zones">
        {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <FormRow title="Parameters" description="Those that differ from the deployment's for runs of this schedule.">
        <JsonEditor
          label="Parameters of the schedule"
          text={draft.parameters}
          isNumbered={false}
          maxHeight={120}
          onChange={(parameters) => form.set({ parameters })}
        />
      </FormRow>
      <div className="mt-3 rounded-panel bg-canvas px-3 py-2" aria-live="polite">
        <p className="font-medium">
          Runs {isComplete ? scheduleWords(shown) : '…'} <span className="font-normal text-quiet">{draft.zone}</span>
        </p>
        {isComplete ? <NextTimes schedule={shown} /> : null}
      </div>
    </FormDialog>
  );
}
