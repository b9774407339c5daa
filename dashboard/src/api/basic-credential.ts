/**
 * The user and password of a server with SIGNALBOX_API_AUTH=basic. They stay in the memory of this tab: a credential
 * that the browser sent automatically would open the API to other sites' pages.
 */
import { serverFacts } from './server-facts.ts';
import { workspace } from './workspace.ts';

/** Hosted addresses use a session instead. */
export const asksForBasic = serverFacts.apiAuth === 'basic' && workspace === undefined;

let header: string | undefined;

/** Value of the header `Authorization`; undefined until a person has typed it. */
export function basicAuthorization(): string | undefined {
  return header;
}

export function setBasicCredential(user: string, password: string): void {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  header = `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

export function forgetBasicCredential(): void {
  header = undefined;
}
