/** Lines to copy: a command, settings, a program. */
import { CodeBlock } from './code-block.tsx';
import { Copy } from './copy.tsx';

export function Snippet({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <figure className="mb-4 rounded-panel border border-line bg-surface">
      <figcaption className="ruled flex items-center justify-between py-1 pr-1 pl-3 text-xs text-quiet">
        {title}
        <Copy text={text} what="text" />
      </figcaption>
      <CodeBlock label={title} text={text} className="px-3 py-2" />
    </figure>
  );
}
