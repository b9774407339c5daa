import { type Side, sides } from './generate/symbols.ts';
import type { Answer, HttpClient } from './wire/http-client.ts';
import { isParsedObject, type Parsed, type ParsedObject, printJson, readJson } from './wire/json-text.ts';

const SCHEDULES_IN = /^\/deployments\/([0-9a-f-]{36})(\/schedules)?$/;

/**
 * Restores parameters of schedules that the reference dropped in a change that did not name them, after the change was
 * compared: runs created from them would differ as well. Both servers get the same change.
 */
export async function restoreParameters(
  clients: Record<Side, HttpClient>,
  paths: Record<Side, string>,
  answers: Record<Side, Answer>,
  counterpart: (referenceId: string) => string | undefined,
): Promise<void> {
  const deployments = { reference: idIn(paths.reference), ours: idIn(paths.ours) };
  if (deployments.reference === undefined || deployments.ours === undefined) return;
  const schedules = { reference: schedulesIn(answers.reference), ours: schedulesIn(answers.ours) };
  for (const { id, parameters } of schedules.reference) {
    const other = schedules.ours.find((one) => one.id === counterpart(String(id)));
    if (!other || printJson(parameters ?? null) !== '{}' || printJson(other.parameters ?? null) === '{}') continue;
    const body = `{"parameters":${printJson(other.parameters ?? null)}}`;
    const ids = { reference: id, ours: other.id };
    const change = (side: Side) => {
      const path = `/deployments/${deployments[side]}/schedules/${ids[side]}`;
      return clients[side].send({ method: 'PATCH', path, headers: { 'content-type': 'application/json' }, body });
    };
    await Promise.all(sides.map(change));
  }
}

function idIn(path: string): string | undefined {
  return SCHEDULES_IN.exec(path)?.[1];
}

/** The schedules of a deployment, from its own answer or from the list of its schedules. */
function schedulesIn({ status, text }: Answer): ParsedObject[] {
  const body: Parsed = status === 200 ? readJson(text) : null;
  const schedules = isParsedObject(body) ? body.schedules : body;
  return Array.isArray(schedules) ? schedules.filter(isParsedObject) : [];
}
