/** A time in readable form, exact on hover and for screen readers. */
import { useEffect, useState } from 'react';
import { absoluteTime, recordTime, relativeTime } from '../../design/time.ts';
import { usePreferences } from '../../preferences/preferences.ts';

const REFRESH_MILLISECONDS = 10_000;

let now = Date.now();
const listeners = new Set<() => void>();
setInterval(() => {
  now = Date.now();
  for (const listener of listeners) listener();
}, REFRESH_MILLISECONDS);

/** Milliseconds since 1970, updated every ten seconds. */
export function useNow(): number {
  const [value, setValue] = useState(now);
  useEffect(() => {
    const listener = () => setValue(now);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
  return value;
}

interface Props {
  /** RFC 3339. */
  readonly time: string | null | undefined;
  readonly absolute?: boolean;
  /** With milliseconds, for records. */
  readonly isExact?: boolean;
}

export function Moment({ time, absolute = false, isExact = false }: Props) {
  useNow();
  usePreferences();
  if (!time) return <span className="text-quiet">–</span>;
  const exact = absoluteTime(time);
  return (
    <time dateTime={time} title={exact} className="tabular whitespace-nowrap">
      {isExact ? recordTime(time) : absolute ? exact : relativeTime(time)}
    </time>
  );
}

const TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A sentence of the server with its times in the chosen zone. */
export function TextWithTimes({ text }: { readonly text: string }) {
  const parts = text.split(TIME);
  // The matches of the expression are at the odd indexes.
  return parts.map((part, index) => (index % 2 === 1 ? <Moment key={part} time={part} absolute /> : part));
}
