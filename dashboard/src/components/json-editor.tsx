/** An editor for JSON with its faults marked, or JSON to read. Loaded when it is shown. */
import { lazy, Suspense } from 'react';
import { CodeBlock } from './code-block.tsx';

export interface JsonEditorProps {
  /** Name of the JSON, read aloud. */
  readonly label: string;
  readonly text: string;
  /** Called with each change that a person makes. Without it the text can only be read and copied. */
  readonly onChange?: (text: string) => void;
  /** Pixels; the editor grows up to them and scrolls from there. */
  readonly maxHeight?: number;
  /** Whether lines are numbered. */
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
