/** Headers between two neighbours, which nobody forwards. Source: RFC 9110, section 7.6.1. */
export const HOP_BY_HOP: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
