import { DateTime, Nullable, Shape, type Static, Type } from '../../../schema/kinds.ts';

/** Source: RFC 8628. */
export const DeviceAuthorizationRequest = Shape(
  'DeviceAuthorizationRequest',
  {
    client_id: Type.String({ minLength: 1, maxLength: 200 }),
    device_name: Type.Optional(Type.String({ maxLength: 200 })),
    platform: Type.Optional(Type.String({ maxLength: 100 })),
    architecture: Type.Optional(Type.String({ maxLength: 100 })),
    client_version: Type.Optional(Type.String({ maxLength: 100 })),
  },
  'ignore',
);
export type DeviceAuthorizationRequest = Static<typeof DeviceAuthorizationRequest>;

export const DeviceAuthorization = Shape(
  'DeviceAuthorization',
  {
    device_code: Type.String(),
    user_code: Type.String(),
    verification_uri: Type.String(),
    verification_uri_complete: Type.String(),
    expires_in: Type.Integer(),
    interval: Type.Integer(),
  },
  'ignore',
);

export const DeviceTokenRequest = Shape(
  'DeviceTokenRequest',
  {
    grant_type: Type.String(),
    client_id: Type.String({ maxLength: 200 }),
    device_code: Type.String({ maxLength: 200 }),
  },
  'ignore',
);
export type DeviceTokenRequest = Static<typeof DeviceTokenRequest>;

export const DeviceToken = Shape('DeviceToken', { access_token: Type.String(), token_type: Type.String() }, 'ignore');
export const OAuthError = Shape('OAuthError', { error: Type.String(), error_description: Type.String() }, 'ignore');

/** The facts about the device that a person sees before approving it. */
export const WaitingDevice = Shape(
  'WaitingDevice',
  {
    userCode: Type.String(),
    deviceName: Nullable(Type.String()),
    /** The device's own description, which is not verified. */
    client: Nullable(Type.String()),
    platform: Nullable(Type.String()),
    /** The address that the request came from. */
    address: Nullable(Type.String()),
    askedAt: DateTime(),
  },
  'ignore',
);
export type WaitingDevice = Static<typeof WaitingDevice>;

export const DeviceDecision = Shape('DeviceDecision', {
  userCode: Type.String({ maxLength: 20 }),
  approve: Type.Boolean(),
});
export type DeviceDecision = Static<typeof DeviceDecision>;
