import type { Config } from '../../config.ts';
import type { Server } from '../../context/context.ts';

export interface ProviderLink {
  /** The text of the button after "Sign in with". */
  readonly label: string;
  readonly address: string;
}

/** The link through the identity provider and on to `next`; undefined if there is no provider. */
export function providerLink({ oidc }: Config, next: string | undefined): ProviderLink | undefined {
  const query = next === undefined ? '' : `?${new URLSearchParams({ next })}`;
  return oidc && { label: oidc.label, address: `/sign-in/oidc${query}` };
}

/** The ways to sign in other than by password, for the sign-in page. */
export function waysOf({ config, mail }: Pick<Server, 'config' | 'mail'>, next: string | undefined) {
  return { provider: providerLink(config, next), sendsMail: mail.isOn };
}
