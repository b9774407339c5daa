/** A value in a row by which the list can be narrowed: to it, or to everything else. */
import { Minus, Plus } from 'lucide-react';
import { createContext, type FocusEvent, type ReactNode, useContext, useState } from 'react';

type Narrow = (field: string, value: string, not: boolean) => void;

/** Narrows the list around it. Without one, values are plain text. */
export const Narrowing = createContext<Narrow | undefined>(undefined);

interface Props {
  readonly field: string;
  readonly value: string;
  /** The value in words, for the names of the buttons. */
  readonly words?: string;
  readonly children: ReactNode;
  /** True if the content has a link of its own; otherwise it is a button that narrows the list. */
  readonly isLinked?: boolean;
}

const BUTTON_CLASS =
  'inline-flex size-4.5 shrink-0 items-center justify-center rounded-control text-quiet hover:bg-selected hover:text-ink';

export function Narrowable({ field, value, words = value, children, isLinked = false }: Props) {
  const narrow = useContext(Narrowing);
  const [isActive, setActive] = useState(false);
  if (!narrow) return children;
  const leave = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) setActive(false);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: people operate the buttons inside, which this only shows.
    <span
      className="inline-flex max-w-full items-center align-middle"
      onPointerEnter={() => setActive(true)}
      onPointerLeave={() => setActive(false)}
      onFocus={() => setActive(true)}
      onBlur={leave}
    >
      {isLinked ? (
        <span className="truncate">{children}</span>
      ) : (
        <button
          type="button"
          className="truncate hover:text-ink hover:underline"
          onClick={() => narrow(field, value, false)}
        >
          {children}
        </button>
      )}
      {isActive ? (
        <>
          <button
            type="button"
            aria-label={`Only ${words}`}
            title={`Only ${words}`}
            className={BUTTON_CLASS}
            onClick={() => narrow(field, value, false)}
          >
            <Plus size={12} />
          </button>
          <button
            type="button"
            aria-label={`Without ${words}`}
            title={`Without ${words}`}
            className={BUTTON_CLASS}
            onClick={() => narrow(field, value, true)}
          >
            <Minus size={12} />
          </button>
        </>
      ) : null}
    </span>
  );
}
