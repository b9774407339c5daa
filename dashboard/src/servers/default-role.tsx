/** The role of members without a grant on the server. */
import { Field } from './field.tsx';
import type { Role } from './queries.ts';

interface Props {
  readonly value: Role | null;
  readonly onChange: (role: Role | null) => void;
}

export function DefaultRole({ value, onChange }: Props) {
  return (
    <Field title="Members of the organization" hint="Grants and a policy for each tool follow on its page.">
      <select
        className="field w-64"
        value={value ?? ''}
        onChange={(event) => onChange((event.target.value || null) as Role | null)}
      >
        <option value="">may not use it without a grant</option>
        <option value="viewer">may use it</option>
        <option value="editor">may use and change it</option>
      </select>
    </Field>
  );
}
