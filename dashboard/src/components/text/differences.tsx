/** Values that differ between two runs, by their paths. */
import { Fragment } from 'react';
import { differingParts, endOf, plainValue, startOf } from './differing-parts.ts';

export interface Difference {
  readonly name: string;
  /** JSON; null for a value that only the other has. */
  readonly before: string | null;
  readonly now: string | null;
}

/** Equal characters from which only the differing part of two values is shown. */
const LEAST_EQUAL = 24;

/** Rows of a `dl` with two columns. The items that an array has lost and gained share a name. */
export function Differences({ of }: { readonly of: readonly Difference[] }) {
  return [...Map.groupBy(of, ({ name }) => name)].map(([name, differences]) => (
    <div key={name} className="contents">
      <dt className="min-w-0 break-words text-quiet">{name}</dt>
      <dd className="min-w-0 break-words">
        {[...differences.entries()].map(([place, difference]) => (
          <Fragment key={place}>
            {place > 0 ? <br /> : null}
            <Change {...difference} />
          </Fragment>
        ))}
      </dd>
    </div>
  ));
}

function Change({ before, now }: Difference) {
  if (before === null || now === null) return <OneSided sign={now === null ? '−' : '+'} value={before ?? now ?? ''} />;
  const parts = differingParts(before, now);
  if (parts.lead.length + parts.tail.length < LEAST_EQUAL) {
    return (
      <>
        {plainValue(before)} → {plainValue(now)}
      </>
    );
  }
  return (
    <>
      <span className="text-quiet">{endOf(parts.lead)}</span>
      <Part text={parts.before} /> → <Part text={parts.now} />
      <span className="text-quiet">{startOf(parts.tail)}</span>
    </>
  );
}

function OneSided({ sign, value }: { readonly sign: '−' | '+'; readonly value: string }) {
  return (
    <>
      <span aria-hidden="true">{sign} </span>
      <span className="sr-only">{sign === '+' ? 'added' : 'absent now'}: </span>
      {plainValue(value)}
    </>
  );
}

function Part({ text }: { readonly text: string }) {
  return text === '' ? <i className="text-quiet">nothing</i> : <span className="font-medium">{text}</span>;
}
