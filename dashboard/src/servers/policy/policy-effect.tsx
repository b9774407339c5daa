/** The capabilities that the rules allow to each role or to one person, with the rule that decides. */
import { Section } from '../../components/page.tsx';
import { Failed, Skeleton } from '../../components/states-of-loading.tsx';
import { StateMark } from '../../design/state-mark.tsx';
import type { ActorChoice, PolicyPreview, PolicyRule } from '../queries.ts';

interface Props {
  readonly preview: PolicyPreview | undefined;
  readonly error: unknown;
  readonly rules: readonly PolicyRule[];
  readonly actors: readonly ActorChoice[];
  readonly actor: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}

type Effect = PolicyPreview['capabilities'][number];
type Verdict = Effect['viewer'];

export function PolicyEffect({ preview, error, rules, actors, actor, onChoose }: Props) {
  const allowed = preview?.capabilities.filter((one) => one.actor?.allowed).length ?? 0;
  return (
    <Section
      title="Effect"
      aside={
        <label className="flex items-center gap-2">
          Seen by
          <select
            className="field w-auto"
            value={actor ?? ''}
            onChange={(event) => onChoose(event.target.value || undefined)}
          >
            <option value="">viewers and editors</option>
            {actors.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      }
    >
      {error && !preview ? (
        <Failed error={error} />
      ) : !preview ? (
        <Skeleton rows={8} />
      ) : (
        <>
          {preview.actor ? (
            <p className="pb-1.5 text-soft" role="status">
              {preview.actor.role
                ? `Role ${preview.actor.role} (${preview.actor.reason}): may use ${allowed} of ${preview.capabilities.length}.`
                : `No access: ${preview.actor.reason}.`}
            </p>
          ) : null}
          {preview.capabilities.length === 0 ? (
            <p className="border-t border-line py-2 text-soft">
              The server's capabilities are not known yet, so no effect can be shown.
            </p>
          ) : (
            <table className="w-full table-fixed border-t border-line text-sm">
              <thead>
                <tr className="ruled text-left text-xs text-quiet">
                  <th className="w-[38%] py-1 font-normal">Capability</th>
                  {preview.actor ? (
                    <th className="font-normal">Decision</th>
                  ) : (
                    <>
                      <th className="font-normal">Viewers</th>
                      <th className="font-normal">Editors</th>
                    </>
                  )}
                  <th className="w-20 text-right font-normal">Difference</th>
                </tr>
              </thead>
              <tbody>
                {preview.capabilities.map((effect) => (
                  <tr key={`${effect.capability} ${effect.name}`} className="ruled h-(--row)">
                    <th
                      scope="row"
                      className="truncate pr-3 text-left font-mono text-xs font-normal"
                      title={effect.name}
                    >
                      {effect.name}
                      {effect.capability === 'tool' ? null : (
                        <span className="ml-1.5 font-sans text-quiet">{effect.capability}</span>
                      )}
                    </th>
                    {effect.actor ? (
                      <td>
                        <Decision verdict={effect.actor} rules={rules} />
                      </td>
                    ) : (
                      <>
                        <td>
                          <Decision verdict={effect.viewer} rules={rules} />
                        </td>
                        <td>
                          <Decision verdict={effect.editor} rules={rules} />
                        </td>
                      </>
                    )}
                    <td className="tabular text-right text-xs">
                      <Change effect={effect} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </>
      )}
    </Section>
  );
}

function Decision({ verdict, rules }: { readonly verdict: Verdict; readonly rules: readonly PolicyRule[] }) {
  const { allowed, rule, reason } = verdict;
  const decided = rule === null ? undefined : rules[rule];
  return (
    <span className="flex items-center gap-1.5" title={decided ? `${decided.effect} ${decided.pattern}` : reason}>
      <StateMark kind={allowed ? 'COMPLETED' : 'CANCELLED'} size={12} />
      <span className={allowed ? 'text-completed-text' : 'text-soft'}>{allowed ? 'Allowed' : 'Denied'}</span>
      <span className="truncate text-xs text-quiet">{rule === null ? reason : `rule ${rule + 1}`}</span>
    </span>
  );
}

/** The number of actors that gain or lose it; for one actor, whether it does. */
function Change({ effect }: { readonly effect: Effect }) {
  const { actor, actorNow, gained, lost } = effect;
  if (actor) {
    if (actor.allowed === actorNow) return null;
    return actor.allowed ? (
      <span className="text-completed-text">gained</span>
    ) : (
      <span className="text-failed-text">lost</span>
    );
  }
  return (
    <>
      {gained > 0 ? <span className="text-completed-text">+{gained} </span> : null}
      {lost > 0 ? <span className="text-failed-text">−{lost}</span> : null}
    </>
  );
}
