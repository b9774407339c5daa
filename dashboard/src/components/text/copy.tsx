import { Check, Copy as CopyIcon } from 'lucide-react';
import { useState } from 'react';
import { shortId } from '../../design/short-id.ts';
import { IconButton } from '../button.tsx';

const SHOWN_MILLISECONDS = 1200;

/** Copies a text and confirms it. `what` is the object of the label: "Copy id". */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MILLISECONDS);
  };
  return (
    <IconButton label={isCopied ? 'Copied' : `Copy ${what}`} onClick={() => void copy()}>
      {isCopied ? <Check size={14} /> : <CopyIcon size={14} />}
    </IconButton>
  );
}

/** An id, shortened on the screen and copied in full. */
export function Id({ id }: { readonly id: string }) {
  return (
    <span className="inline-flex items-center gap-0.5 font-mono text-xs text-quiet" title={id}>
      {shortId(id)}
      <Copy text={id} what="id" />
    </span>
  );
}
