/** Lists the keys that expire within two weeks: the person's own and, for administrators, those of service accounts. */
import { Link } from '@tanstack/react-router';
import type { components } from '../api/platform.gen.ts';
import { Moment } from '../components/text/moment.tsx';

/** Further keys are counted, not named. */
const MOST_NAMED = 5;

interface Props {
  readonly org: string;
  /** Sorted by their end. */
  readonly keys: readonly components['schemas']['EndingKey'][];
}

export function ExpiringKeys({ org, keys }: Props) {
  const more = keys.length - MOST_NAMED;
  return (
    <>
      {keys.slice(0, MOST_NAMED).map(({ id, descriptor, expiresAt, serviceAccount }) => (
        <li key={id} className="ruled py-2 wrap-anywhere">
          {serviceAccount ? (
            <Link
              to="/people/service-account/$id"
              params={{ id: serviceAccount.id }}
              search={{ organization: org }}
              className="hover:underline"
            >
              The key {descriptor} of {serviceAccount.name}
            </Link>
          ) : (
            <Link to="/account" search={{ tab: 'keys' }} className="hover:underline">
              Your key for {descriptor}
            </Link>
          )}{' '}
          <span className="text-soft">
            expires <Moment time={expiresAt} />
          </span>
        </li>
      ))}
      {more > 0 ? <li className="ruled py-2 text-soft">{more} more keys expire soon</li> : null}
    </>
  );
}
