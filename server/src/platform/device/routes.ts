import { platformRoute } from '../../http/platform-route.ts';
import { noContent, ok } from '../../http/route.ts';
import { Type } from '../../schema/kinds.ts';
import { beginDevice, decideOnDevice, pollForToken, readWaitingDevice } from './operations.ts';
import {
  DeviceAuthorization,
  DeviceAuthorizationRequest,
  DeviceDecision,
  DeviceToken,
  DeviceTokenRequest,
  OAuthError,
  WaitingDevice,
} from './schema.ts';

const tags = ['Device sign-in'];

export const deviceRoutes = [
  platformRoute({
    method: 'POST',
    path: '/oauth/device/authorization',
    operationId: 'beginDeviceSignIn',
    summary: 'Begin to sign a device in',
    description:
      'The device authorization grant of RFC 8628. Returns a code that the device shows, a code that it polls with, and their lifetime in seconds.',
    tags,
    access: 'public',
    form: true,
    body: DeviceAuthorizationRequest,
    responses: { 200: DeviceAuthorization },
    handler: async ({ context, body }) => ok(await beginDevice(context, body)),
  }),
  platformRoute({
    method: 'POST',
    path: '/oauth/device/token',
    operationId: 'pollDeviceToken',
    summary: 'Poll for the key of a device',
    description:
      'A personal key once a person has approved the device, and until then the errors of RFC 8628 with status 400: `authorization_pending`, `slow_down`, `access_denied` or `expired_token`.',
    tags,
    access: 'public',
    form: true,
    body: DeviceTokenRequest,
    responses: { 200: DeviceToken, 400: OAuthError },
    handler: async ({ context, body }) => {
      const poll = await pollForToken(context, body);
      if ('secret' in poll) return ok({ access_token: poll.secret, token_type: 'Bearer' });
      return { status: 400, body: { error: poll.error, error_description: poll.reason } };
    },
  }),
  platformRoute({
    method: 'GET',
    path: '/oauth/device',
    operationId: 'readWaitingDevice',
    summary: 'Read a waiting device',
    description: 'The name of the device that waits with a code. 404 for a code that is unknown or has expired.',
    tags,
    access: 'session',
    query: Type.Object({ userCode: Type.String() }),
    responses: { 200: WaitingDevice },
    handler: async ({ context, query }) => ok(await readWaitingDevice(context, query.userCode)),
  }),
  platformRoute({
    method: 'POST',
    path: '/oauth/device',
    operationId: 'decideOnDevice',
    summary: 'Approve or refuse a device',
    description:
      'An approved device gets a personal key of the person who is signed in. 404 for a code that is unknown or has expired.',
    tags,
    access: 'session',
    body: DeviceDecision,
    responses: { 204: null },
    handler: async ({ context, body }) => {
      await decideOnDevice(context, body);
      return noContent;
    },
  }),
];
