/**
 * This gateway as an OAuth client of other authorization servers: the address to which they redirect people, and the
 * document that identifies the gateway to servers that support such documents, without a registration. The document's
 * address is the client id, so it must be https and stay the same. Source: the draft of OAuth client id metadata
 * documents.
 */

/** Below the address of this server. */
export const CALLBACK_PATH = '/connect/callback';
export const CLIENT_DOCUMENT_PATH = '/connect/client.json';

/** `origin` is the address of this server, with the path that a proxy adds. Undefined where it may change or is not https. */
export function clientDocumentUrl({ publicUrl }: { readonly publicUrl: string }, origin: string): string | undefined {
  return publicUrl.startsWith('https:') && origin.startsWith('https:') ? origin + CLIENT_DOCUMENT_PATH : undefined;
}

/** The gateway's metadata as a client, for its document and its registrations. */
export function describedClient(redirectUri: string) {
  return {
    client_name: 'Signalbox',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'web',
  };
}
