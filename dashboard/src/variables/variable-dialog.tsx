/** Makes or changes a variable. */
import { useMemo, useState } from 'react';
import { printExactly } from '../api/exact-json.ts';
import { FormDialog } from '../components/form/form-dialog.tsx';
import { TextField } from '../components/form/form-fields.tsx';
import { JsonEditor } from '../components/form/json-editor.tsx';
import { useForm } from '../components/form/use-form.ts';
import { faultOf } from './json-fault.ts';
import { createVariable, updateVariable, type Variable } from './queries.ts';
import type { VariableForm } from './variable-form.ts';

/** Height in pixels. A small window scrolls the dialog around it. */
const EDITOR_HEIGHT = 320;

interface Props {
  /** Undefined for a new one. */
  readonly variable: Variable | undefined;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function VariableDialog({ variable, onClose, onSaved }: Props) {
  const form = useForm({ name: variable?.name ?? '', tags: variable?.tags.join(', ') ?? '' });
  const [value, setValue] = useState(variable ? printExactly(variable.value) : '""');
  const fault = useMemo(() => faultOf(value), [value]);
  const { name, tags } = form.values;
  const save = async () => {
    const given: VariableForm = { name, value, tags: tags.split(',').flatMap((tag) => tag.trim() || []) };
    await (variable ? updateVariable(variable.id, given) : createVariable(given));
    onSaved();
  };
  return (
    <FormDialog
      title={variable ? `Edit ${variable.name}` : 'New variable'}
      action="Save"
      width="wide"
      form={form}
      isReady={name !== '' && fault === undefined}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField of={form} name="name" label="Name" isMono autoComplete="off" />
      <div>
        <span className="text-xs text-quiet">Value, as JSON</span>
        <JsonEditor label="Value, as JSON" text={value} onChange={setValue} maxHeight={EDITOR_HEIGHT} />
      </div>
      <p role="status" className="-mt-3 min-h-4 text-xs text-failed-text">
        {fault}
      </p>
      <TextField of={form} name="tags" label="Tags, separated by commas" />
    </FormDialog>
  );
}
