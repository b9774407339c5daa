import type { Root } from 'hast';
import { type Components, toJsxRuntime } from 'hast-util-to-jsx-runtime';
import { type ReactNode, useEffect, useState } from 'react';
import { Fragment, jsx, jsxs } from 'react/jsx-runtime';
import { Skeleton } from '../states-of-loading.tsx';
import { CodeBlock } from '../text/code-block.tsx';
import { safeAddress } from './safe-address.ts';

const components: Components = {
  a: ({ href, children }) => <SafeLink href={href}>{children}</SafeLink>,
  // A page loads nothing from elsewhere, so an image is shown as a link.
  img: ({ src, alt }) =>
    typeof src === 'string' && src.startsWith('data:image/') ? (
      <img src={src} alt={alt ?? ''} className="max-w-full" />
    ) : (
      <SafeLink href={typeof src === 'string' ? src : undefined}>{alt || 'Image'}</SafeLink>
    ),
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section aria-label="Table" tabIndex={0} className="overflow-x-auto">
      <table>{children}</table>
    </section>
  ),
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <pre tabIndex={0}>{children}</pre>
  ),
};

export function MarkdownView({ text }: { readonly text: string }) {
  const tree = useTree(text);
  if (tree === 'reading') return <Skeleton rows={3} />;
  if (tree === undefined) return <CodeBlock label="Markdown, as it is written" text={text} isWrapped />;
  return <div className="prose">{toJsxRuntime(tree, { Fragment, components, jsx, jsxs, passKeys: true })}</div>;
}

/**
 * A text that takes longer is shown unformatted. The page stays responsive in the meantime, so a busy machine has time.
 */
const MOST_MILLISECONDS = 5000;

/** Undefined if the text cannot be shown as Markdown. */
function useTree(text: string): Root | 'reading' | undefined {
  const [read, setRead] = useState<{ readonly text: string; readonly tree: Root | undefined }>();
  useEffect(() => {
    const worker = new Worker(new URL('./markdown-worker.ts', import.meta.url), { type: 'module' });
    let deadline: ReturnType<typeof setTimeout> | undefined;
    const end = () => {
      clearTimeout(deadline);
      worker.terminate();
    };
    const finish = (tree: Root | undefined) => {
      end();
      setRead({ text, tree });
    };
    worker.addEventListener('message', ({ data }: MessageEvent<Root | 'ready' | undefined>) => {
      if (data !== 'ready') return finish(data);
      worker.postMessage(text);
      deadline = setTimeout(() => finish(undefined), MOST_MILLISECONDS);
    });
    worker.addEventListener('error', () => finish(undefined));
    return end;
  }, [text]);
  return read?.text === text ? read.tree : 'reading';
}

function SafeLink({ href, children }: { readonly href: string | undefined; readonly children: ReactNode }) {
  const address = safeAddress(href);
  if (address === undefined) return <span>{children}</span>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
