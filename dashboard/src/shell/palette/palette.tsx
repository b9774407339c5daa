/**
 * The search of the shell. Its field is always in the page, so it takes the focus in the task of the key that opens it,
 * and no letter after that key is lost. Its results are loaded when the browser is idle.
 */
import { type ComponentProps, type ComponentType, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { PaletteList, ResultKeys } from './palette-list.tsx';

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
  const { Results, isLost } = useResults(isOpen);
  const close = () => {
    dialog.current?.close();
    // The browser leaves the focus here until it draws again, where what had it before is gone.
    field.current?.blur();
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
        aria-label="Search everything"
        aria-autocomplete="list"
        aria-expanded={isOpen && Results !== undefined}
        aria-controls={isOpen && Results ? RESULTS_ID : undefined}
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
      {isOpen && Results ? (
        <Results
          id={RESULTS_ID}
          text={text.trim()}
          entered={entered}
          keys={keys}
          field={field}
          onMove={() => setEntered(undefined)}
          onChosen={close}
        />
      ) : null}
      {isOpen && isLost ? (
        <p role="alert" className="px-4 py-6 text-failed-text">
          The server cannot be reached.
        </p>
      ) : null}
    </dialog>
  );
}

/** The results, which are loaded when the browser is idle, and again at each opening if the server was away. */
function useResults(isOpen: boolean) {
  const [loaded, setLoaded] = useState<{ readonly Results?: ComponentType<ComponentProps<typeof PaletteList>> }>({});
  const [isLost, setLost] = useState(false);
  const isMissing = loaded.Results === undefined;
  useEffect(() => {
    if (!isMissing) return undefined;
    const load = () =>
      void import('./palette-list.tsx').then(
        ({ PaletteList: Results }) => {
          setLoaded({ Results });
          setLost(false);
        },
        () => setLost(true),
      );
    if (isOpen || typeof requestIdleCallback !== 'function') {
      load();
      return undefined;
    }
    const idle = requestIdleCallback(load);
    return () => cancelIdleCallback(idle);
  }, [isOpen, isMissing]);
  return { ...loaded, isLost };
}
