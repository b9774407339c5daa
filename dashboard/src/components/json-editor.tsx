/** A JSON editor that marks faults, or a JSON viewer. It is loaded when it is shown. */
import { lazy, Suspense } from 'react';
import { CodeBlock } from './code-block.tsx';

export interface JsonEditorProps {
  /** Name of the JSON, for screen readers. */
  readonly label: string;
  readonly text: string;
  /** Called with each change by a person. Without it the text is read-only. */
  readonly onChange?: (text: string) => void;
  /** Height in pixels up to which the editor grows; then it scrolls. */
  readonly maxHeight?: number;
  /** True to number lines. */
  readonly isNumbered?: boolean;
}

const View = lazy(async () => ({ default: (await import('./code-mirror.tsx')).JsonView }));

export function JsonEditor(props: JsonEditorProps) {
  const { label, text, maxHeight = 420 } = props;
  return (
    <Suspense
      fallback={
        <div className="overflow-hidden rounded-control border border-line p-2" style={{ maxHeight }}>
          <CodeBlock label={label} text={text} />
        </div>
      }
    >
      <View {...props} />
    </Suspense>
  );
}
