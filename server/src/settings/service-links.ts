/**
 * Variables that Kubernetes gives to every pod beside a Service called `signalbox` or `signalbox-…`. They are not settings,
 * although they begin like ours. Source: https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
const NAMES =
  /^SIGNALBOX_([A-Z0-9_]+_)?(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?)$/;

/** `SIGNALBOX_PORT` and `SIGNALBOX_METRICS_PORT` are settings too; as service links their values are addresses. */
const ADDRESS = /^(tcp|udp|sctp):\/\//;

export function isServiceLink(name: string, value: string | undefined): boolean {
  return NAMES.test(name) || (/^SIGNALBOX_([A-Z0-9_]+_)?PORT$/.test(name) && ADDRESS.test(value ?? ''));
}
