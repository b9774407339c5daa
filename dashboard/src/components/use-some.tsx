/**
 * The first items of a list of users' data, and a button that shows more, because a browser can only draw a limited
 * number at once.
 */
import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';

const STEP = 100;

/** `more` is null when all are shown. `step` is the number of items shown at first and added by each click. */
export function useSome<Item>(items: readonly Item[], step = STEP): { shown: readonly Item[]; more: ReactNode } {
  const [count, setCount] = useState(step);
  const left = items.length - count;
  return {
    shown: left > 0 ? items.slice(0, count) : items,
    more:
      left > 0 ? (
        <span className="flex items-center gap-3 py-1 text-xs text-quiet">
          {count.toLocaleString('en')} of {items.length.toLocaleString('en')}
          <Button onClick={() => setCount(count + step)}>Show more</Button>
        </span>
      ) : null,
  };
}

interface Props<Item> {
  readonly of: readonly Item[];
  readonly step?: number;
  /** The element around the button. */
  readonly as?: 'li' | 'div' | 'span';
  readonly children: (item: Item, index: number) => ReactNode;
}

export function Some<Item>({ of, step = STEP, as: Around = 'div', children }: Props<Item>) {
  const { shown, more } = useSome(of, step);
  return (
    <>
      {shown.map(children)}
      {more ? <Around>{more}</Around> : null}
    </>
  );
}
