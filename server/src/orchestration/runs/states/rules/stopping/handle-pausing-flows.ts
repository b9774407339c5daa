import { newId } from '../../../../../values/id.ts';
import { type JsonText, parseObject } from '../../../../../values/json.ts';
import { anyFrom, type FlowRule } from '../rule.ts';

/**
 * Only a running flow can pause. Each pause in its code fires once in an attempt, because the run stores the key of the
 * pause; inputs that already exist under the keys of an accepted pause are of an earlier attempt, and are deleted.
 * Source: `POST /flow_runs/{id}/set_state` of the Prefect server 3.9.1.
 */
export const handlePausingFlows: FlowRule = {
  name: 'HandlePausingFlows',
  from: anyFrom,
  to: ['PAUSED'],
  judge({ initial, proposed, run }) {
    const verb = proposed.name === 'Suspended' ? 'suspend' : 'pause';
    if (!initial) return { kind: 'abort', reason: `Cannot ${verb} flows with no state.` };
    if (initial.type !== 'RUNNING') {
      return { kind: 'reject', state: undefined, reason: `Cannot ${verb} flows that are not currently running.` };
    }
    const { pause_key } = proposed.state_details;
    if (pause_key && run.empirical_policy.pause_keys?.includes(pause_key)) {
      return { kind: 'reject', state: undefined, reason: `This ${verb} has already fired.` };
    }
    if (proposed.state_details.pause_reschedule) {
      if (run.parent_task_run_id !== null) return { kind: 'abort', reason: `Cannot ${verb} subflows.` };
      if (run.deployment_id === null) return { kind: 'abort', reason: `Cannot ${verb} flows without a deployment.` };
    }
    return { kind: 'proceed' };
  },
  settle({ proposed, run }) {
    // A pause without a key gets a new key of its own.
    const pause_key = proposed.state_details.pause_key || newId();
    return {
      empirical_policy: { pause_keys: [...(run.empirical_policy.pause_keys ?? []), pause_key] },
      endedInputs: keysOf(proposed.state_details.run_input_keyset),
    };
  },
};

/** The keys under which a pause waits for inputs. */
function keysOf(keyset: JsonText | null | undefined): string[] {
  return keyset ? Object.values(parseObject(keyset)).filter((key) => typeof key === 'string') : [];
}
