import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ConnectClient } from '../catalog/connect-client.tsx';
import { Histogram } from '../components/chart/histogram.tsx';
import { Section } from '../components/page.tsx';
import { outcomeSeries, requestIntervals } from '../requests/outcomes.tsx';
import { RequestLine } from '../requests/request-line.tsx';
import type { TabProps } from './tab-props.ts';
import { AccountSection } from './use/account-section.tsx';

export function OverviewTab({ organization, view }: TabProps) {
  const { server, histogram, failures } = view;
  const intervals = useMemo(() => requestIntervals(histogram?.items), [histogram]);
  return (
    <div className="flex flex-col gap-8">
      {server.personalCredential ? (
        <AccountSection server={server} path={{ org: organization.slug, server: server.slug }} />
      ) : null}
      {histogram ? (
        <Section
          title="Calls of the last day"
          aside={
            <Link to="/requests" search={{ server: server.slug }} className="hover:underline">
              All requests
            </Link>
          }
        >
          <Histogram intervals={intervals} height={64} series={outcomeSeries} subject="Calls" />
        </Section>
      ) : null}
      {failures.length > 0 ? (
        <Section
          title="Failed calls"
          aside={
            <Link
              to="/requests"
              search={{ server: server.slug, outcome: 'failed,invalid' }}
              className="hover:underline"
            >
              All failed
            </Link>
          }
        >
          <ul className="border-t border-line">
            {failures.map((request) => (
              <RequestLine key={request.id} request={request} />
            ))}
          </ul>
        </Section>
      ) : null}
      <ConnectClient server={server} clients={view.clients} />
    </div>
  );
}
