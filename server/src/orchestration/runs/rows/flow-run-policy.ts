/** The policy of a flow run in its row: how it is written, and read back. */
import { type JsonText, parseObject } from '../../../json.ts';
import { compileEncoder } from '../../../schema/encode.ts';
import { FlowRunPolicy } from '../flow-runs/schema.ts';

const encode = compileEncoder(FlowRunPolicy) as (policy: FlowRunPolicy) => JsonText;

interface Known {
  readonly stored: JsonText;
  readonly policy: FlowRunPolicy;
  readonly encoded: JsonText;
}

/** What was read last: nearly all runs have one policy, and each transition reads it and writes it again. */
let known: Known | undefined;

/** The same object for the same text, so nobody may change it. */
export function readFlowRunPolicy(stored: JsonText): FlowRunPolicy {
  if (known?.stored !== stored) {
    const policy = Object.freeze(parseObject(stored)) as unknown as FlowRunPolicy;
    known = { stored, policy, encoded: encode(policy) };
  }
  return known.policy;
}

export function encodeFlowRunPolicy(policy: FlowRunPolicy): JsonText {
  return known?.policy === policy ? known.encoded : encode(policy);
}
