/** The first part of a text in the font of code, which scrolls sideways when it is too wide. */
import { useState } from 'react';
import { Button } from '../button.tsx';

interface Props {
  /** Name of the code, for screen readers. */
  readonly label: string;
  readonly text: string;
  readonly isWrapped?: boolean;
  readonly className?: string;
}

/** Characters that are rendered at once. */
const STEP = 50_000;

export function CodeBlock({ label, text, isWrapped = false, className = '' }: Props) {
  const [shown, setShown] = useState(STEP);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to reach what scrolls.
    <section aria-label={label} tabIndex={0} className={`overflow-x-auto ${className}`}>
      <pre className={`font-mono text-xs ${isWrapped ? 'whitespace-pre-wrap wrap-anywhere' : ''}`}>
        {text.length > shown ? text.slice(0, shown) : text}
      </pre>
      {text.length > shown ? (
        <p className="mt-2 flex items-center gap-3 text-xs text-quiet">
          {shown.toLocaleString('en')} of {text.length.toLocaleString('en')} characters
          <Button onClick={() => setShown(shown + STEP)}>Show more</Button>
        </p>
      ) : null}
    </section>
  );
}
