/**
 * The description of an object, above what people come for: at most a few lines of Markdown, and a button for the rest.
 * Its room is kept while it is read, so that nothing below it moves.
 */
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { Markdown } from './markdown.tsx';

const LINE_HEIGHT = 22;
const MOST_LINES = 6;
/** Text without a sign of Markdown needs no parser. */
const IS_PLAIN = /^(?![-+\d])[^\n\\`*_~#<>[\]|&@]{1,300}$/;
const HAS_ADDRESS = /:\/\/|www\./;

export function Description({ text, className = '' }: { readonly text: string; readonly className?: string }) {
  const content = useRef<HTMLDivElement>(null);
  const [isWhole, setWhole] = useState(false);
  const room = Math.min(MOST_LINES, text.trim().split('\n').length + 1) * LINE_HEIGHT;
  const isCut = useHeight(content) > room;
  if (IS_PLAIN.test(text.trim()) && !HAS_ADDRESS.test(text)) {
    return <p className={`max-w-200 text-soft wrap-anywhere ${className}`}>{text.trim()}</p>;
  }
  return (
    <div className={`relative max-w-200 ${className}`}>
      <div className="overflow-hidden" style={isWhole ? undefined : { height: room }}>
        <div ref={content} className="flow-root text-soft">
          <Markdown text={text} />
        </div>
      </div>
      {isCut ? (
        <button
          type="button"
          className="absolute right-0 bottom-0 bg-canvas pl-3 text-xs text-accent hover:underline"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? 'Show less' : 'Show all'}
        </button>
      ) : null}
    </div>
  );
}

/** The height of what the element needs, in pixels; 0 while it is not shown. */
function useHeight(element: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    const observer = new ResizeObserver(() => setHeight(current.offsetHeight));
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return height;
}
