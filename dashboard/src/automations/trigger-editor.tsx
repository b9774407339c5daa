/** The part of the form for the trigger of an automation. */
import { X } from 'lucide-react';
import { useState } from 'react';
import { GroupEditor } from './group-editor.tsx';
import { ObjectPicker, type Picked } from './object-picker.tsx';
import type { Names } from './queries.ts';
import { objectName } from './sentence.ts';
import { JsonField, SecondsField, WordsField } from './trigger-fields.tsx';
import {
  converted,
  type EventForm,
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

export function TriggerEditor({ form, names, onChange, onNamed }: Props) {
  return (
    <div className="flex flex-col gap-4">
      <label className="block">
        <span className="text-xs text-quiet">It waits for</span>
        <select
          className="field w-72 max-w-full"
          value={form.kind}
          onChange={(event) => onChange(converted(form, event.target.value as TriggerForm['kind']))}
        >
          {stateSubjects.map(([kind, title]) => (
            <option key={kind} value={kind}>
              {title}
            </option>
          ))}
          <option value="event">Events of any kind</option>
          <option value="compound">Several triggers, in any order</option>
          <option value="sequence">Several triggers, in their order</option>
          <option value="json">A trigger in JSON</option>
        </select>
      </label>
      {form.kind === 'json' ? (
        <label className="block">
          <span className="text-xs text-quiet">
            Trigger, as JSON: <code>compound</code> waits for all or some of its <code>triggers</code>,{' '}
            <code>sequence</code> for all in their order
          </span>
          <textarea
            className="field h-80 resize-y py-1.5 font-mono text-xs"
            spellCheck={false}
            value={form.text}
            onChange={(event) => onChange({ ...form, text: event.target.value })}
          />
        </label>
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
        <select
          aria-label="When"
          className="field w-auto"
          value={form.posture}
          onChange={(event) => onChange({ ...form, posture: event.target.value as StateForm['posture'] })}
        >
          <option value="enters">Fires when it becomes</option>
          <option value="stays">Fires when it stays</option>
        </select>
        <fieldset className="flex flex-wrap gap-1">
          <legend className="sr-only">States</legend>
          {subjectStates[form.kind].map(([state, title]) => (
            <button
              key={state}
              type="button"
              aria-pressed={form.states.includes(state)}
              onClick={() => toggle(state)}
              className="h-(--row-control) rounded-control border border-line px-2 text-xs text-soft hover:bg-hover aria-pressed:border-ink aria-pressed:bg-selected aria-pressed:text-ink"
            >
              {title}
            </button>
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
    </>
  );
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
  const isProactive = form.posture === 'Proactive';
  return (
    <>
      <label className="block">
        <span className="text-xs text-quiet">It fires</span>
        <select
          className="field w-96 max-w-full"
          value={form.posture}
          onChange={(event) => onChange({ ...form, posture: event.target.value as EventForm['posture'] })}
        >
          <option value="Reactive">when the events come</option>
          <option value="Proactive">when the events do not come</option>
        </select>
      </label>
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
        <JsonField
          label="Labels of the resource, as JSON"
          text={form.match}
          onChange={(match) => onChange({ ...form, match })}
        />
        <JsonField
          label="Labels of a related resource, as JSON"
          text={form.matchRelated}
          onChange={(matchRelated) => onChange({ ...form, matchRelated })}
        />
      </div>
      <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
        <label className="block">
          <span className="text-xs text-quiet">{isProactive ? 'Fewer times than' : 'Times'}</span>
          <input
            type="number"
            min={1}
            className="field tabular w-24"
            value={form.threshold}
            onChange={(event) => onChange({ ...form, threshold: Number(event.target.value) })}
          />
        </label>
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
