/** The token that changes made in a session carry, known once the session has been read. */
let token: string | undefined;

export function csrfToken(): string | undefined {
  return token;
}

export function setCsrfToken(value: string | undefined): void {
  token = value;
}
