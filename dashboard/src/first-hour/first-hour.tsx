/** The guide of the first hour: the steps with their commands, and the sample. It follows what arrives. */
import { useQuery } from '@tanstack/react-query';
import { useAccess, useMay } from '../api/access.ts';
import { Section } from '../components/page.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { DismissSteps } from './dismiss.tsx';
import { FlowSteps } from './flow-steps.tsx';
import { firstHourQuery } from './queries.ts';
import { Sample } from './sample.tsx';
import { ServerSteps } from './server-steps.tsx';

export function FirstHour() {
  const query = useQuery(firstHourQuery);
  const user = useAccess()?.user;
  const mayDo = useMay('flows:write');
  const { data: view } = query;
  if (!view) return <Unread of={query} rows={12} />;
  return (
    <div className="flex flex-col gap-8 px-6 pb-6 max-sm:px-4">
      {mayDo ? null : (
        <p className="text-soft">
          You see what this workspace waits for. Somebody with the role editor can do the steps.
        </p>
      )}
      <Section title="The first flow" aside={mayDo && view.open ? <DismissSteps /> : undefined}>
        <FlowSteps view={view} mayDo={mayDo} isSignedIn={user != null} />
        {mayDo ? <Sample sample={view.sample} /> : null}
      </Section>
      <Section title="The first MCP server">
        <ServerSteps />
      </Section>
    </div>
  );
}
