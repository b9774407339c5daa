/** Makes or changes an automation: its name, its trigger, its actions, and a dry run. */
import { useState } from 'react';
import { Button } from '../components/button.tsx';
import { CheckField, TextField } from '../components/form/form-fields.tsx';
import { FormProblem } from '../components/form/form-row.tsx';
import { useForm } from '../components/form/use-form.ts';
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
  readonly onSave: (automation: AutomationCreate) => Promise<unknown>;
}

export function AutomationForm({ initial, names: given, action, onSave }: Props) {
  const form = useForm(initial);
  const { values } = form;
  const [names, setNames] = useState(given);
  const trigger = readTrigger(values.trigger);
  const onNamed = (resourceId: string, name: string) => setNames((old) => ({ ...old, [resourceId]: name }));
  const save = () =>
    form.send(
      async () => {
        if (trigger) await onSave({ ...values, tags: [...values.tags], trigger, actions: [...values.actions] });
      },
      action === 'Save' ? 'Saved' : undefined,
    );
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
          <TextField of={form} name="name" label="Name" required />
          <TextField of={form} name="description" label="Description" />
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
            form={values.trigger}
            names={names}
            onChange={(trigger) => form.set({ trigger })}
            onNamed={onNamed}
          />
        </Section>
        <Section title="Then">
          <ActionsEditor
            actions={values.actions}
            names={names}
            onChange={(actions) => form.set({ actions })}
            onNamed={onNamed}
          />
        </Section>
        <div className="flex flex-wrap items-center gap-4">
          <Button kind="primary" type="submit" disabled={form.isBusy || !trigger || values.name === ''}>
            {action}
          </Button>
          <CheckField of={form} name="enabled" label="On" />
          <FormProblem of={form} />
        </div>
      </form>
      <DryRunPanel trigger={trigger} />
    </div>
  );
}
