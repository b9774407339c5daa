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
    tags,
    summary: 'A code for a device to show and one for it to poll with.',
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
    tags,
    summary: 'A personal key once a person has approved the device; an error of RFC 8628 until then.',
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
    tags,
    summary: 'The device that waits under a code.',
    access: 'session',
    query: Type.Object({ userCode: Type.String() }),
    responses: { 200: WaitingDevice },
    handler: async ({ context, query }) => ok(await readWaitingDevice(context, query.userCode)),
  }),
  platformRoute({
    method: 'POST',
    path: '/oauth/device',
    operationId: 'decideOnDevice',
    tags,
    summary: 'Approves or refuses the device that waits under a code.',
    access: 'session',
    body: DeviceDecision,
    responses: { 204: null },
    handler: async ({ context, body }) => {
      await decideOnDevice(context, body);
      return noContent;
    },
  }),
];
