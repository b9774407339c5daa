/** Every code of an error of the platform API, `{"error": {"code", …}}`, with its status and its meaning. */
interface ErrorCodeFacts {
  readonly status: number;
  /** A sentence for `docs/errors.md`. An answer has its own, with the names of the case. */
  readonly meaning: string;
}

/** Answered with 409 by the routes that name the code in `conflicts`. */
const conflictMeanings = {
  account_exists: 'An account has the address of the invitation. Sign in, then accept it.',
  already_live: 'The build is already live.',
  already_member: 'The person is already a member of the organization.',
  already_stored: 'The bytes of the upload have already arrived.',
  api_key_expired: 'The key has expired, so it cannot be rolled.',
  api_key_limit_reached: 'The service account has two active keys. `details.activeKeys` lists them.',
  api_key_rolled: 'The key was already rolled. `details.replacedBy` is the id of the key that replaces it.',
  build_ended: 'The build has ended, so it cannot be canceled.',
  build_not_succeeded: 'Only a build that has succeeded can be deployed.',
  builtin_server: 'The built-in server of a workspace is deleted with its workspace.',
  capability_conflict: 'Two chosen capabilities of a remix would have one name. `details.conflicts` lists them.',
  conflict: 'The state of the object does not allow the request.',
  default_organization: 'The organization owns the workspace behind `/api`, so it cannot be deleted.',
  default_workspace: 'The workspace is the one behind `/api`, so it cannot be deleted.',
  does_not_start: 'The program of the build did not start in its trial.',
  handle_taken: 'The organization has a workspace with this handle.',
  has_access: 'The caller already has a role on the server.',
  last_admin: 'The organization would have no administrator left.',
  manifest_changed: 'The capabilities of the server were read again after the version that the request approves.',
  name_taken: 'The organization has a service account with this name.',
  no_password: 'The account has no password: its owner signs in through an identity provider.',
  not_a_remix: 'Only a remix has this.',
  not_hosted: 'Only a hosted server has this.',
  not_linked: 'The person has not signed in through an identity provider.',
  remix_changed: 'Another request changed the remix after it was read.',
  request_closed: 'The request for access was already decided or withdrawn.',
  request_open: 'The caller has an open request for access to the server.',
  slug_taken: 'The slug is in use.',
  too_many_open_requests: 'The caller has reached the limit of open requests for access.',
  too_many_variables: 'The server has reached the limit of variables.',
} as const;

/** Answered with 422 by `POST …/server-imports`, with the place in the file in `details`. */
const importMeanings = {
  argument_missing: 'A required argument of the file has no value.',
  argument_unknown: 'The file has no argument of this name.',
  environment_missing: 'A required environment variable of the file has no value.',
  environment_unknown: 'The file has no environment variable of this name.',
  header_missing: 'A required header of the file has no value.',
  header_unknown: 'The file has no header of this name.',
  headers_not_supported: 'The file sets a header that only the gateway may set.',
  no_remote: 'The file names neither an address nor a package.',
  packages_not_supported: 'This server cannot build the package, or cannot start it in the way that the file asks for.',
  schema_not_supported: 'The schema of the file is not supported.',
  secret_in_address: 'The address of the server would contain a secret.',
  server_not_chosen: 'The file contains several servers, and the request names none.',
  server_unknown: 'The file has no server of this name.',
  transport_not_supported: 'The gateway does not support the transport.',
  value_not_allowed: 'The file does not allow this value.',
  variable_missing: 'A variable within a value has no value.',
} as const;

/** Codes of errors that only the API of a workspace, which shows none, and pages answer. */
type UnshownCode = 'object_not_found' | 'gone' | 'locked';

/** Answered by any route, by the kind of the error. */
const otherCodes = {
  bad_request: { status: 400, meaning: 'The request is not valid.' },
  unauthorized: { status: 401, meaning: 'The request has no valid credential.' },
  forbidden: { status: 403, meaning: 'The caller lacks the role or the permission.' },
  not_found: { status: 404, meaning: 'The object does not exist, or the caller may not see it.' },
  method_not_allowed: { status: 405, meaning: 'The address does not support the method.' },
  request_timeout: { status: 408, meaning: 'The body arrived too slowly.' },
  integrity_conflict: { status: 409, meaning: 'The change violates a unique key or a reference of the database.' },
  payload_too_large: { status: 413, meaning: 'The body is too large.' },
  unprocessable: { status: 422, meaning: 'The content violates a rule.' },
  validation_failed: {
    status: 422,
    meaning: 'Fields do not match the schema. `details` lists each field with a sentence.',
  },
  too_many_requests: {
    status: 429,
    meaning: 'The caller sends too many requests. `Retry-After` says when to try again.',
  },
  internal_error: { status: 500, meaning: 'The server failed. Search its log for the request id.' },
  unavailable: { status: 503, meaning: 'The server cannot answer now. `Retry-After` says when to try again.' },
} as const satisfies Record<string, ErrorCodeFacts>;

export type ConflictCode = keyof typeof conflictMeanings;
export type ImportCode = keyof typeof importMeanings;
type ShownCode = ConflictCode | ImportCode | keyof typeof otherCodes;
export type ErrorCode = ShownCode | UnshownCode;

function withStatus<Code extends string>(status: number, meanings: Readonly<Record<Code, string>>) {
  const facts = Object.entries<string>(meanings).map(([code, meaning]) => [code, { status, meaning }]);
  return Object.fromEntries(facts) as Readonly<Record<Code, ErrorCodeFacts>>;
}

export const errorCodes: Readonly<Record<ShownCode, ErrorCodeFacts>> = {
  ...otherCodes,
  ...withStatus(409, conflictMeanings),
  ...withStatus(422, importMeanings),
};
