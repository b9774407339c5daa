/**
 * The server's answers to unknown names. The gateway probes them when it reads the manifest, so that its answer to a
 * name that the actor may not use is exactly like the answer to a name that does not exist.
 */
import { randomBytes } from 'node:crypto';
import { isObject } from '../protocol/message.ts';
import type { CapabilityKind } from '../protocol/methods.ts';
import { ask } from '../upstream/ask.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** An answer without its id, with `name` in the place of the name. */
interface UnknownAnswer {
  readonly status: number;
  /** JSON text of `{"error": …}` or `{"result": …}`. */
  readonly text: string;
  readonly name: string;
}

export type UnknownAnswers = Readonly<Partial<Record<CapabilityKind, UnknownAnswer>>>;

export type Question = (
  method: string,
  params: Readonly<Record<string, unknown>>,
) => { headers: Readonly<Record<string, string>>; message: Readonly<Record<string, unknown>> };

const TIMEOUT_SECONDS = 10;

const probes: Readonly<Record<CapabilityKind, { offer: string; method: string; params(name: string): object }>> = {
  tool: { offer: 'tools', method: 'tools/call', params: (name) => ({ name, arguments: {} }) },
  prompt: { offer: 'prompts', method: 'prompts/get', params: (name) => ({ name, arguments: {} }) },
  resource: { offer: 'resources', method: 'resources/read', params: (uri) => ({ uri }) },
};

/** Omits kinds that the server does not offer, and kinds whose answer is not a refusal. */
export async function readUnknownAnswers(
  upstream: Upstream,
  capabilities: Readonly<Record<string, unknown>>,
  question: Question,
): Promise<UnknownAnswers> {
  const answers: Partial<Record<CapabilityKind, UnknownAnswer>> = {};
  for (const kind of Object.keys(probes) as CapabilityKind[]) {
    const { offer, method, params } = probes[kind];
    if (capabilities[offer] === undefined) continue;
    const name = `${kind === 'resource' ? 'signalbox-probe:' : 'signalbox_probe_'}${randomBytes(8).toString('hex')}`;
    const { headers, message } = question(method, params(name) as Record<string, unknown>);
    const answer = await ask(upstream, 'POST', headers, message, TIMEOUT_SECONDS).catch(() => undefined);
    const { error, result } = answer?.message ?? {};
    if (error !== undefined) answers[kind] = { status: answer!.status, text: JSON.stringify({ error }), name };
    else if (isObject(result) && result['isError'] === true) {
      answers[kind] = { status: answer!.status, text: JSON.stringify({ result }), name };
    }
  }
  return answers;
}

/** The answer for another name. */
export function unknownAnswerFor({ text, name }: UnknownAnswer, wanted: string): Record<string, unknown> {
  return JSON.parse(text.replaceAll(name, () => JSON.stringify(wanted).slice(1, -1))) as Record<string, unknown>;
}
