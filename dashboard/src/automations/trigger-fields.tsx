/** Fields of the form of a trigger: names, JSON, durations. */
import { useState } from 'react';

interface WordsProps {
  readonly label: string;
  readonly words: readonly string[];
  readonly onChange: (words: string[]) => void;
}

export function WordsField({ label, words, onChange }: WordsProps) {
  const [text, setText] = useState(words.join(', '));
  return (
    <label className="block">
      <span className="text-xs text-quiet">{label}</span>
      <input
        className="field font-mono text-xs"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          onChange(event.target.value.split(',').flatMap((word) => word.trim() || []));
        }}
      />
    </label>
  );
}

interface JsonProps {
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

export function JsonField({ label, text, onChange }: JsonProps) {
  return (
    <label className="block">
      <span className="text-xs text-quiet">{label}</span>
      <textarea
        className="field h-20 resize-y py-1 font-mono text-xs"
        spellCheck={false}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}

const units = [
  [1, 'seconds'],
  [60, 'minutes'],
  [3600, 'hours'],
  [86_400, 'days'],
] as const;

interface SecondsProps {
  readonly label: string;
  readonly seconds: number;
  readonly onChange: (seconds: number) => void;
}

export function SecondsField({ label, seconds, onChange }: SecondsProps) {
  const fitting = units.findLast(([size]) => seconds >= size && seconds % size === 0)?.[0] ?? 1;
  const [unit, setUnit] = useState<number>(fitting);
  return (
    <span className="flex items-end gap-1">
      <label className="block">
        <span className="text-xs text-quiet">{label}</span>
        <input
          type="number"
          min={0}
          className="field tabular w-20"
          value={seconds / unit}
          onChange={(event) => onChange(Number(event.target.value) * unit)}
        />
      </label>
      <select
        aria-label="Unit of time"
        className="field w-auto"
        value={unit}
        onChange={(event) => {
          const next = Number(event.target.value);
          onChange((seconds / unit) * next);
          setUnit(next);
        }}
      >
        {units.map(([size, title]) => (
          <option key={size} value={size}>
            {title}
          </option>
        ))}
      </select>
    </span>
  );
}
