/** The arguments of a task run and the runs from which they came. */
import { Link } from '@tanstack/react-router';
import type { components } from '../../api/schema.gen.ts';
import { StateMark } from '../../design/state-mark.tsx';
import { stateKind } from '../../design/states.ts';
import type { TaskRunView } from '../queries.ts';

type LinkedRun = components['schemas']['LinkedRun'];

export function TaskInputs({ inputs }: { readonly inputs: TaskRunView['inputs'] }) {
  if (inputs.length === 0) return <p className="text-quiet">It takes no arguments.</p>;
  return (
    <dl className="grid grid-cols-[minmax(5rem,auto)_1fr] gap-x-4">
      {inputs.map((input) => (
        <div key={input.name} className="contents">
          <dt className="py-0.5 font-mono text-xs text-quiet">{input.name}</dt>
          <dd className="flex min-w-0 flex-wrap gap-x-3 gap-y-0.5 py-0.5">
            <Source input={input} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Source({ input: { runs, run_count, parameters, types } }: { readonly input: TaskRunView['inputs'][number] }) {
  if (run_count === 0 && parameters.length === 0 && types.length === 0) {
    return <span className="text-quiet">a plain value</span>;
  }
  return (
    <>
      {runs.map((run) => (
        <RunLink key={run.id} run={run} />
      ))}
      {run_count > runs.length ? (
        <span className="text-quiet">and {(run_count - runs.length).toLocaleString('en')} more</span>
      ) : null}
      {parameters.map((name) => (
        <span key={name}>
          the parameter <span className="font-mono text-xs">{name}</span>
        </span>
      ))}
      {types.map((type) => (
        <span key={type} className="text-quiet">
          a constant of type {type}
        </span>
      ))}
    </>
  );
}

export function UsedBy({ runs }: { readonly runs: readonly LinkedRun[] }) {
  return (
    <div className="flex flex-wrap gap-x-3 gap-y-0.5">
      {runs.map((run) => (
        <RunLink key={run.id} run={run} />
      ))}
    </div>
  );
}

function RunLink({ run: { kind, id, name, state_type, state_name } }: { readonly run: LinkedRun }) {
  if (name === null) return <span className="text-quiet">a run that was deleted</span>;
  return (
    <span className="inline-flex items-center gap-1.5">
      <StateMark kind={stateKind(state_type, state_name)} size={12} alone />
      <Link
        to={kind === 'flow_run' ? '/runs/flow-run/$id' : '/runs/task-run/$id'}
        params={{ id }}
        className="hover:underline"
      >
        {name}
      </Link>
    </span>
  );
}
