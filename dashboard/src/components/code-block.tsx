/** Text in the font of code, which scrolls sideways when it is wider than its place. */
interface Props {
  /** Name of the code, read aloud. */
  readonly label: string;
  readonly text: string;
  readonly isWrapped?: boolean;
  readonly className?: string;
}

export function CodeBlock({ label, text, isWrapped = false, className = '' }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to reach what scrolls.
    <section aria-label={label} tabIndex={0} className={`overflow-x-auto ${className}`}>
      <pre className={`font-mono text-xs ${isWrapped ? 'whitespace-pre-wrap' : ''}`}>{text}</pre>
    </section>
  );
}
