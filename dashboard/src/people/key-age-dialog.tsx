/** Sets the maximum age of keys that an organization accepts. */
import { useState } from 'react';
import { Field, FormDialog } from '../components/form-dialog.tsx';
import { setMaxKeyAge } from './queries.ts';

interface Props {
  readonly org: string;
  readonly maxAgeDays: number | null;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

export function KeyAgeDialog({ org, maxAgeDays, onSaved, onClose }: Props) {
  const [days, setDays] = useState(maxAgeDays === null ? '' : String(maxAgeDays));
  return (
    <FormDialog
      title="Maximum age of keys"
      action="Save"
      isReady={days === '' || Number(days) > 0}
      onSubmit={async () => {
        await setMaxKeyAge(org, days === '' ? null : Number(days));
        onSaved();
        onClose();
      }}
      onClose={onClose}
    >
      <p className="text-soft">
        Older keys are refused from the next request on, also keys that people made for themselves. Roll the old ones
        first. New keys get this age as their expiry.
      </p>
      <Field label="Days" hint="Leave it empty to accept keys of any age.">
        <input
          className="field"
          type="number"
          min={1}
          max={3650}
          step={1}
          value={days}
          onChange={(event) => setDays(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
