/** Fields of the form of a trigger: names, JSON, durations. */
import { useState } from 'react';
import { Choice, Field } from '../components/form/form-dialog.tsx';

interface WordsProps {
  readonly label: string;
  readonly words: readonly string[];
  readonly onChange: (words: string[]) => void;
}

export function WordsField({ label, words, onChange }: WordsProps) {
  const [text, setText] = useState(words.join(', '));
  return (
    <Field label={label}>
      <input
        className="field font-mono text-xs"
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          onChange(target.value.split(',').flatMap((word) => word.trim() || []));
        }}
      />
    </Field>
  );
}

const units = [
  ['1', 'seconds'],
  ['60', 'minutes'],
  ['3600', 'hours'],
  ['86400', 'days'],
] as const;
type Unit = (typeof units)[number][0];

interface SecondsProps {
  readonly label: string;
  readonly seconds: number;
  readonly onChange: (seconds: number) => void;
}

export function SecondsField({ label, seconds, onChange }: SecondsProps) {
  const fitting = units.findLast(([size]) => seconds >= Number(size) && seconds % Number(size) === 0)?.[0] ?? '1';
  const [unit, setUnit] = useState<Unit>(fitting);
  const count = seconds / Number(unit);
  return (
    <span className="flex items-end gap-1">
      <Field label={label}>
        <input
          type="number"
          min={0}
          className="field tabular w-20"
          value={count}
          onChange={({ target }) => onChange(Number(target.value) * Number(unit))}
        />
      </Field>
      <Choice
        label="Unit of time"
        className="w-auto"
        value={unit}
        choices={units}
        onChange={(next) => {
          onChange(count * Number(next));
          setUnit(next);
        }}
      />
    </span>
  );
}
