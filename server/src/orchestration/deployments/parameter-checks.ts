import type { Tx } from '../../database/store.ts';
import type { JsonText } from '../../json.ts';
import type { Deployment } from './queries.ts';
import type { DeploymentUpdate } from './schema.ts';

export async function checkUpdatedParameters(
  _tx: Tx,
  _deployment: Deployment,
  input: DeploymentUpdate,
): Promise<JsonText | undefined> {
  return input.parameters ?? undefined;
}
export function jobVariableFault(
  _template: JsonText,
  _values: JsonText,
  _extent: 'partial' | 'whole',
): { message: string; quotedReason: string } | undefined {
  return undefined;
}
