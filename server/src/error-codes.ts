/** Every code of an error of the platform API, `{"error": {"code", …}}`, with its status and its meaning. */
interface ErrorCodeFacts {
  readonly status: number;
  /** A sentence for `docs/errors.md`. An answer has its own, with the names of the case. */
  readonly meaning: string;
}

/** Answered with 409 by the routes that name the code in `conflicts`. */
const conflictMeanings = {
  account_exists: 'An account has the address of the invitation. Sign in, then accept it.',
  already_live: 'The build is live already.',
  already_member: 'The person is a member of the organization already.',
  already_stored: 'The bytes of the upload have arrived already.',
  api_key_expired: 'The key has expired, so it cannot be rolled.',
  api_key_limit_reached: 'The service account has two active keys. `details.activeKeys` lists them.',
  api_key_rolled: 'The key was rolled already. `details.replacedBy` is the id of the key in its place.',
  build_ended: 'The build has ended, so it cannot be canceled.',
  build_not_succeeded: 'Only a build that has succeeded can be deployed.',
  builtin_server: 'The built-in server of a workspace is deleted with its workspace.',
  capability_conflict: 'Two chosen capabilities of a remix would have one name. `details.conflicts` lists them.',
  conflict: 'The request does not fit the state of the object.',
  default_organization: 'The organization owns the workspace behind `/api`, so it cannot be deleted.',
  default_workspace: 'The workspace is the one behind `/api`, so it cannot be deleted.',
  does_not_start: 'The program of the build did not start in its trial.',
  handle_taken: 'The organization has a workspace with this handle.',
  has_access: 'The caller has a role on the server already.',
  last_admin: 'The organization would have no administrator left.',
  manifest_changed: 'The server offers other capabilities than the request approves.',
  name_taken: 'The organization has a service account with this name.',
  no_password: 'The account has no password: its owner signs in through an identity provider.',
  not_a_remix: 'Only a remix has this.',
  not_hosted: 'Only a hosted server has this.',
  not_linked: 'The person has not signed in through an identity provider.',
  remix_changed: 'Another request has changed the remix since it was read.',
  request_closed: 'The request for access was decided or withdrawn already.',
  request_open: 'The caller has an open request for access to the server.',
  slug_taken: 'The slug is in use.',
  too_many_open_requests: 'The caller has as many open requests for access as one person may have.',
  too_many_variables: 'The server has as many variables as one may have.',
} as const;

/** Answered with 422 by the import of server files, with the place in the file in `details`. */
const importMeanings = {
  argument_missing: 'An argument that the file requires has no value.',
  argument_unknown: 'The file has no argument of this name.',
  environment_missing: 'A variable of the environment that the file requires has no value.',
  environment_unknown: 'The file has no variable of the environment of this name.',
  header_missing: 'A header that the file requires has no value.',
  header_unknown: 'The file has no header of this name.',
  headers_not_supported: 'The file sets a header that the gateway writes itself.',
  no_remote: 'The file names neither an address nor a package.',
  packages_not_supported: 'The package, or the way in which it is started, cannot be built here.',
  schema_not_supported: 'The file has another schema than the supported ones.',
  secret_in_address: 'A secret would stand in the address of the server.',
  server_not_chosen: 'The file holds several servers, and the request names none.',
  server_unknown: 'The file has no server of this name.',
  transport_not_supported: 'The gateway does not speak the transport.',
  value_not_allowed: 'The value is not one of those that the file allows.',
  variable_missing: 'A variable within a value has no value.',
} as const;

/** Answered by any route, by the kind of the error. */
const otherCodes = {
  bad_request: { status: 400, meaning: 'The request cannot be carried out as asked.' },
  unauthorized: { status: 401, meaning: 'The request has no valid credential.' },
  forbidden: { status: 403, meaning: 'The caller lacks the role or the permission.' },
  not_found: { status: 404, meaning: 'The object does not exist, or the caller may not know of it.' },
  object_not_found: { status: 404, meaning: 'An object that the request names does not exist.' },
  method_not_allowed: { status: 405, meaning: 'The address has no such method.' },
  request_timeout: { status: 408, meaning: 'The body arrived too slowly.' },
  integrity_conflict: { status: 409, meaning: 'A unique key or a reference of the database is violated.' },
  gone: { status: 410, meaning: 'The object existed and is deleted.' },
  payload_too_large: { status: 413, meaning: 'The body is too large.' },
  unprocessable: { status: 422, meaning: 'A rule refuses the content.' },
  validation_failed: {
    status: 422,
    meaning: 'Fields do not match the schema. `details` lists each field with a sentence.',
  },
  locked: { status: 423, meaning: 'All slots are taken.' },
  too_many_requests: { status: 429, meaning: 'The caller asks too often. `Retry-After` says when to try again.' },
  internal_error: { status: 500, meaning: 'The server failed. The request id finds the line in its log.' },
  unavailable: { status: 503, meaning: 'The server cannot do it now. `Retry-After` says when to try again.' },
} as const satisfies Record<string, ErrorCodeFacts>;

export type ConflictCode = keyof typeof conflictMeanings;
export type ErrorCode = ConflictCode | keyof typeof importMeanings | keyof typeof otherCodes;

function withStatus<Code extends string>(status: number, meanings: Readonly<Record<Code, string>>) {
  const facts = Object.entries<string>(meanings).map(([code, meaning]) => [code, { status, meaning }]);
  return Object.fromEntries(facts) as Readonly<Record<Code, ErrorCodeFacts>>;
}

export const errorCodes: Readonly<Record<ErrorCode, ErrorCodeFacts>> = {
  ...otherCodes,
  ...withStatus(409, conflictMeanings),
  ...withStatus(422, importMeanings),
};
