/** Makes a key that replaces another and shows it once. The secret is only in the state of this dialog. */
import { useState } from 'react';
import type { components } from '../api/platform.gen.ts';
import { Choice, Field, FormDialog } from '../components/form-dialog.tsx';
import { Moment } from '../components/moment.tsx';
import { NewKeyDialog } from './create-key-dialog.tsx';
import { type ApiKey, expiryOf, type Lifetime, lifetimesWithin } from './expiry.ts';

export type RollForm = components['schemas']['ApiKeyRoll'];
export type RolledKey = components['schemas']['ApiKeyRolled'];

const OVERLAPS = [
  ['0', 'Now'],
  ['3600', 'In 1 hour'],
  ['86400', 'In 24 hours'],
  ['604800', 'In 7 days'],
] as const;
type Overlap = (typeof OVERLAPS)[number][0];

interface Props {
  readonly apiKey: ApiKey;
  /** Other active keys, if the owner may have no more: then one of them or the rolled one must end. */
  readonly others: readonly ApiKey[];
  readonly organizationId?: string | undefined;
  readonly maxAgeDays: number | null;
  readonly roll: (form: RollForm) => Promise<RolledKey>;
  readonly onClose: () => void;
}

export function RollKeyDialog({ apiKey, others, organizationId, maxAgeDays, roll, onClose }: Props) {
  const [overlap, setOverlap] = useState<Overlap>('86400');
  const [lifetime, setLifetime] = useState<Lifetime>('same');
  const [revoked, setRevoked] = useState(apiKey.id);
  const [rolled, setRolled] = useState<RolledKey>();
  if (rolled) {
    const { replacedKey, secret } = rolled;
    return (
      <NewKeyDialog secret={secret} name={apiKey.descriptor} organizationId={organizationId} onClose={onClose}>
        {replacedKey.state === 'active' ? (
          <p className="mb-3 text-soft">
            The old key works until <Moment time={replacedKey.expiresAt} absolute />. To end it sooner, revoke it once
            the programs have the new one.
          </p>
        ) : (
          <p className="mb-3 text-soft">The old key no longer works.</p>
        )}
      </NewKeyDialog>
    );
  }
  const isFull = others.length > 0;
  const endsNow = isFull && revoked === apiKey.id;
  return (
    <FormDialog
      title={`Roll the key for ${apiKey.descriptor}`}
      action="Roll key"
      isReady
      onClose={onClose}
      onSubmit={async () =>
        setRolled(
          await roll({
            endsInSeconds: Number(overlap),
            ...(lifetime === 'same' ? {} : { expiresAt: expiryOf(lifetime) }),
            ...(isFull ? { revokeKeyId: revoked } : {}),
          }),
        )
      }
    >
      <p className="text-soft">
        A new key takes the place of this one. Give it to the programs before the old one ends.
      </p>
      {isFull ? (
        <Field label="Two keys are active, so one ends with the roll">
          <Choice
            value={revoked}
            choices={[apiKey, ...others].map(({ id, descriptor }) => [id, `${descriptor}, now`] as const)}
            onChange={setRevoked}
          />
        </Field>
      ) : null}
      {endsNow ? null : (
        <Field label="The old key ends" hint="It counts as active until then.">
          <Choice value={overlap} choices={OVERLAPS} onChange={setOverlap} />
        </Field>
      )}
      <Field label="The new key expires">
        <Choice
          value={lifetime}
          choices={[['same', 'Like the old one'], ...lifetimesWithin(maxAgeDays).filter(([days]) => days !== 'none')]}
          onChange={setLifetime}
        />
      </Field>
    </FormDialog>
  );
}
