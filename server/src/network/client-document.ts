/**
 * This gateway as a client of other authorization servers: where they send people back, and the document by which those
 * that support it know the gateway without a registration. Its address is the client's id, so it must be https and stay
 * the same.
 * Source: the draft of OAuth client id metadata documents.
 */

/** Below the address of this server. */
export const CALLBACK_PATH = '/connect/callback';
export const CLIENT_DOCUMENT_PATH = '/connect/client.json';

/** `origin` is the address of this server, with the path that a proxy adds. Undefined where it may change or is not https. */
export function clientDocumentUrl({ publicUrl }: { readonly publicUrl: string }, origin: string): string | undefined {
  return publicUrl.startsWith('https:') && origin.startsWith('https:') ? origin + CLIENT_DOCUMENT_PATH : undefined;
}

/** What the gateway says of itself as a client, in its document and when it registers. */
export function describedClient(redirectUri: string) {
  return {
    client_name: 'Signalbox',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'web',
  };
}
