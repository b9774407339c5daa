/**
 * Text of users as Markdown. It is loaded when it is shown; HTML stays text, and links only lead to the web or to mail.
 * A text that takes too long to parse, or that is too large for the page, is shown unformatted.
 */
import { lazy, Suspense } from 'react';
import { Skeleton } from '../states-of-loading.tsx';

const View = lazy(async () => ({ default: (await import('./markdown-view.tsx')).MarkdownView }));

export function Markdown({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<Skeleton rows={3} />}>
      <View text={text} />
    </Suspense>
  );
}
