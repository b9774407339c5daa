/** A JSON editor that marks faults, or a JSON viewer. It is loaded when it is shown. */
import { lazy, Suspense } from 'react';
import { CodeBlock } from '../text/code-block.tsx';
import type { JsonViewProps } from './code-mirror.tsx';

const View = lazy(async () => ({ default: (await import('./code-mirror.tsx')).JsonView }));

export function JsonEditor(props: JsonViewProps) {
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
