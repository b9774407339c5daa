/** One step: whether it has arrived, and what leads to it. The first that has not arrived is open. */
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { StateMark } from '../design/state-mark.tsx';

interface Props {
  readonly title: string;
  readonly isArrived: boolean;
  /** True for the first step that has not arrived. */
  readonly isNext: boolean;
  /** Names what arrived, or what the step waits for. */
  readonly says?: ReactNode;
  /** Commands and buttons; absent for people who may not do the step. */
  readonly children?: ReactNode;
}

export function Step({ title, isArrived, isNext, says, children }: Props) {
  const id = useId();
  /** Undefined until the reader opens or closes it: then it follows the steps. */
  const [chosen, choose] = useState<boolean>();
  const isOpen = chosen ?? isNext;
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <li className="ruled py-2">
      <div className="flex min-h-(--row) flex-wrap items-center gap-x-3 gap-y-1">
        <StateMark kind={isArrived ? 'COMPLETED' : 'PENDING'} alone />
        <h3 className={isArrived ? 'text-soft' : 'font-medium'}>
          {children ? (
            <button
              type="button"
              className="inline-flex items-center gap-1 hover:underline"
              aria-expanded={isOpen}
              aria-controls={id}
              onClick={() => choose(!isOpen)}
            >
              {title}
              <Chevron size={14} aria-hidden="true" />
            </button>
          ) : (
            title
          )}
        </h3>
        {says ? <div className="min-w-0 text-xs text-soft wrap-anywhere">{says}</div> : null}
      </div>
      {children ? (
        <div id={id} hidden={!isOpen} className="max-w-180 pt-2 pl-7 max-sm:pl-0">
          {isOpen ? children : null}
        </div>
      ) : null}
    </li>
  );
}
