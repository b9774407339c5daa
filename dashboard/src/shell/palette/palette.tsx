/**
 * The search of the shell. Its field is always in the page, so it takes the focus in the task of the key that opens it,
 * and no letter after that key is lost. Its results are loaded when the browser is idle.
 */
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ResultKeys } from './palette-list.tsx';

const load = () => import('./palette-list.tsx');
const PaletteList = lazy(async () => ({ default: (await load()).PaletteList }));

const RESULTS_ID = 'palette-results';

let open: ((text: string) => void) | undefined;

/** Opens the search, at once. */
export function openPalette(text = ''): void {
  open?.(text);
}

export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const keys = useRef<ResultKeys>(null);
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  /** The text for which Enter was pressed before it had results. */
  const [entered, setEntered] = useState<string>();
  useLayoutEffect(() => {
    open = (wanted) => {
      if (dialog.current?.open === false) {
        dialog.current.showModal();
        setText(wanted);
        setEntered(undefined);
        setOpen(true);
      }
      field.current?.focus();
    };
    return () => {
      open = undefined;
    };
  }, []);
  useEffect(() => {
    if (typeof requestIdleCallback !== 'function') return void load();
    const idle = requestIdleCallback(() => void load());
    return () => cancelIdleCallback(idle);
  }, []);
  const close = () => {
    dialog.current?.close();
    setOpen(false);
    setText('');
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it as well.
    <dialog
      ref={dialog}
      aria-label="Search"
      className="mx-auto mt-[12vh] w-[calc(100vw-2rem)] max-w-150 overflow-hidden rounded-dialog border border-line bg-surface text-ink shadow-raised outline-none backdrop:bg-black/40"
      // The browser reports it later, when the search may be open again.
      onClose={() => dialog.current?.open === false && close()}
      onClick={({ target }) => target === dialog.current && close()}
    >
      <input
        ref={field}
        role="combobox"
        aria-label="Name or id"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? RESULTS_ID : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder="A name, an id, a page, an action, or state:failed"
        className="h-12 w-full border-b border-line bg-transparent px-4 text-lg outline-none placeholder:text-quiet"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          // A key that ends the choice of a character of another script is not meant for the results.
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Escape') {
            // At once: the browser would close it later, and take the next key for a letter.
            event.preventDefault();
            close();
          } else if (event.key === 'Enter') {
            event.preventDefault();
            setEntered(text.trim());
          } else if (keys.current?.move(event.key)) event.preventDefault();
        }}
      />
      {isOpen ? (
        <Suspense fallback={<div id={RESULTS_ID} />}>
          <PaletteList
            id={RESULTS_ID}
            text={text.trim()}
            entered={entered}
            keys={keys}
            field={field}
            onMove={() => setEntered(undefined)}
            onChosen={close}
          />
        </Suspense>
      ) : null}
    </dialog>
  );
}
