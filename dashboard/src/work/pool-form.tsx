/** The fields of a work pool. The defaults of its job variables are a form; the whole template is JSON beside it. */
import { useState } from 'react';
import { Button } from '../components/button.tsx';
import { FormRow } from '../components/form-row.tsx';
import { JsonEditor } from '../components/json-editor.tsx';
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
  readonly onSave: (fields: PoolFields) => Promise<void>;
  readonly onCancel: () => void;
}

export function PoolForm({ action, pool, template, onSave, onCancel }: Props) {
  const [name, setName] = useState(pool?.name ?? '');
  const [description, setDescription] = useState(pool?.description ?? '');
  const [limit, setLimit] = useState(pool?.concurrency_limit?.toString() ?? '');
  const [text, setText] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const defaults = useSchemaForm(defaultsOf(template));
  const isLimit = limit === '' || /^\d+$/.test(limit);
  const save = async () => {
    if (name.trim() === '' || !isLimit) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const whole =
        text === undefined ? withDefaults(template, defaults.value) : (JSON.parse(text) as Record<string, unknown>);
      await onSave({ name: name.trim(), description, limit: limit === '' ? null : Number(limit), template: whole });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
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
      {pool ? null : (
        <FormRow id="pool-name" title="Name" isRequired>
          <input
            id="pool-name"
            className="field"
            autoComplete="off"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </FormRow>
      )}
      <FormRow id="pool-description" title="Description">
        <textarea
          id="pool-description"
          className="field h-auto py-1"
          rows={2}
          value={description}
          onChange={({ target }) => setDescription(target.value)}
        />
      </FormRow>
      <FormRow
        id="pool-limit"
        title="Runs at a time"
        description="Further runs wait until one of them has ended. Empty: no limit."
        errors={isLimit ? [] : ['This must be a whole number.']}
      >
        <input
          id="pool-limit"
          className="field tabular max-w-24"
          inputMode="numeric"
          value={limit}
          onChange={({ target }) => setLimit(target.value.trim())}
        />
      </FormRow>
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
      {problem === undefined ? null : (
        <p role="alert" className="mt-3 text-failed-text">
          {problem}
        </p>
      )}
      <div className="sticky bottom-0 mt-4 flex gap-2 border-t border-line bg-canvas py-3">
        <Button kind="primary" type="submit" disabled={isBusy || name.trim() === ''}>
          {action}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
