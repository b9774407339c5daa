/** Cells that the lists of flow runs and of task runs share. */
import { Narrowable } from '../../components/list/narrowing.tsx';
import { StateLabel } from '../../design/state-mark.tsx';
import { type InState, reasonText } from '../../design/state-message.ts';
import { stateKind, stateWords, titleOf } from '../../design/states.ts';

export function stateText({ state_type, state_name }: InState): string {
  return stateWords(stateKind(state_type, state_name), state_name);
}

export function StateCell({ run: { state_type, state_name } }: { readonly run: InState }) {
  const kind = stateKind(state_type, state_name);
  const isPlain = !state_name || state_name === titleOf(kind);
  return (
    <Narrowable
      field="state"
      value={isPlain ? kind.toLowerCase() : state_name}
      words={stateText({ state_type: state_type ?? null, state_name: state_name ?? null })}
    >
      <StateLabel kind={kind} name={state_name ?? null} />
    </Narrowable>
  );
}

export function ReasonCell({ run }: { readonly run: InState }) {
  const text = reasonText(run);
  return (
    <span className="text-soft" title={run.reason ?? run.state_message ?? undefined}>
      {text}
    </span>
  );
}

interface NamedProps {
  readonly field: 'flow' | 'deployment' | 'work_pool' | 'tag';
  readonly value: string | null | undefined;
}

/** A name by which the list can be narrowed. */
export function NamedCell({ field, value }: NamedProps) {
  if (!value) return null;
  return (
    <Narrowable field={field} value={value}>
      <span className="text-soft">{value}</span>
    </Narrowable>
  );
}
