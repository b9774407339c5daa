/** Lists the keys that expire within two weeks: the person's own and, for administrators, those of service accounts. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useAccess, useOrganization } from '../api/access.ts';
import { platformRead as read } from '../api/read.ts';
import { Moment } from '../components/text/moment.tsx';

/** Further keys are counted, not named. */
const MOST_NAMED = 5;

const query = { filter: 'expiring', limit: 100 } as const;

const ownQuery = read.one('/me/api-keys', { params: { query } });

const accountsQuery = (org: string) => read.one('/organizations/{org}/api-keys', { params: { path: { org }, query } });

/** Draws nothing when no key expires soon. Keys that were rolled are omitted, because their end was chosen. */
export function ExpiringKeys() {
  const access = useAccess();
  const organization = useOrganization(undefined);
  const isAdministrator = organization?.role === 'admin';
  const own = useQuery({ ...ownQuery, enabled: access?.user != null });
  const ofAccounts = useQuery({ ...accountsQuery(organization?.slug ?? ''), enabled: isAdministrator });
  const keys = [
    ...(own.data?.items ?? []).map((key) => ({ ...key, serviceAccount: undefined })),
    ...(isAdministrator ? (ofAccounts.data?.items ?? []) : []),
  ]
    .filter(({ replacedBy }) => replacedBy === null)
    .sort((one, other) => (one.expiresAt ?? '').localeCompare(other.expiresAt ?? ''));
  if (keys.length === 0) return null;
  const more = keys.length - MOST_NAMED;
  return (
    <section
      aria-label="Keys that expire soon"
      className="mx-6 mb-4 border-l-2 border-late bg-surface px-4 py-2 max-sm:mx-4"
    >
      <h2 className="text-sm font-semibold">
        {keys.length === 1 ? 'A key expires soon' : `${keys.length} keys expire soon`}
      </h2>
      <ul>
        {keys.slice(0, MOST_NAMED).map(({ id, descriptor, expiresAt, serviceAccount }) => (
          <li key={id} className="wrap-anywhere">
            {serviceAccount ? (
              <Link
                to="/people/service-account/$id"
                params={{ id: serviceAccount.id }}
                search={{ organization: organization?.slug }}
                className="hover:underline"
              >
                {serviceAccount.name}, {descriptor}
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
      </ul>
      {more > 0 ? <p className="text-soft">and {more} more. Roll a key to replace it without a pause.</p> : null}
    </section>
  );
}
