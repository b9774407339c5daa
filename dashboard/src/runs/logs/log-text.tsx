/** The text of a log line: addresses are links, and what is searched for is marked. */
import type { ReactNode } from 'react';
import { linksIn, marksIn } from './text-parts.ts';

interface Props {
  readonly text: string;
  /** Texts that are searched for. */
  readonly wanted: readonly string[];
}

export function LogText({ text, wanted }: Props): ReactNode {
  let at = 0;
  return linksIn(text).map(({ text: part, href }) => {
    const key = at;
    at += part.length;
    const marked = <Marked key={key} text={part} wanted={wanted} />;
    if (href === undefined) return marked;
    return (
      <a
        key={key}
        href={href}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="text-accent underline decoration-line hover:decoration-current"
      >
        {marked}
      </a>
    );
  });
}

function Marked({ text, wanted }: Props): ReactNode {
  let at = 0;
  return marksIn(text, wanted).map(({ text: part, isMarked }) => {
    const key = at;
    at += part.length;
    if (!isMarked) return part;
    return (
      <mark key={key} className="rounded-bar bg-selected text-ink underline">
        {part}
      </mark>
    );
  });
}
