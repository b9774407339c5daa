/** Parts from which the shapes of the settings are built. */
import { Maybe, OneOf, Shape, type TSchema, Type, withDefault } from '../../schema/kinds.ts';

/** A group of settings; absent means all of their defaults. */
export function section<Fields extends Record<string, TSchema>>($id: string, fields: Fields) {
  return Type.Optional(Shape($id, fields, 'ignore'));
}

export const on = withDefault(Type.Boolean(), true);
export const off = withDefault(Type.Boolean(), false);

interface Range {
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
}

export const notNegative: Range = { minimum: 0 };
export const positive: Range = { exclusiveMinimum: 0 };

export function integer(value: number, range: Range = {}) {
  return withDefault(Type.Integer({ ...range }), value);
}

export function number(value: number, range: Range = {}) {
  return withDefault(Type.Number({ ...range }), value);
}

export function text(value: string) {
  return withDefault(Type.String(), value);
}

export const optionalText = Maybe(Type.String());

export const Path = Type.String({ format: 'path' });

/** A file or folder; its default depends on the machine. */
export const path = Type.Optional(Path);

/** A duration in ISO 8601 format: `PT1H`. */
export const Duration = Type.String({ format: 'duration' });

export function duration(value: string) {
  return withDefault(Duration, value);
}

/** Returned as `**********`, or null when it is not set. */
export const secret = Maybe(Type.String({ format: 'password', writeOnly: true }));

const logLevels = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const;

export function logLevel(value: (typeof logLevels)[number]) {
  return withDefault(OneOf(logLevels), value);
}
