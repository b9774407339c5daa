/**
 * Variables that Kubernetes gives to every pod beside a Service called `signalbox`. They are not settings, although they
 * begin like ours. Source: https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
const NAMES = /^SIGNALBOX_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?)$/;

/** `SIGNALBOX_PORT` is a setting too; as a service link its value is an address. */
const ADDRESS = /^(tcp|udp|sctp):\/\//;

export function isServiceLink(name: string, value: string | undefined): boolean {
  return NAMES.test(name) || (name === 'SIGNALBOX_PORT' && ADDRESS.test(value ?? ''));
}
