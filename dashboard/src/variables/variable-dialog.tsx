/** Makes or changes a variable. */
import { useMemo, useState } from 'react';
import { printExactly } from '../api/exact-json.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { JsonEditor } from '../components/json-editor.tsx';
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
  const [name, setName] = useState(variable?.name ?? '');
  const [value, setValue] = useState(variable ? printExactly(variable.value) : '""');
  const [tags, setTags] = useState(variable?.tags.join(', ') ?? '');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const fault = useMemo(() => faultOf(value), [value]);
  const save = async () => {
    const form: VariableForm = { name, value, tags: tags.split(',').flatMap((tag) => tag.trim() || []) };
    setBusy(true);
    setProblem(undefined);
    try {
      await (variable ? updateVariable(variable.id, form) : createVariable(form));
      onSaved();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width="wide"
      title={variable ? `Change ${variable.name}` : 'New variable'}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" disabled={isBusy || name === '' || fault !== undefined} onClick={() => void save()}>
            Save
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <label className="block">
          <span className="text-xs text-quiet">Name</span>
          <input
            className="field font-mono"
            value={name}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <div>
          <span className="text-xs text-quiet">Value, as JSON</span>
          <JsonEditor label="Value, as JSON" text={value} onChange={setValue} maxHeight={EDITOR_HEIGHT} />
        </div>
        <p role="status" className="-mt-3 min-h-4 text-xs text-failed-text">
          {fault}
        </p>
        <label className="block">
          <span className="text-xs text-quiet">Tags, separated by commas</span>
          <input className="field" value={tags} onChange={(event) => setTags(event.target.value)} />
        </label>
        {problem === undefined ? null : (
          <p role="alert" className="text-failed-text">
            {problem}
          </p>
        )}
      </div>
    </Dialog>
  );
}
