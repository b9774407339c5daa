/**
 * Text of users as Markdown. Loaded when it is shown; HTML stays text and links lead to the web or to mail only. What takes
 * too long to read, or too much of the page, is shown as it is written.
 */
import { lazy, Suspense } from 'react';
import { Skeleton } from './states-of-loading.tsx';

const View = lazy(async () => ({ default: (await import('./markdown-view.tsx')).MarkdownView }));

export function Markdown({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<Skeleton rows={3} />}>
      <View text={text} />
    </Suspense>
  );
}
