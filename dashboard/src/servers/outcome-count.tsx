import { Link } from '@tanstack/react-router';
import { count } from '../design/figures.ts';

interface Props {
  /** Slug of the server. */
  readonly server: string;
  readonly number: number;
  readonly kind: 'failed' | 'denied';
}

const searched = { failed: 'failed,invalid', denied: 'denied' };

/** The number of calls that failed or were denied, which leads to them. Only a failure has the colour of one. */
export function OutcomeCount({ server, number, kind }: Props) {
  if (number === 0) return '0';
  return (
    <Link
      to="/requests"
      search={{ server, outcome: searched[kind] }}
      className={`hover:underline ${kind === 'failed' ? 'text-failed-text' : ''}`}
    >
      {count(number)}
    </Link>
  );
}
