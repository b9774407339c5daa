/** The part of the form for the actions of an automation. */

import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../components/button.tsx';
import { Choice, Field } from '../components/form/form-dialog.tsx';
import { type StateType, titleOf } from '../design/states.ts';
import { ObjectPicker, type PickedKind } from './object-picker.tsx';
import type { Action, Names } from './queries.ts';
import { type ActionType, actionTargets, actionTitles } from './sentence.ts';

interface Props {
  readonly actions: readonly Action[];
  readonly names: Names;
  readonly onChange: (actions: Action[]) => void;
  readonly onNamed: (resourceId: string, name: string) => void;
}

export function ActionsEditor({ actions, names, onChange, onNamed }: Props) {
  const replace = (index: number, action: Action) => onChange(actions.map((one, at) => (at === index ? action : one)));
  return (
    <ol className="flex flex-col border-t border-line">
      {actions.map((action, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an action has no id; its place names it.
        <li key={index} className="ruled flex items-start gap-2 py-3">
          <div className="flex min-w-0 flex-1 flex-col gap-3">
            <Choice
              label={`Action ${index + 1}`}
              className="w-72 max-w-full"
              value={action.type as ActionType}
              choices={types}
              onChange={(type) => replace(index, newAction(type))}
            />
            <ActionFields
              // Another type has other fields.
              key={action.type}
              action={action}
              names={names}
              onChange={(next) => replace(index, next)}
              onNamed={onNamed}
            />
          </div>
          {actions.length > 1 ? (
            <IconButton
              label={`Remove action ${index + 1}`}
              onClick={() => onChange(actions.filter((_, at) => at !== index))}
            >
              <Trash2 size={14} />
            </IconButton>
          ) : null}
        </li>
      ))}
      <li className="py-3">
        <Button onClick={() => onChange([...actions, newAction('do-nothing')])}>
          <Plus size={14} />
          Add an action
        </Button>
      </li>
    </ol>
  );
}

const types = Object.entries(actionTitles) as [ActionType, string][];

function newAction(type: ActionType): Action {
  if (type === 'send-notification') {
    return { type, block_document_id: '', subject: '{{ automation.name }}', body: 'State: {{ flow_run.state.name }}' };
  }
  if (type === 'call-webhook') return { type, block_document_id: '', payload: '' };
  if (type === 'change-flow-run-state') return { type, state: 'CANCELLED', name: null, message: null, force: false };
  if (type === 'run-deployment') return { type, source: 'selected', parameters: {}, schedule_after: 0 } as Action;
  return (actionTargets[type] ? { type, source: 'selected' } : { type }) as Action;
}

interface FieldsProps {
  readonly action: Action;
  readonly names: Names;
  readonly onChange: (action: Action) => void;
  readonly onNamed: (resourceId: string, name: string) => void;
}

function ActionFields({ action, names, onChange, onNamed }: FieldsProps) {
  const type = action.type as ActionType;
  const target = actionTargets[type];
  const set = (fields: object) => onChange({ ...action, ...fields } as Action);
  const fields = action as Readonly<Record<string, unknown>>;
  return (
    <>
      {target ? <TargetField action={action} names={names} onChange={onChange} onNamed={onNamed} /> : null}
      {type === 'run-deployment' ? (
        <Parameters value={fields['parameters']} onChange={(parameters) => set({ parameters })} />
      ) : null}
      {type === 'send-notification' ? (
        <Text label="Subject" value={fields['subject']} onChange={(subject) => set({ subject })} />
      ) : null}
      {type === 'send-notification' ? (
        <Text label="Text, a template" value={fields['body']} isLong onChange={(body) => set({ body })} />
      ) : null}
      {type === 'call-webhook' ? (
        <Text label="Payload, a template" value={fields['payload']} isLong onChange={(payload) => set({ payload })} />
      ) : null}
      {type === 'change-flow-run-state' ? (
        <div className="flex flex-wrap gap-4">
          <Field label="State">
            <Choice
              className="w-44"
              value={String(fields['state']) as StateType}
              choices={states}
              onChange={(state) => set({ state })}
            />
          </Field>
          <Text label="Name" value={fields['name']} onChange={(name) => set({ name: name || null })} />
          <Text label="Message" value={fields['message']} onChange={(message) => set({ message: message || null })} />
        </div>
      ) : null}
    </>
  );
}

const states = (
  ['SCHEDULED', 'PENDING', 'RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED', 'CANCELLING'] as const
).map((state) => [state, titleOf(state)] as const);

const sources = [
  ['selected', 'this one:'],
  ['inferred', 'the one of the event'],
] as const;

const pickers = {
  'send-notification': ['notification-block', 'A block that notifies'],
  'call-webhook': ['webhook-block', 'A webhook block'],
} as const;

function TargetField({ action, names, onChange, onNamed }: FieldsProps) {
  const type = action.type as ActionType;
  const target = actionTargets[type];
  if (!target) return null;
  const fields = action as Readonly<Record<string, unknown>>;
  const isInferred = fields['source'] === 'inferred';
  const isBlock = target.kind === 'block-document';
  const id = fields[target.field];
  const [kind, label] = isBlock
    ? pickers[type as keyof typeof pickers]
    : ([target.kind as PickedKind, `The ${target.kind.replace('-', ' ')}`] as const);
  return (
    <div className="flex flex-wrap items-center gap-2">
      {isBlock ? null : (
        <Choice
          label="Which one"
          className="w-auto"
          value={isInferred ? 'inferred' : 'selected'}
          choices={sources}
          onChange={(source) => onChange({ ...action, source, [target.field]: null } as Action)}
        />
      )}
      {isInferred ? null : (
        <ObjectPicker
          kind={kind}
          label={label}
          chosen={typeof id === 'string' ? names[`prefect.${target.kind}.${id}`] : undefined}
          onPick={(picked) => {
            onNamed(`prefect.${target.kind}.${picked.id}`, picked.name);
            onChange({ ...action, [target.field]: picked.id } as Action);
          }}
        />
      )}
    </div>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: unknown;
  readonly onChange: (value: string) => void;
  readonly isLong?: boolean;
}

function Text({ label, value, onChange, isLong = false }: TextProps) {
  const text = typeof value === 'string' ? value : '';
  const change = ({ target }: { readonly target: { readonly value: string } }) => onChange(target.value);
  return (
    <Field label={label}>
      {isLong ? (
        <textarea className="field h-28 resize-y py-1 font-mono text-xs" value={text} onChange={change} />
      ) : (
        <input className="field" value={text} onChange={change} />
      )}
    </Field>
  );
}

function Parameters({ value, onChange }: { readonly value: unknown; readonly onChange: (value: object) => void }) {
  const [text, setText] = useState(JSON.stringify(value ?? {}, undefined, 2));
  const [isWrong, setWrong] = useState(false);
  const change = (next: string) => {
    setText(next);
    try {
      const parsed: unknown = JSON.parse(next);
      const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
      setWrong(!isObject);
      if (isObject) onChange(parsed);
    } catch {
      setWrong(true);
    }
  };
  return (
    <Field label={'Parameters, as JSON; texts may be templates: "{{ event.resource.id }}"'}>
      <textarea
        className="field h-20 resize-y py-1 font-mono text-xs"
        spellCheck={false}
        aria-invalid={isWrong}
        value={text}
        onChange={({ target }) => change(target.value)}
      />
    </Field>
  );
}
