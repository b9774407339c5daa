/** The part of the form for the trigger of an automation. */

import { X } from 'lucide-react';
import { useState } from 'react';
import { Choice, Field } from '../components/form/form-dialog.tsx';
import { ChoiceField, TextField } from '../components/form/form-fields.tsx';
import { partFrom } from '../components/form/use-form.ts';
import { GroupEditor } from './group-editor.tsx';
import { ObjectPicker, type Picked } from './object-picker.tsx';
import type { Names } from './queries.ts';
import { objectName } from './sentence.ts';
import { SecondsField, WordsField } from './trigger-fields.tsx';
import {
  converted,
  type EventForm,
  runStates,
  type StateForm,
  type StateSubject,
  stateSubjects,
  subjectStates,
  type TriggerForm,
} from './trigger-form.ts';

interface Props {
  readonly form: TriggerForm;
  readonly names: Names;
  readonly onChange: (form: TriggerForm) => void;
  readonly onNamed: (resourceId: string, name: string) => void;
}

const kinds: readonly (readonly [TriggerForm['kind'], string])[] = [
  ...stateSubjects,
  ['event', 'Events of any kind'],
  ['compound', 'Several triggers, in any order'],
  ['sequence', 'Several triggers, in their order'],
  ['json', 'A trigger in JSON'],
];
const moments = [
  ['enters', 'Fires when it becomes'],
  ['stays', 'Fires when it stays'],
] as const;
const postures = [
  ['Reactive', 'when the events come'],
  ['Proactive', 'when the events do not come'],
] as const;

export function TriggerEditor({ form, names, onChange, onNamed }: Props) {
  return (
    <div className="flex flex-col gap-4">
      <Field label="It waits for">
        <Choice
          className="w-72 max-w-full"
          value={form.kind}
          choices={kinds}
          onChange={(kind) => onChange(converted(form, kind))}
        />
      </Field>
      {form.kind === 'json' ? (
        <TextField
          of={partFrom(form, onChange)}
          name="text"
          label="Trigger, as JSON: compound waits for all or some of its triggers, sequence for all in their order"
          isMono
          rows={16}
          className="h-80 resize-y py-1.5"
        />
      ) : 'parts' in form ? (
        <GroupEditor form={form} onChange={onChange}>
          {(part, onPart) => <TriggerEditor form={part} names={names} onChange={onPart} onNamed={onNamed} />}
        </GroupEditor>
      ) : form.kind === 'event' ? (
        <EventEditor form={form} onChange={onChange} />
      ) : (
        <StateEditor form={form} names={names} onChange={onChange} onNamed={onNamed} />
      )}
    </div>
  );
}

interface StateProps {
  readonly form: StateForm;
  readonly names: Names;
  readonly onChange: (form: TriggerForm) => void;
  readonly onNamed: (resourceId: string, name: string) => void;
}

function StateEditor({ form, names, onChange, onNamed }: StateProps) {
  const toggle = (state: string) => {
    const states = form.states.includes(state) ? form.states.filter((one) => one !== state) : [...form.states, state];
    onChange({ ...form, states });
  };
  const add = (kind: string) => (picked: Picked) => {
    const resource = `prefect.${kind}.${picked.id}`;
    onNamed(resource, picked.name);
    if (!form.scope.includes(resource)) onChange({ ...form, scope: [...form.scope, resource] });
  };
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Choice
          label="When"
          className="w-auto"
          value={form.posture}
          choices={moments}
          onChange={(posture) => onChange({ ...form, posture })}
        />
        <fieldset className="flex flex-wrap gap-x-3 gap-y-1">
          <legend className="sr-only">States</legend>
          {stateGroups(form.kind).map(({ title, states }) => (
            <span key={title} className="flex gap-px" title={title}>
              {states.map(([state, words]) => (
                <button
                  key={state}
                  type="button"
                  aria-pressed={form.states.includes(state)}
                  onClick={() => toggle(state)}
                  className="h-(--row-control) rounded-control border border-line px-2 text-xs text-soft hover:bg-hover aria-pressed:border-ink aria-pressed:bg-selected aria-pressed:text-ink"
                >
                  {words}
                </button>
              ))}
            </span>
          ))}
        </fieldset>
        {form.posture === 'stays' ? (
          <SecondsField label="for" seconds={form.seconds} onChange={(seconds) => onChange({ ...form, seconds })} />
        ) : null}
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-quiet">Only</span>
        {form.scope.map((resource) => (
          <button
            key={resource}
            type="button"
            title="Remove"
            onClick={() => onChange({ ...form, scope: form.scope.filter((one) => one !== resource) })}
            className="inline-flex h-(--row-control) items-center gap-1 rounded-control bg-selected px-2 text-xs"
          >
            {objectName(resource, names)} <X size={12} />
          </button>
        ))}
        <ScopePicker kind={form.kind} add={add} />
      </div>
      {form.kind === 'flow-run' ? (
        <div>
          <label className="flex items-center gap-1.5">
            <input
              type="checkbox"
              checked={form.topOnly}
              onChange={({ target }) => onChange({ ...form, topOnly: target.checked })}
            />
            Top-level runs only
          </label>
          <p className="text-xs text-quiet">A failure inside a subflow that fails its parent counts once</p>
        </div>
      ) : null}
    </>
  );
}

/** States of one type stand together. */
function stateGroups(kind: StateSubject) {
  const states = subjectStates[kind];
  if (kind !== 'flow-run') return [{ title: 'Status', states }];
  return runStates.map(([title, , names]) => ({ title, states: states.filter(([name]) => names.includes(name)) }));
}

function ScopePicker({
  kind,
  add,
}: {
  readonly kind: StateSubject;
  readonly add: (kind: string) => (picked: Picked) => void;
}) {
  const [tag, setTag] = useState('');
  if (kind !== 'flow-run') {
    const titles = { deployment: 'a deployment', 'work-pool': 'a work pool', 'work-queue': 'a work queue' } as const;
    return <ObjectPicker key={kind} clears kind={kind} label={`All, or ${titles[kind]}`} onPick={add(kind)} />;
  }
  return (
    <>
      <ObjectPicker clears kind="flow" label="All runs, or those of a flow" onPick={add('flow')} />
      <ObjectPicker clears kind="deployment" label="or of a deployment" onPick={add('deployment')} />
      <input
        className="field w-36"
        aria-label="or with a tag"
        placeholder="or with a tag"
        value={tag}
        onChange={(event) => setTag(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || tag.trim() === '') return;
          event.preventDefault();
          add('tag')({ id: tag.trim(), name: tag.trim() });
          setTag('');
        }}
      />
    </>
  );
}

function EventEditor({ form, onChange }: { readonly form: EventForm; readonly onChange: (form: TriggerForm) => void }) {
  const of = partFrom(form, onChange);
  const json = { of, isMono: true, rows: 3, className: 'h-20 resize-y py-1' } as const;
  const isProactive = form.posture === 'Proactive';
  return (
    <>
      <ChoiceField of={of} name="posture" label="It fires" choices={postures} className="w-96 max-w-full" />
      <div className="grid items-end gap-4 sm:grid-cols-2">
        <WordsField
          label="Events: names, separated by commas; * stands for anything"
          words={form.expect}
          onChange={(expect) => onChange({ ...form, expect })}
        />
        <WordsField
          label="Only after these events, where there are any"
          words={form.after}
          onChange={(after) => onChange({ ...form, after })}
        />
        <TextField {...json} name="match" label="Labels of the resource, as JSON" />
        <TextField {...json} name="matchRelated" label="Labels of a related resource, as JSON" />
      </div>
      <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
        <Field label={isProactive ? 'Fewer times than' : 'Times'}>
          <input
            type="number"
            min={1}
            className="field tabular w-24"
            value={form.threshold}
            onChange={({ target }) => of.set({ threshold: Number(target.value) })}
          />
        </Field>
        <SecondsField label="within" seconds={form.seconds} onChange={(seconds) => onChange({ ...form, seconds })} />
        <div className="min-w-64 flex-1">
          <WordsField
            label="Counted apart for each: labels, prefect.resource.id"
            words={form.forEach}
            onChange={(forEach) => onChange({ ...form, forEach })}
          />
        </div>
      </div>
    </>
  );
}
