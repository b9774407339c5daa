/** The fields of a group of triggers: how many of them must fire, in which time, and each of them. */

import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, IconButton } from '../components/button.tsx';
import { Choice, Field } from '../components/form/form-dialog.tsx';
import { SecondsField } from './trigger-fields.tsx';
import { type GroupForm, type GroupPart, groupPart, stateForm, type TriggerForm } from './trigger-form.ts';

const HOUR = 3600;
const times = [
  ['limited', 'is limited'],
  ['any', 'does not matter'],
] as const;
const requirements = [
  ['all', 'all triggers'],
  ['any', 'any trigger'],
  ['count', 'some triggers'],
] as const;

interface Props {
  readonly form: GroupForm;
  readonly onChange: (form: TriggerForm) => void;
  /** The fields of one part. */
  readonly children: (form: TriggerForm, onChange: (form: TriggerForm) => void) => ReactNode;
}

export function GroupEditor({ form, onChange, children }: Props) {
  const { kind, parts, seconds } = form;
  const setParts = (next: readonly GroupPart[]) => onChange({ ...form, parts: next });
  const changePart = (key: string, changed: TriggerForm) =>
    setParts(parts.map((part) => (part.key === key ? { key, form: changed } : part)));
  const swap = (index: number) =>
    setParts(parts.toSpliced(index - 1, 2, parts[index] as GroupPart, parts[index - 1] as GroupPart));
  return (
    <>
      <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
        {kind === 'compound' ? <RequireField form={form} onChange={onChange} /> : null}
        <Field label="Time between the first and the last">
          <Choice
            className="w-40"
            value={seconds === null ? 'any' : 'limited'}
            choices={times}
            onChange={(chosen) => onChange({ ...form, seconds: chosen === 'any' ? null : HOUR })}
          />
        </Field>
        {seconds === null ? null : (
          <SecondsField label="within" seconds={seconds} onChange={(next) => onChange({ ...form, seconds: next })} />
        )}
      </div>
      <ol className="flex flex-col gap-4">
        {parts.map(({ key, form: part }, index) => (
          <li key={key} aria-label={`Trigger ${index + 1}`} className="border-l-2 border-line pl-4">
            <div className="mb-2 flex items-center gap-1">
              <h3 className="mr-auto text-xs font-medium">Trigger {index + 1}</h3>
              {kind === 'sequence' ? (
                <>
                  <IconButton label={`Move trigger ${index + 1} up`} disabled={index === 0} onClick={() => swap(index)}>
                    <ArrowUp size={13} />
                  </IconButton>
                  <IconButton
                    label={`Move trigger ${index + 1} down`}
                    disabled={index === parts.length - 1}
                    onClick={() => swap(index + 1)}
                  >
                    <ArrowDown size={13} />
                  </IconButton>
                </>
              ) : null}
              <IconButton
                label={`Remove trigger ${index + 1}`}
                disabled={parts.length === 1}
                onClick={() => setParts(parts.filter((one) => one.key !== key))}
              >
                <X size={13} />
              </IconButton>
            </div>
            {children(part, (changed) => changePart(key, changed))}
          </li>
        ))}
      </ol>
      <div>
        <Button onClick={() => setParts([...parts, groupPart(stateForm('flow-run', ['Failed']))])}>
          <Plus size={14} />
          Add a trigger
        </Button>
      </div>
    </>
  );
}

function RequireField({ form, onChange }: Pick<Props, 'form' | 'onChange'>) {
  const { require, parts } = form;
  const isCount = typeof require === 'number';
  return (
    <>
      <Field label="Fires after">
        <Choice
          className="w-40"
          value={isCount ? 'count' : require}
          choices={requirements}
          onChange={(chosen) => onChange({ ...form, require: chosen === 'count' ? Math.min(2, parts.length) : chosen })}
        />
      </Field>
      {isCount ? (
        <Field label="How many">
          <input
            type="number"
            min={1}
            max={parts.length}
            required
            className="field tabular w-20"
            value={require}
            onChange={({ target }) => onChange({ ...form, require: Number(target.value) })}
          />
        </Field>
      ) : null}
    </>
  );
}
