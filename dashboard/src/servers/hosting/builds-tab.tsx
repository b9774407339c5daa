/** Builds with their output, the live build, and the rollback. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { invalidate } from '../../api/read.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Section } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Failed, Skeleton } from '../../components/states-of-loading.tsx';
import { Moment } from '../../components/text/moment.tsx';
import { useAction } from '../../components/use-action.ts';
import { shortId } from '../../design/short-id.ts';
import { StateLabel } from '../../design/state-mark.tsx';
import type { StateKind } from '../../design/states.ts';
import { duration } from '../../design/time.ts';
import type { ServerPath } from '../queries.ts';
import type { TabProps } from '../tab-props.ts';
import { BuildDialog } from './build-dialog.tsx';
import {
  type Build,
  buildsQuery,
  cancelBuild,
  type Deployment,
  deployBuild,
  deploymentsQuery,
  isEnded,
  rollBack,
} from './hosted-queries.ts';
import { OutputView } from './output-view.tsx';

const route = getRouteApi('/servers/$server');

const looks: Readonly<Record<Build['state'], { readonly kind: StateKind; readonly name: string }>> = {
  queued: { kind: 'PENDING', name: 'Queued' },
  building: { kind: 'RUNNING', name: 'Building' },
  succeeded: { kind: 'COMPLETED', name: 'Succeeded' },
  failed: { kind: 'FAILED', name: 'Failed' },
  canceled: { kind: 'CANCELLED', name: 'Canceled' },
};

export function BuildsTab({ organization, view }: TabProps) {
  const path = { org: organization.slug, server: view.server.slug };
  const { build: open } = route.useSearch();
  const builds = useQuery(buildsQuery(path));
  const { data: deployments } = useQuery(deploymentsQuery(path));
  const live = deployments ? deployments.items.find(({ status }) => status === 'live') : view.live;
  const [isNew, setNew] = useState(false);
  const isStale = live?.id !== view.live?.id;
  useEffect(() => {
    if (isStale) void invalidate('/organizations/{org}/views/servers/{server}');
  }, [isStale]);
  const items = builds.data?.items ?? [];
  return (
    <div className="flex flex-col gap-8">
      <Section
        title="Builds"
        aside={
          <Button kind={items.length === 0 ? 'primary' : 'plain'} onClick={() => setNew(true)}>
            New build
          </Button>
        }
      >
        {builds.isPending ? (
          <Skeleton rows={4} />
        ) : !builds.data ? (
          <Failed error={builds.error} retry={() => void builds.refetch()} />
        ) : items.length === 0 ? (
          <p className="border-t border-line py-2 text-soft">
            Nothing has been built. A build takes the source, installs what it needs, and goes live when its program
            answers.
          </p>
        ) : (
          <ul className="border-t border-line" aria-label="Builds">
            {items.map((build) => (
              <BuildRow
                key={build.id}
                path={path}
                build={build}
                isOpen={open === build.id || (open === undefined && !isEnded(build))}
                isLive={live?.buildId === build.id}
              />
            ))}
          </ul>
        )}
      </Section>
      <Deployments path={path} items={deployments?.items ?? []} live={live?.buildId} />
      {isNew ? <BuildDialog path={path} last={items[0]} onClose={() => setNew(false)} /> : null}
    </div>
  );
}

interface RowProps {
  readonly path: ServerPath;
  readonly build: Build;
  readonly isOpen: boolean;
  readonly isLive: boolean;
}

function BuildRow({ path, build, isOpen, isLive }: RowProps) {
  const action = useAction();
  const { id, state, createdAt, createdBy, startedAt, finishedAt, error } = build;
  const change = (work: () => Promise<unknown>) =>
    action.run(async () => {
      await work();
      await rereadHosted();
    });
  const seconds = startedAt
    ? (Date.parse(finishedAt ?? new Date().toISOString()) - Date.parse(startedAt)) / 1000
    : null;
  return (
    <li className="ruled py-1.5">
      <div className="grid min-h-7 grid-cols-[7rem_minmax(0,1fr)_auto_auto] items-center gap-x-4 max-sm:grid-cols-[7rem_minmax(0,1fr)_auto]">
        <StateLabel {...looks[state]} />
        <Link
          from="/servers/$server"
          to="/servers/$server"
          search={(old) => ({ ...old, build: isOpen ? undefined : id })}
          resetScroll={false}
          aria-expanded={isOpen}
          className="truncate font-mono text-xs hover:underline"
        >
          {sourceText(build)}
        </Link>
        <span className="text-xs text-quiet max-sm:hidden">
          {seconds === null ? null : `${duration(seconds)} · `}
          <Moment time={createdAt} /> by {createdBy}
        </span>
        <span className="flex w-28 justify-end">
          {isLive ? (
            <span className="text-completed-text">live</span>
          ) : state === 'succeeded' ? (
            <Button disabled={action.isBusy} onClick={() => void change(() => deployBuild(path, id))}>
              {action.isBusy ? 'Starting it' : 'Put live'}
            </Button>
          ) : isEnded(build) ? null : (
            <Button disabled={action.isBusy} onClick={() => void change(() => cancelBuild(path, id))}>
              Cancel
            </Button>
          )}
        </span>
      </div>
      {error ? (
        <p className="my-1 max-w-200 whitespace-pre-wrap text-failed-text">
          {error}
          {isOpen ? null : (
            <Link
              from="/servers/$server"
              to="/servers/$server"
              search={(old) => ({ ...old, build: id })}
              resetScroll={false}
              className="ml-2 underline underline-offset-4"
            >
              Show what it printed
            </Link>
          )}
        </p>
      ) : null}
      <ProblemNote text={action.problem} />
      {isOpen ? (
        <div className="py-2">
          <OutputView path={path} build={id} isLive={!isEnded(build)} empty="It has printed nothing." />
        </div>
      ) : null}
    </li>
  );
}

interface DeploymentsProps {
  readonly path: ServerPath;
  readonly items: readonly Deployment[];
  /** The id of the live build. */
  readonly live: string | undefined;
}

function Deployments({ path, items, live }: DeploymentsProps) {
  const [asked, setAsked] = useState<Deployment>();
  if (items.length === 0) return null;
  return (
    <Section title="Deployments" aside={items.length}>
      <ul className="border-t border-line" aria-label="Deployments">
        {items.map((deployment) => (
          <li
            key={deployment.id}
            className="ruled grid min-h-9 grid-cols-[7rem_minmax(0,1fr)_auto] items-center gap-x-4"
          >
            <StateLabel
              kind={deployment.status === 'live' ? 'RUNNING' : 'CANCELLED'}
              name={deployment.status === 'live' ? 'Live' : 'Earlier'}
            />
            <span className="truncate text-soft">
              <Moment time={deployment.createdAt} /> by {deployment.createdBy}
              {deployment.endedAt ? (
                <>
                  {' '}
                  until <Moment time={deployment.endedAt} />
                </>
              ) : null}
              <span className="ml-2 font-mono text-xs text-quiet">build {shortId(deployment.buildId)}</span>
            </span>
            {deployment.buildId === live ? null : <Button onClick={() => setAsked(deployment)}>Roll back to it</Button>}
          </li>
        ))}
      </ul>
      <Confirm
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        question="Roll back to this deployment?"
        action="Roll back"
        onConfirm={async () => {
          if (asked) await rollBack(path, asked.id);
          await rereadHosted();
        }}
      >
        Its program is started first. If it answers, new requests reach it, and active ones finish in the old program.
        If it does not, the live build stays.
      </Confirm>
    </Section>
  );
}

function rereadHosted() {
  return invalidate(
    '/organizations/{org}/servers/{server}/builds',
    '/organizations/{org}/servers/{server}/deployments',
    '/organizations/{org}/views/servers/{server}',
  );
}

function sourceText({ source, entrypoint, resolved }: Build): string {
  const given = source as Record<string, unknown>;
  const { commit, version } = (resolved ?? {}) as { commit?: unknown; version?: unknown };
  const words: Readonly<Record<string, () => string>> = {
    git: () =>
      `${String(given.repository)} ${String(given.ref ?? '')} ${String(commit ?? given.commit ?? '').slice(0, 10)}`,
    folder: () => String(given.path),
    command: () => (Array.isArray(given.command) ? given.command.join(' ') : String(given.command)),
    archive: () => 'uploaded archive',
    package: () =>
      `${String(given.registryType)} ${String(given.identifier)} ${String(given.version ?? version ?? 'newest')}`,
  };
  const text = words[String(given.kind)]?.() ?? String(given.kind);
  return entrypoint ? `${text.trim()} · ${entrypoint}` : text.trim();
}
