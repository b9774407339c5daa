/** The problem of the last action, beside its button. */
export function ProblemNote({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : (
    <p role="alert" className="my-2 max-w-180 whitespace-pre-wrap text-failed-text">
      {text}
    </p>
  );
}
