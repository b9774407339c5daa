/** Chooses the time span of a list: back from now, or between two times. Copies an address whose times are fixed. */
import { Popover } from '@base-ui/react/popover';
import { CalendarClock, Link2, Undo2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { DEFAULT_SPAN, isRelative, readPast, type Span, spans, spanTitle } from '../../design/span.ts';
import { inputTime, timeOfInput } from '../../design/time.ts';
import { usePreferences } from '../../preferences/preferences.ts';
import { Button, IconButton } from '../button.tsx';
import { Field } from '../form/form-dialog.tsx';
import { notify } from '../notify/notify.ts';

interface Props {
  /** As the address holds it. */
  readonly span: string | undefined;
  readonly onChange: (span: string | undefined) => void;
  /** The times of the list as it is shown. */
  readonly times: (now: number) => Span;
  /** The words for a list without a span, if it shows all of its time then: `All time`. */
  readonly whole?: string;
}

export function TimePicker({ span, onChange, times, whole }: Props) {
  usePreferences();
  const [isOpen, setOpen] = useState(false);
  const choose = (next: string | undefined) => {
    onChange(next);
    setOpen(false);
  };
  const choices = [...(whole === undefined ? [] : [['', whole] as const]), ...spans];
  const current = span ?? (whole === undefined ? DEFAULT_SPAN : '');
  return (
    <div className="flex items-center gap-1" data-screen-only>
      <ZoomBack span={span} onChange={onChange} />
      <Popover.Root open={isOpen} onOpenChange={setOpen}>
        <Popover.Trigger
          render={
            <Button aria-label={`Time: ${current === '' ? whole : spanTitle(current)}`}>
              <CalendarClock size={14} aria-hidden />
              <span className="tabular max-w-64 truncate">{current === '' ? whole : spanTitle(current)}</span>
            </Button>
          }
        />
        <Popover.Portal>
          <Popover.Positioner sideOffset={4} align="end" className="z-60 outline-none">
            <Popover.Popup
              aria-label="Time"
              className="flex w-72 max-w-[calc(100vw-2rem)] flex-col gap-3 rounded-panel border border-line bg-surface p-3 shadow-raised outline-none"
            >
              <div className="grid grid-cols-2 gap-1">
                {choices.map(([value, title]) => (
                  <button
                    key={value}
                    type="button"
                    aria-pressed={value === current}
                    className="h-7 rounded-control px-2 text-left hover:bg-hover aria-pressed:bg-selected aria-pressed:font-medium"
                    onClick={() => choose(value === '' ? undefined : value)}
                  >
                    {title}
                  </button>
                ))}
              </div>
              <OwnTimes span={readPast(span, Date.now())} choose={choose} />
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
      <IconButton label="Copy a link with fixed times" onClick={() => void share(times(Date.now()))}>
        <Link2 size={14} />
      </IconButton>
    </div>
  );
}

interface OwnProps {
  readonly span: Span;
  readonly choose: (span: string) => void;
}

function OwnTimes({ span, choose }: OwnProps) {
  const { zone } = usePreferences();
  const [last, setLast] = useState('');
  const [from, setFrom] = useState(inputTime(span.start));
  const [to, setTo] = useState(inputTime(span.end));
  const own = last.trim().toLowerCase();
  const [start, end] = [timeOfInput(from), timeOfInput(to)];
  const problem =
    own !== '' && !/^[1-9]\d{0,3}[mhdw]$/.test(own)
      ? 'A number with m, h, d or w: 90m, 2d.'
      : own === '' && (!start || !end || start >= end)
        ? 'The end must be after the beginning.'
        : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (problem === undefined) choose(own === '' ? `${start}/${end}` : own);
  };
  return (
    <form className="flex flex-col gap-2 border-t border-line pt-3" onSubmit={submit}>
      <Field label="Last">
        <input className="field" placeholder="2d" value={last} onChange={({ target }) => setLast(target.value)} />
      </Field>
      <Field label={`From${zone === 'utc' ? ' (UTC)' : ''}`}>
        <input
          type="datetime-local"
          step={1}
          className="field tabular"
          value={from}
          disabled={own !== ''}
          onChange={({ target }) => setFrom(target.value)}
        />
      </Field>
      <Field label="To">
        <input
          type="datetime-local"
          step={1}
          className="field tabular"
          value={to}
          disabled={own !== ''}
          onChange={({ target }) => setTo(target.value)}
        />
      </Field>
      <p role="status" className="min-h-4 text-xs text-failed-text">
        {problem}
      </p>
      <Button type="submit" kind="primary" disabled={problem !== undefined}>
        Show
      </Button>
    </form>
  );
}

/** Leads from a part of the time, which was chosen on the chart, to the time before. */
function ZoomBack({ span, onChange }: Pick<Props, 'span' | 'onChange'>) {
  const [shown, setShown] = useState(span);
  const [before, setBefore] = useState<readonly (string | undefined)[]>([]);
  if (shown !== span) {
    const isBack = before.length > 0 && before.at(-1) === span;
    setShown(span);
    setBefore(isBack ? before.slice(0, -1) : isRelative(span) ? [] : [...before, shown]);
  }
  if (isRelative(span)) return null;
  return (
    <IconButton label="Zoom back" onClick={() => onChange(before.at(-1))}>
      <Undo2 size={14} />
    </IconButton>
  );
}

async function share({ start, end }: Span): Promise<void> {
  const address = new URL(location.href);
  address.searchParams.set('span', `${start}/${end}`);
  await navigator.clipboard.writeText(address.href);
  notify('The link was copied. It shows the same time to everyone.');
}
