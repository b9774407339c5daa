/** Formats of texts, which are checked only on request. Every text fits an unknown format. */
import { isIPv4, isIPv6 } from 'node:net';
import { isUuid } from '../values/id.ts';
import { isPattern } from './patterns.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

function isDate(text: string): boolean {
  if (!DATE.test(text) || text.startsWith('0000')) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  time: (text) => TIME.test(text),
  'date-time': (text) => isDate(text.slice(0, 10)) && /^[Tt]$/.test(text.charAt(10)) && TIME.test(text.slice(11)),
  email: (text) => text.includes('@'),
  'idn-email': (text) => text.includes('@'),
  ipv4: isIPv4,
  ipv6: isIPv6,
  uuid: isUuid,
  regex: isPattern,
  'json-pointer': (text) => /^(\/([^~/]|~[01])*)*$/.test(text),
  'relative-json-pointer': (text) => /^(0|[1-9]\d*)(#|(\/([^~/]|~[01])*)*)$/.test(text),
};

export function fitsFormat(format: string, text: string): boolean {
  return Object.hasOwn(formats, format) ? (formats[format]?.(text) ?? true) : true;
}
