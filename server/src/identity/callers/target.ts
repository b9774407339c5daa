/** The workspace behind `/api`, or the one that a hosted address names. */
export type Target =
  | { readonly kind: 'default' }
  | { readonly kind: 'hosted'; readonly organizationId: string; readonly workspaceId: string };

export const defaultTarget: Target = { kind: 'default' };
