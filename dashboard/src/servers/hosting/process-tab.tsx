/** The programs of a hosted server: their state, resources and output. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { invalidate } from '../../api/read.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Facts, Section } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Unread } from '../../components/states-of-loading.tsx';
import { Moment } from '../../components/text/moment.tsx';
import { useAction } from '../../components/use-action.ts';
import { bytes } from '../../design/figures.ts';
import { askServer } from '../actions.ts';
import type { TabProps } from '../tab-props.ts';
import { processQuery, restartPrograms, startPrograms, stopPrograms } from './hosted-queries.ts';
import { OutputView } from './output-view.tsx';

export function ProcessTab({ organization, view }: TabProps) {
  const path = { org: organization.slug, server: view.server.slug };
  const query = useQuery(processQuery(path));
  const action = useAction();
  const [isAsking, setAsking] = useState(false);
  const { data: process } = query;
  if (!process) return <Unread of={query} rows={6} />;
  const reread = () =>
    invalidate('/organizations/{org}/servers/{server}/process', '/organizations/{org}/views/servers/{server}');
  const start = () =>
    action.run(async () => {
      if (process.stoppedAt) await startPrograms(path);
      await askServer(path);
      await reread();
    });
  const restart = () =>
    action.run(async () => {
      await restartPrograms(path);
      await askServer(path);
      await reread();
    });
  const isUp = !process.stoppedAt && (process.state === 'running' || process.state === 'starting');
  const underWay = process.requestsUnderWay;
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-start gap-4">
        <Facts
          className="grid min-w-0 flex-1 grid-cols-[repeat(auto-fit,minmax(8rem,1fr))] gap-x-6 gap-y-2"
          of={{
            State: process.stoppedAt ? 'stopped' : process.state === 'stopped' ? 'idle' : process.state,
            Started: <Moment time={process.startedAt} />,
            Processes: process.processes,
            Memory: (
              <>
                {isUp ? bytes(process.memoryBytes) : '–'}
                {view.server.hosted ? (
                  <span className="text-quiet"> of {view.server.hosted.memoryMegabytes} MB</span>
                ) : null}
              </>
            ),
            'Active requests': underWay,
            Failures: process.failures,
          }}
        />
        <div className="flex gap-2">
          {isUp ? (
            <Button disabled={action.isBusy} onClick={() => void restart()}>
              Restart
            </Button>
          ) : (
            <Button
              kind="primary"
              disabled={action.isBusy || !view.live}
              title={view.live ? undefined : 'Nothing is live: build it first'}
              onClick={() => void start()}
            >
              {action.isBusy ? 'Starting' : 'Start'}
            </Button>
          )}
          {process.stoppedAt ? null : (
            <Button disabled={action.isBusy} onClick={() => setAsking(true)}>
              Stop
            </Button>
          )}
        </div>
      </div>
      {process.lastFailure && !isUp ? (
        <p className="max-w-200 whitespace-pre-wrap text-failed-text">{process.lastFailure}</p>
      ) : null}
      {process.stoppedAt ? (
        <p className="text-soft">
          Stopped <Moment time={process.stoppedAt} />. Requests are refused until somebody starts it.
        </p>
      ) : null}
      <ProblemNote text={action.problem} />
      <Section title="Output" aside="Sensitive values are removed. Figures are of the replica that answers.">
        <OutputView path={path} isLive empty="No program of this server has printed anything yet." />
      </Section>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        question={`Stop ${view.server.name}?`}
        action="Stop"
        onConfirm={async () => {
          await stopPrograms(path);
          await reread();
        }}
      >
        {underWay > 0
          ? `${underWay === 1 ? '1 active request finishes' : `${underWay} active requests finish`} first. `
          : ''}
        Requests are refused until somebody starts it again. What the program kept in memory and in its folders is lost.
      </Confirm>
    </div>
  );
}
