/**
 * The kinds of failure of a request, as the record keeps them. Each has a sentence for a record without a more exact one,
 * and its cure. No sentence contains text of a request or of an answer.
 */
import type { UpstreamFault } from '../../upstream/upstream.ts';

interface Failure {
  readonly reason: string;
  readonly cure: string;
}

const CHECK_TARGET = "Check that the target runs, and that the server's address is right.";

const ofUpstream: Readonly<Record<UpstreamFault, Failure>> = {
  connection: { reason: 'The target cannot be reached.', cure: CHECK_TARGET },
  timeout: {
    reason: 'The target did not answer in time.',
    cure: 'Find out why the target is slow, or let the tool return at once and report its progress.',
  },
  refused: {
    reason: 'This installation does not allow connections to the target.',
    cure: 'Ask the operator to allow the network of the target.',
  },
  answer: {
    reason: 'The target did not answer as an MCP server.',
    cure: 'Check that the address is that of an MCP server, and read its log.',
  },
  unavailable: {
    reason: 'The server is not ready.',
    cure: "Try again in a moment. If it stays away, see the server's status and output.",
  },
  absent: { reason: 'The server has no live deployment.', cure: 'Deploy the server.' },
  credential: {
    reason: 'The caller has not connected an account at the target.',
    cure: 'The caller connects the account under Connections.',
  },
};

const failures = {
  ...ofUpstream,
  target_credential: {
    reason: 'The target rejects the credential that is stored for it.',
    cure: 'Store a valid credential in the settings of the server.',
  },
  too_large: {
    reason: 'The answer is larger than the limit of the server.',
    cure: 'Let the tool return less, or raise the limit of the server.',
  },
  unusable: {
    reason: 'The gateway could not forward the answer of the target.',
    cure: 'The target must answer the request with a message of the protocol.',
  },
  tool_error: {
    reason: 'The tool returned an error.',
    cure: 'Read the error in the client, or in the log of the target. The gateway does not store answers.',
  },
  error_answer: {
    reason: 'The target answered with an error.',
    cure: 'Read the error in the client, or in the log of the target. The gateway does not store answers.',
  },
  page_required: {
    reason: 'The target requires the caller to open a page first.',
    cure: 'The caller opens the page that the client shows, and calls again.',
  },
  client_left: {
    reason: 'The client left before the answer was complete.',
    cure: "Raise the client's time limit, or make the tool quicker.",
  },
  access_ended: {
    reason: "The caller's access ended during the answer.",
    cure: 'Give the caller access again, if it should have it.',
  },
  denied: { reason: 'The caller may not do this.', cure: 'Change the policy of the server or the role of the caller.' },
  invalid: { reason: 'The gateway could not read the request.', cure: 'Correct the request of the client.' },
  quota: { reason: 'The caller has used up a quota of the server.', cure: 'Wait, or raise the quota of the server.' },
  internal: {
    reason: 'Something went wrong in this installation.',
    cure: 'The log of the installation has the error, with the id of the request.',
  },
} satisfies Readonly<Record<string, Failure>>;
export type FailureKind = keyof typeof failures;

const known: Readonly<Record<string, Failure>> = failures;

const ofCallers: ReadonlySet<string> = new Set<FailureKind>([
  'credential',
  'page_required',
  'access_ended',
  'denied',
  'invalid',
  'quota',
]);

/** True for a failure that the caller can end, and that says nothing about the server. */
export function isOfCaller(kind: string): boolean {
  return ofCallers.has(kind);
}

/** The reason and the cure of a recorded failure, of which a newer version may have written the kind. */
export function failureOf(kind: string, text: string | null): Failure {
  const { reason, cure } = known[kind] ?? failures.internal;
  return { reason: text ?? reason, cure };
}
