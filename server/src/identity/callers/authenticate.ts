/**
 * Lets a request of surface A into a workspace, or refuses it. `/api` has an access mode: `open` (no credential),
 * `basic` (Prefect's one `user:password`) or `key` (a key: as Bearer, or in place of the password, which is all that
 * clients of a self-hosted server send on websockets). A hosted address always requires a key, as Bearer. Wherever a
 * credential is required, the browser session of a person opens what their key would.
 */
import type { Config } from '../../config.ts';
import type { Store } from '../../database/store.ts';
import { ExpiredCredential, Forbidden, KeyTooOld, NotFound, Unauthorized } from '../../errors.ts';
import type { Clock, Timestamp } from '../../values/time.ts';
import { type AccessFacts, type Actor, decide, type Role } from '../access/access.ts';
import type { OpenThings } from '../access/open-things.ts';
import { type Permission, roleFor } from '../access/permissions.ts';
import { type KnownSession, readSessionAccess } from '../access/session-access.ts';
import type { WorkspaceAccessReader } from '../access/workspace-access.ts';
import { KEY_EXPIRED } from '../keys/key-end.ts';
import type { KeyUsage } from '../keys/key-usage.ts';
import type { BasicCredential } from './basic-credential.ts';
import { lacksPermission, notActive, unauthorizedSentence } from './refusal-sentences.ts';
import type { Target } from './target.ts';

export interface Admission {
  readonly workspace: number;
  /** The caller; undefined where the access mode does not identify one. */
  readonly actor: Actor | undefined;
  /** The actor's role in the workspace; undefined where the access mode has no roles. */
  readonly role: Role | undefined;
}

/** The part of `Server` that admission reads. */
interface Gate {
  readonly config: Config;
  readonly store: Store;
  readonly workspaceAccess: WorkspaceAccessReader;
  readonly defaultWorkspace: number;
  readonly keyUsage: KeyUsage;
  readonly basicCredential: BasicCredential;
  readonly clock: Clock;
  readonly openThings: OpenThings;
}

/**
 * Throws Unauthorized, Forbidden, NotFound or, after too many guesses, TooManyRequests. `credential` is the value of
 * the `Authorization` header, `address` that of the client. Without a permission (no route serves the address), only
 * the credential is checked.
 */
export async function admit(
  gate: Gate,
  target: Target,
  permission: Permission | undefined,
  credential: string | undefined,
  address: string,
): Promise<Admission> {
  if (permission === 'public' && target.kind === 'default') return anyone(gate);
  if (!asksForKey(gate.config, target)) {
    if (gate.config.apiAuth === 'basic') await checkBasic(gate, target, credential, address);
    return anyone(gate);
  }
  return admitKey(gate, target, permission, keyOf(target, credential));
}

/** Like `admit`, for the token in the first frame of a websocket: the whole `user:password`, or a key. */
export async function admitSocketToken(
  gate: Gate,
  target: Target,
  permission: Permission,
  token: string,
  address: string,
): Promise<Admission> {
  if (asksForKey(gate.config, target)) return admitKey(gate, target, permission, keyInToken(target, token));
  const { apiAuth, apiAuthString } = gate.config;
  if (apiAuth === 'basic' && !(await gate.basicCredential.check(token, apiAuthString, address))) {
    throw new Unauthorized(unauthorizedSentence(gate.config, target));
  }
  return anyone(gate);
}

export function needsCredential(config: Config, target: Target): boolean {
  return target.kind === 'hosted' || config.apiAuth !== 'open';
}

export function asksForKey(config: Config, target: Target): boolean {
  return target.kind === 'hosted' || config.apiAuth === 'key';
}

/** The text after `Bearer`, in any case of the scheme; undefined for any other header. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

/** The key that the header `Authorization` holds for this address; undefined when it holds none. */
export function keyOf(target: Target, authorization: string | undefined): string | undefined {
  return bearerOf(authorization) ?? (target.kind === 'default' ? keyInBasic(authorization) : undefined);
}

/**
 * Clients send PREFECT_API_AUTH_STRING whole. It is a user and password of the Basic scheme only when it contains a
 * colon.
 */
function keyInBasic(authorization: string | undefined): string | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '')?.[1];
  return encoded === undefined ? undefined : keyInAuthString(Buffer.from(encoded, 'base64').toString());
}

function keyInToken(target: Target, token: string): string {
  return target.kind === 'default' ? keyInAuthString(token) : token;
}

/** The auth string is the key itself, or any user name, a colon and the key. */
function keyInAuthString(text: string): string {
  return text.slice(text.indexOf(':') + 1);
}

async function admitKey(
  gate: Gate,
  target: Target,
  permission: Permission | undefined,
  presented: string | undefined,
): Promise<Admission> {
  const address = target.kind === 'hosted' ? target : { key: gate.defaultWorkspace };
  const access = await gate.workspaceAccess.read(presented, address, gate.clock.now());
  const { facts, actor, apiKeyId, workspace } = access;
  gate.openThings.noteEnd(access.endsAt);
  if (apiKeyId !== undefined) gate.keyUsage.note(apiKeyId);
  if (facts.credential === 'invalid') throw new Unauthorized(unauthorizedSentence(gate.config, target));
  return admissionOf(facts, permission, workspace, actor);
}

/** Like `admit`, for the browser session of a person, which may do what the person's key may. */
export async function admitSession(
  gate: Gate,
  target: Target,
  permission: Permission | undefined,
  cookie: string,
  now: Timestamp,
): Promise<Admission & { readonly session: KnownSession }> {
  const address = target.kind === 'hosted' ? target : { key: gate.defaultWorkspace };
  const { facts, actor, session, workspace } = await readSessionAccess(gate.store, cookie, address, now);
  if (!session) throw new Unauthorized('Unauthorized. The session has ended. Sign in again.');
  gate.openThings.noteEnd(session.expiresAt);
  return { ...admissionOf(facts, permission, workspace, actor), session };
}

/** Decides for a valid credential. Without a permission, any role is enough. */
function admissionOf(
  facts: AccessFacts,
  needed: Permission | undefined,
  workspace: number | undefined,
  actor: Actor | undefined,
): Admission {
  const decision = decide(facts, needed === undefined ? 'viewer' : roleFor(needed));
  if (decision.allowed && workspace !== undefined) return { workspace, actor, role: decision.role };
  if (decision.allowed || decision.status === 404) throw new NotFound('Not Found');
  if (decision.status === 401) throw new ExpiredCredential(KEY_EXPIRED);
  const isActive = actor === undefined || facts.actorState === 'active';
  const lacks = isActive ? lacksPermission(needed, decision.role) : notActive(actor.type, facts.actorState);
  throw decision.says === undefined ? new Forbidden(lacks) : new KeyTooOld(decision.says);
}

function anyone(gate: Gate): Admission {
  return { workspace: gate.defaultWorkspace, actor: undefined, role: undefined };
}

async function checkBasic(
  { config, basicCredential }: Gate,
  target: Target,
  credential: string | undefined,
  address: string,
): Promise<void> {
  const wanted = `Basic ${Buffer.from(config.apiAuthString).toString('base64')}`;
  // A request without a credential of this scheme is not a guess.
  const isGuess = credential !== undefined && /^basic +\S/i.test(credential);
  if (isGuess && (await basicCredential.check(credential, wanted, address))) return;
  throw new Unauthorized(unauthorizedSentence(config, target));
}
