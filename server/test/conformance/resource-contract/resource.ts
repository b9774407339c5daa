/** What both APIs promise of every resource: the form of the tables beside this file. */
import type { OwnNames } from '../../support/worlds.ts';

export interface Resource {
  /** `flow run` */
  readonly name: string;
  /**
   * Paths that end with the segment that names one object, such as `/flows/{id}`: each route that is one of them, or
   * begins with one, asks for the object. The first is where the object is read, changed and deleted.
   */
  readonly addresses: readonly string[];
  /** The answer of its routes for an object that does not exist. */
  readonly missing: Refusal;
  /** The routes with another answer than `missing`, by method and path. */
  readonly otherwise?: Readonly<Record<string, Refusal>>;
  /** What a route needs besides the smallest body of its schema, by method and path. */
  readonly asked?: Readonly<Record<string, { readonly query?: string; readonly body?: object }>>;
  /** An administrator of the organization behind `/api`, where an administrator of another one is not enough. */
  readonly caller?: 'operator';
  readonly changes?: Changes;
  /** Why an object that can be deleted has no `changes`. */
  readonly madeElsewhere?: string;
}

/** `{absent}` in a text of the body is the requested id or name, and `{name}` the parameter of that name. */
export interface Refusal {
  readonly status: number;
  readonly body: unknown;
}

export interface Changes {
  /** Method and path. */
  readonly create: string;
  readonly body: (name: string, own: OwnNames) => object;
  /** The part of the answer that is the object, where it is not the whole. */
  readonly madeAs?: string;
  /** A list that shows the object, where it has no read of its own. */
  readonly seenIn?: string;
  /** Fields that are read back after the change. */
  readonly updates?: readonly (readonly [method: 'PATCH' | 'PUT', body: object])[];
  /** 204 when absent. */
  readonly deletedWith?: number;
  /** Where a name is given once: the answers to a second object of that name, and to a change of another's name to it. */
  readonly unique?: { readonly field?: string; readonly taken: Refusal; readonly renamed?: Refusal };
  /**
   * What the changes record: events of a workspace, then entries of the audit. `prefect.variable` stands for
   * `prefect.variable.created`, `…updated` and `…deleted`, and `workspace` for `workspace.create`, `…update` and `…delete`.
   */
  readonly recorded: string | Recorded;
}

/** Each is about the object; `name of kind` where it is about something else. */
export interface Recorded {
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly deleted: readonly string[];
}

export const resource = (
  name: string,
  addresses: readonly string[],
  missing: Refusal,
  more: Omit<Partial<Resource>, 'name' | 'addresses' | 'missing'> = {},
): Resource => ({ name, addresses, missing, ...more });

/** No event, and no entry in the audit. */
export const nothing: Recorded = { created: [], updated: [], deleted: [] };

export const detail = (text: string, status = 404): Refusal => ({ status, body: { detail: text } });
/** The reference's body where code below its handler finds the object missing. */
export const exceptionMessage = (text: string): Refusal => ({ status: 404, body: { exception_message: text } });
export const platformError = (status: number, code: string, message: string): Refusal => ({
  status,
  body: { error: { code, message } },
});
export const notFound = (message: string): Refusal => platformError(404, 'not_found', message);
