/** The fields of a work pool. The defaults of its job variables are a form; the whole template is JSON beside it. */
import { useState } from 'react';
import { Button } from '../components/button.tsx';
import { NumberField, TextField } from '../components/form/form-fields.tsx';
import { FormProblem, FormRow } from '../components/form/form-row.tsx';
import { JsonEditor } from '../components/form/json-editor.tsx';
import { useForm } from '../components/form/use-form.ts';
import { SchemaForm } from '../components/schema-form/schema-form.tsx';
import { useSchemaForm } from '../components/schema-form/use-schema-form.ts';
import { defaultsOf, withDefaults, withoutRequired } from './pool-template.ts';
import type { WorkPool } from './queries.ts';

export interface PoolFields {
  readonly name: string;
  readonly description: string;
  readonly limit: number | null;
  readonly template: Record<string, unknown>;
}

interface Props {
  /** The word on the button. */
  readonly action: 'Create' | 'Save';
  /** Absent for a new one. */
  readonly pool?: WorkPool;
  readonly template: Record<string, unknown>;
  readonly onSave: (fields: PoolFields) => Promise<unknown>;
  readonly onCancel: () => void;
}

export function PoolForm({ action, pool, template, onSave, onCancel }: Props) {
  const form = useForm(
    {
      name: pool?.name ?? '',
      description: pool?.description ?? '',
      concurrency_limit: pool?.concurrency_limit ?? null,
    },
    'rows',
  );
  const [text, setText] = useState<string>();
  const defaults = useSchemaForm(defaultsOf(template));
  const { description, concurrency_limit: limit } = form.values;
  const name = form.values.name.trim();
  const save = async () => {
    if (name === '' || form.isWrong) return;
    await form.send(async () => {
      const whole =
        text === undefined ? withDefaults(template, defaults.value) : (JSON.parse(text) as Record<string, unknown>);
      await onSave({ name, description, limit, template: whole });
    }, pool && 'Saved');
  };
  return (
    <form
      noValidate
      className="max-w-220 px-6 max-sm:px-4"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {pool ? null : <TextField of={form} name="name" label="Name" isRequired autoComplete="off" />}
      <TextField of={form} name="description" label="Description" rows={2} className="h-auto py-1" />
      <NumberField
        of={form}
        name="concurrency_limit"
        label="Runs at a time"
        from={0}
        hint="Further runs wait until one of them has ended. Empty: no limit."
      />
      <div className="mt-5">
        {text === undefined ? (
          <SchemaForm label="Defaults of the job variables" schema={withoutRequired(template)} {...defaults.props} />
        ) : (
          <FormRow title="Base job template" kind="JSON">
            <JsonEditor label="Base job template" text={text} onChange={setText} maxHeight={560} />
          </FormRow>
        )}
        <Button
          kind="quiet"
          className="mt-2"
          onClick={() =>
            setText(text === undefined ? JSON.stringify(withDefaults(template, defaults.value), null, 2) : undefined)
          }
        >
          {text === undefined ? 'Edit the whole template as JSON' : 'Back to the form, without the changes of the text'}
        </Button>
      </div>
      <FormProblem of={form} className="mt-3" />
      <div className="sticky bottom-0 mt-4 flex gap-2 border-t border-line bg-canvas py-3">
        <Button kind="primary" type="submit" disabled={form.isBusy || name === ''}>
          {action}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
