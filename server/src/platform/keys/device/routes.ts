import { platformRoutes } from '../../../http/routes/platform-routes.ts';
import { ok } from '../../../http/routes/route.ts';
import { Type } from '../../../schema/kinds.ts';
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

const { get, post } = platformRoutes('Device sign-in', 'public');

export const deviceRoutes = [
  post('/oauth/device/authorization', 'beginDeviceSignIn', {
    summary: 'Begin the sign-in of a device',
    description:
      'Begins the device authorization grant of RFC 8628. Returns a code that the device shows, a code with which it polls, and their lifetime in seconds.',
    form: true,
    body: DeviceAuthorizationRequest,
    answers: DeviceAuthorization,
    handler: ({ context, body }) => beginDevice(context, body),
  }),
  post('/oauth/device/token', 'pollDeviceToken', {
    summary: 'Poll for the key of a device',
    description:
      'Returns a personal key after a person has approved the device. Until then it returns the errors of RFC 8628 with status 400: `authorization_pending`, `slow_down`, `access_denied` or `expired_token`.',
    form: true,
    body: DeviceTokenRequest,
    responses: { 200: DeviceToken, 400: OAuthError },
    handler: async ({ context, body }) => {
      const poll = await pollForToken(context, body);
      if ('secret' in poll) return ok({ access_token: poll.secret, token_type: 'Bearer' });
      return { status: 400, body: { error: poll.error, error_description: poll.reason } };
    },
  }),
  get('/oauth/device', 'readWaitingDevice', {
    summary: 'Read a waiting device',
    description:
      'The name of the device that waits for the approval of a code. 404 for a code that is unknown or has expired.',
    access: 'session',
    query: Type.Object({ userCode: Type.String() }),
    answers: WaitingDevice,
    handler: ({ context, query }) => readWaitingDevice(context, query.userCode),
  }),
  post('/oauth/device', 'decideOnDevice', {
    summary: 'Approve or refuse a device',
    description:
      'An approved device gets a personal key of the person who is signed in. 404 for a code that is unknown or has expired.',
    access: 'session',
    body: DeviceDecision,
    handler: ({ context, body }) => decideOnDevice(context, body),
  }),
];
