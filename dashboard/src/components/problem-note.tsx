interface Props {
  readonly text: string | undefined;
  readonly className?: string;
}

/** The problem of the last action, beside its button. */
export function ProblemNote({ text, className = 'my-2 max-w-180 whitespace-pre-wrap' }: Props) {
  return text === undefined ? null : (
    <p role="alert" className={`text-failed-text ${className}`}>
      {text}
    </p>
  );
}
