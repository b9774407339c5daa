/** The editable rules of a policy. */
import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../../components/button.tsx';
import { Section } from '../../components/page.tsx';
import type { ActorChoice, PolicyPreview, PolicyRule } from '../queries.ts';

interface Props {
  readonly rules: readonly PolicyRule[];
  readonly stored: readonly PolicyRule[];
  readonly actors: readonly ActorChoice[];
  /** Suggestions for names. */
  readonly names: PolicyPreview['capabilities'];
  readonly onChange: (rules: readonly PolicyRule[]) => void;
}

const fresh: PolicyRule = { role: 'viewer', actorId: null, capability: 'tool', pattern: '', effect: 'allow' };

export function PolicyRules({ rules, stored, actors, names, onChange }: Props) {
  const known = new Set(stored.map((rule) => JSON.stringify(rule)));
  const change = (index: number, part: Partial<PolicyRule>) =>
    onChange(rules.map((rule, at) => (at === index ? { ...rule, ...part } : rule)));
  return (
    <Section title="Rules">
      {rules.length === 0 ? (
        <p className="border-t border-line py-2 text-soft">
          There is no rule: everyone with a role on the server may use all of it. With the first rule, what no rule
          allows is denied. Administrators of the server are never limited.
        </p>
      ) : (
        <ol className="border-t border-line">
          {rules.map((rule, index) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no other identity while it is edited.
              key={index}
              className={`ruled grid grid-cols-[1.25rem_6.25rem_minmax(0,1fr)_auto] items-center gap-x-2 gap-y-1 py-1.5 ${known.has(JSON.stringify(rule)) ? '' : 'bg-hover'}`}
            >
              <span className="tabular text-right text-xs text-quiet">{index + 1}</span>
              <select
                aria-label={`Effect of rule ${index + 1}`}
                className={`field ${rule.effect === 'deny' ? 'text-failed-text' : ''}`}
                value={rule.effect}
                onChange={(event) => change(index, { effect: event.target.value as PolicyRule['effect'] })}
              >
                <option value="allow">Allow</option>
                <option value="deny">Deny</option>
              </select>
              <Subject rule={rule} index={index} actors={actors} onChange={(part) => change(index, part)} />
              <IconButton
                label={`Remove rule ${index + 1}`}
                onClick={() => onChange(rules.filter((_, at) => at !== index))}
              >
                <X size={14} />
              </IconButton>
              <span />
              <select
                aria-label={`Kind of rule ${index + 1}`}
                className="field"
                value={rule.capability}
                onChange={(event) => change(index, { capability: event.target.value as PolicyRule['capability'] })}
              >
                <option value="tool">tool</option>
                <option value="resource">resource</option>
                <option value="prompt">prompt</option>
              </select>
              <input
                aria-label={`Name or pattern of rule ${index + 1}`}
                className="field font-mono text-xs"
                list={`names-${rule.capability}`}
                value={rule.pattern}
                placeholder="name, or * in a pattern"
                spellCheck={false}
                autoComplete="off"
                onChange={(event) => change(index, { pattern: event.target.value })}
              />
              <span />
            </li>
          ))}
        </ol>
      )}
      {(['tool', 'resource', 'prompt'] as const).map((kind) => (
        <datalist key={kind} id={`names-${kind}`}>
          {names.flatMap(({ capability, name }) => (capability === kind ? [<option key={name} value={name} />] : []))}
        </datalist>
      ))}
      <p className="mt-2 text-xs text-quiet">
        A rule for a person comes before one for a role, an exact name before a pattern, deny before allow.
      </p>
      <Button className="mt-2" onClick={() => onChange([...rules, { ...fresh, ...rules.at(-1), pattern: '' }])}>
        <Plus size={14} />
        Add a rule
      </Button>
    </Section>
  );
}

interface SubjectProps {
  readonly rule: PolicyRule;
  readonly index: number;
  readonly actors: readonly ActorChoice[];
  readonly onChange: (part: Partial<PolicyRule>) => void;
}

function Subject({ rule, index, actors, onChange }: SubjectProps) {
  const value = rule.actorId ?? rule.role ?? '';
  const isKnown = !rule.actorId || actors.some(({ id }) => id === rule.actorId);
  return (
    <select
      aria-label={`Who rule ${index + 1} is for`}
      className="field"
      value={value}
      onChange={({ target }) =>
        onChange(
          target.value === 'viewer' || target.value === 'editor'
            ? { role: target.value, actorId: null }
            : { role: null, actorId: target.value },
        )
      }
    >
      <optgroup label="Everyone with the role">
        <option value="viewer">viewers</option>
        <option value="editor">editors</option>
      </optgroup>
      <optgroup label="One person or program">
        {isKnown ? null : <option value={rule.actorId ?? ''}>{rule.actorId}</option>}
        {actors.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </optgroup>
    </select>
  );
}
