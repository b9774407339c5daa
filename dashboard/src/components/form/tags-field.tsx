/** A field for tags: Enter or a comma ends one, Backspace removes the last one. */
import { X } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';

/** Number of shown tags, counted from the end, so that new ones are visible. */
const MOST_SHOWN = 50;

interface Props {
  readonly id: string;
  readonly tags: readonly string[];
  readonly onChange: (tags: string[]) => void;
}

export function TagsField({ id, tags, onChange }: Props) {
  const [text, setText] = useState('');
  const hidden = Math.max(0, tags.length - MOST_SHOWN);
  const add = () => {
    const added = text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '');
    setText('');
    if (added.length > 0) onChange([...new Set([...tags, ...added])]);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ',') {
      event.preventDefault();
      add();
    } else if (event.key === 'Backspace' && text === '') onChange(tags.slice(0, -1));
  };
  return (
    <div className="field flex h-auto min-h-(--row-control) flex-wrap items-center gap-1 py-0.5 focus-within:outline-2 focus-within:outline-accent">
      {hidden > 0 ? <span className="text-xs text-quiet">{hidden.toLocaleString('en')} more</span> : null}
      {tags.slice(hidden).map((tag) => (
        <span key={tag} className="inline-flex items-center gap-0.5 rounded-control bg-selected pl-1.5 text-xs">
          {tag}
          <button
            type="button"
            aria-label={`Remove the tag ${tag}`}
            className="p-1 text-quiet hover:text-ink"
            onClick={() => onChange(tags.filter((one) => one !== tag))}
          >
            <X size={11} />
          </button>
        </span>
      ))}
      <input
        id={id}
        className="min-w-20 flex-1 bg-transparent outline-none"
        autoComplete="off"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={press}
        onBlur={add}
      />
    </div>
  );
}
