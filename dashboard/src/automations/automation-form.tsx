/** Makes or changes an automation: its name, its trigger, its actions, and a dry run. */
import { useState } from 'react';
import { Button } from '../components/button.tsx';
import { Section } from '../components/page.tsx';
import { ActionsEditor } from './actions-editor.tsx';
import { DryRunPanel } from './dry-run-panel.tsx';
import type { Action, AutomationCreate, Names } from './queries.ts';
import { triggerSentence } from './sentence.ts';
import { TriggerEditor } from './trigger-editor.tsx';
import { readTrigger, type TriggerForm } from './trigger-form.ts';

export interface FormState {
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly tags: readonly string[];
  readonly trigger: TriggerForm;
  readonly actions: readonly Action[];
}

interface Props {
  readonly initial: FormState;
  readonly names: Names;
  readonly action: string;
  /** Throws Problem when the server refuses it. */
  readonly onSave: (automation: AutomationCreate) => Promise<void>;
}

export function AutomationForm({ initial, names: given, action, onSave }: Props) {
  const [form, setForm] = useState(initial);
  const [names, setNames] = useState(given);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const trigger = readTrigger(form.trigger);
  const onNamed = (resourceId: string, name: string) => setNames((old) => ({ ...old, [resourceId]: name }));
  const save = async () => {
    if (!trigger) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const { name, description, enabled, tags, actions } = form;
      await onSave({ name, description, enabled, tags: [...tags], trigger, actions: [...actions] });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <div className="grid items-start gap-x-10 gap-y-8 px-6 max-sm:px-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <form
        className="flex min-w-0 flex-col gap-8"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <label className="block">
            <span className="text-xs text-quiet">Name</span>
            <input
              className="field"
              required
              value={form.name}
              onChange={(event) => setForm({ ...form, name: event.target.value })}
            />
          </label>
          <label className="block">
            <span className="text-xs text-quiet">Description</span>
            <input
              className="field"
              value={form.description}
              onChange={(event) => setForm({ ...form, description: event.target.value })}
            />
          </label>
        </div>
        <Section title="When">
          <p className="mb-3 border-t border-line pt-2 text-lg">
            {trigger ? (
              `${triggerSentence(trigger, names)}.`
            ) : (
              <span className="text-failed-text">This is not JSON yet.</span>
            )}
          </p>
          <TriggerEditor
            form={form.trigger}
            names={names}
            onChange={(next) => setForm({ ...form, trigger: next })}
            onNamed={onNamed}
          />
        </Section>
        <Section title="Then">
          <ActionsEditor
            actions={form.actions}
            names={names}
            onChange={(actions) => setForm({ ...form, actions })}
            onNamed={onNamed}
          />
        </Section>
        <div className="flex flex-wrap items-center gap-4">
          <Button kind="primary" type="submit" disabled={isBusy || !trigger || form.name === ''}>
            {action}
          </Button>
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={form.enabled}
              onChange={(event) => setForm({ ...form, enabled: event.target.checked })}
            />
            On
          </label>
          {problem === undefined ? null : (
            <p role="alert" className="text-failed-text">
              {problem}
            </p>
          )}
        </div>
      </form>
      <DryRunPanel trigger={trigger} />
    </div>
  );
}
