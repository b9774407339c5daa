/** The rules on the left; on the right their effect, decided by the gateway before anything is stored. */
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { invalidate } from '../../api/read.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Unread } from '../../components/states-of-loading.tsx';
import { useAction } from '../../components/use-action.ts';
import { setPolicy } from '../actions.ts';
import { actorsQuery, type PolicyRule, policyQuery, previewQuery } from '../queries.ts';
import type { TabProps } from '../tab-props.ts';
import { changedRules } from './policy-changes.ts';
import { PolicyEffect } from './policy-effect.tsx';
import { PolicyRules } from './policy-rules.tsx';
import { useActorChoice } from './use-actor-choice.ts';

/** The stored rules, those of the person, and what the gateway would decide by them. */
function usePolicy({ organization, view }: TabProps) {
  const path = { org: organization.slug, server: view.server.slug };
  const stored = useQuery(policyQuery(path));
  const [draft, setDraft] = useState<readonly PolicyRule[]>();
  const [actor, choose] = useActorChoice();
  const { data: actors = [] } = useQuery(actorsQuery(organization.slug, organization.role === 'admin'));
  const known = stored.data?.rules.map(({ role, actorId, capability, pattern, effect }) => ({
    role: role ?? null,
    actorId: actorId ?? null,
    capability,
    pattern,
    effect,
  }));
  const rules = draft ?? known ?? [];
  const tried = useDeferredValue(rules.filter(({ pattern }) => pattern !== ''));
  const preview = useQuery({ ...previewQuery(path, tried, actor ?? null), enabled: known !== undefined });
  const save = async () => {
    await setPolicy(path, rules);
    await invalidate('/organizations/{org}/servers/{server}/policy');
    setDraft(undefined);
    await invalidate(
      '/organizations/{org}/servers/{server}/policy/preview',
      '/organizations/{org}/views/servers/{server}',
    );
  };
  return { stored, known, rules, setDraft, tried, preview, actor, choose, actors, save };
}

export function PolicyTab(props: TabProps) {
  const policy = usePolicy(props);
  const { stored, known, rules, setDraft, tried, preview, actor, choose, actors, save } = policy;
  const [part, setPart] = useState<'rules' | 'effect'>('rules');
  const [isAsking, setAsking] = useState(false);
  if (!known) return <Unread of={stored} rows={6} />;
  const changes = changedRules(known, rules);
  const affected = preview.data?.affectedCount ?? 0;
  const locksOut = rules.length > 0 && known.length === 0;
  return (
    <div className="pb-16">
      <fieldset className="mb-3 flex gap-4 lg:hidden">
        <legend className="sr-only">Part of the policy</legend>
        {(['rules', 'effect'] as const).map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={part === one}
            onClick={() => setPart(one)}
            className="border-b-2 border-transparent pb-1 text-soft aria-pressed:border-ink aria-pressed:text-ink"
          >
            {one === 'rules' ? `Rules (${rules.length})` : 'Effect'}
          </button>
        ))}
      </fieldset>
      <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <div className={part === 'rules' ? '' : 'max-lg:hidden'}>
          <PolicyRules
            rules={rules}
            stored={known}
            actors={actors}
            names={preview.data?.capabilities ?? []}
            onChange={setDraft}
          />
        </div>
        <div className={part === 'effect' ? '' : 'max-lg:hidden'}>
          <PolicyEffect
            preview={preview.data}
            error={preview.error}
            rules={tried}
            actors={actors}
            actor={actor}
            onChoose={choose}
          />
        </div>
      </div>
      {changes > 0 ? (
        <SaveBar
          changes={changes}
          rules={rules}
          preview={preview.data}
          discard={() => setDraft(undefined)}
          save={locksOut || affected > 0 ? undefined : save}
          ask={() => setAsking(true)}
        />
      ) : null}
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        question="Save this policy?"
        action="Save policy"
        done="Policy saved"
        onConfirm={save}
      >
        <Consequences preview={preview.data} locksOut={locksOut} />
      </Confirm>
    </div>
  );
}

type Preview = ReturnType<typeof usePolicy>['preview']['data'];

interface SaveBarProps {
  readonly changes: number;
  readonly rules: readonly PolicyRule[];
  readonly preview: Preview;
  readonly discard: () => void;
  /** Undefined if the person is asked first. */
  readonly save: (() => Promise<void>) | undefined;
  readonly ask: () => void;
}

function SaveBar({ changes, rules, preview, discard, save, ask }: SaveBarProps) {
  const action = useAction();
  const isReady = rules.every(({ pattern, role, actorId }) => pattern !== '' && (role || actorId));
  return (
    <div
      role="toolbar"
      aria-label="Changes of the policy"
      className="fixed right-0 bottom-0 left-0 z-20 flex flex-wrap items-center gap-3 border-t border-line bg-surface px-6 py-2 lg:left-52"
    >
      <span className="font-medium">
        {changes} {changes === 1 ? 'rule' : 'rules'} not saved
      </span>
      <span className="text-soft" role="status">
        {preview ? affectedText(preview.affectedCount, preview.actorsWithRole) : null}
      </span>
      <div className="flex-1" />
      <ProblemNote text={action.problem} />
      <Button onClick={discard}>Discard</Button>
      <Button
        kind="primary"
        disabled={!isReady || action.isBusy}
        title={isReady ? undefined : 'Each rule needs a name or pattern, and a role or person'}
        onClick={() => (save ? void action.run(save, 'Policy saved') : ask())}
      >
        Save policy
      </Button>
    </div>
  );
}

function Consequences({ preview, locksOut }: { readonly preview: Preview; readonly locksOut: boolean }) {
  return (
    <>
      <p>{affectedText(preview?.affectedCount ?? 0, preview?.actorsWithRole ?? 0)} It counts from the next request.</p>
      {locksOut ? (
        <p className="mt-2">
          The server had no rule, so everyone with a role could use everything. From now on, everything that no rule
          allows is denied.
        </p>
      ) : null}
      {preview && preview.affected.length > 0 ? (
        <ul className="mt-3 max-h-48 overflow-y-auto">
          {preview.affected.map(({ actorId, actorName, gained, lost }) => (
            <li key={actorId} className="flex justify-between gap-4">
              <span className="truncate">{actorName}</span>
              <span className="tabular whitespace-nowrap">
                {gained > 0 ? <span className="text-completed-text">+{gained}</span> : null}{' '}
                {lost > 0 ? <span className="text-failed-text">−{lost}</span> : null}
              </span>
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
}

function affectedText(affected: number, all: number): string {
  if (affected === 0) return `No one of ${all} with a role sees a difference.`;
  return `${affected} of ${all} with a role ${affected === 1 ? 'sees' : 'see'} other capabilities.`;
}
