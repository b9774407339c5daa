/** Values that people give to the chart. */

const database = { sqlite: { enabled: false }, secret: { name: 'database' } };

/** All that the chart can be told, and what has to be in the resources then. */
export const everything = {
  values: {
    nameOverride: 'flows',
    commonLabels: { team: 'data' },
    commonAnnotations: { owner: 'data@example.org' },
    server: {
      image: { repository: 'registry.example.org/signalbox', tag: '1.2.3', pullSecrets: ['registry'] },
      replicaCount: 3,
      processes: 4,
      metricsPort: 9464,
      trustedProxies: '10.0.0.0/8',
      priorityClassName: 'high',
      env: [{ name: 'SIGNALBOX_EVENT_RETENTION_SECONDS', value: '1209600' }],
      extraEnvVarsCM: 'more-settings',
      extraEnvVarsSecret: 'more-secrets',
      extraArgs: ['--log-level', 'debug'],
      extraContainers: [{ name: 'beside', image: 'busybox' }],
      extraVolumes: [{ name: 'authority', configMap: { name: 'authority' } }],
      extraVolumeMounts: [{ name: 'authority', mountPath: '/authority' }],
      podAnnotations: { 'example.org/scrape': 'true' },
      podLabels: { tier: 'control' },
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'dedicated', operator: 'Exists' }],
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { tier: 'control' } } },
          ],
        },
      },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: { tier: 'control' } },
        },
      ],
      podDisruptionBudget: { enabled: true, minAvailable: 2 },
    },
    sqlite: { enabled: false },
    secret: { create: true, username: 'flows@team', password: 'p w+/?', host: 'database.example.org' },
    service: { type: 'NodePort', nodePort: 30420, annotations: { 'example.org/zone': 'inner' } },
    ingress: {
      enabled: true,
      className: 'nginx',
      annotations: { 'nginx.ingress.kubernetes.io/proxy-buffering': 'off' },
      host: { hostname: 'flows.example.org', path: '/signalbox' },
      tls: true,
      extraHosts: [{ name: 'runs.example.org' }],
      extraTls: [{ hosts: ['runs.example.org'], secretName: 'runs-tls' }],
    },
    serviceAccount: { annotations: { 'example.org/role': 'flows' } },
    networkPolicy: {
      enabled: true,
      from: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
      metricsFrom: [{ ipBlock: { cidr: '10.1.0.0/16' } }],
    },
  },
  shown: [
    'image: "registry.example.org/signalbox:1.2.3"',
    'postgresql://flows%40team:p%20w%2B%2F%3F@database.example.org:5432/signalbox',
    'value: "https://flows.example.org"',
    'value: "/signalbox"',
    'enableServiceLinks: false',
    'secretName: flows.example.org-tls',
    'name: SIGNALBOX_EVENT_RETENTION_SECONDS',
    'minAvailable: 2',
    'nodePort: 30420',
    'mountPath: /authority',
    'team: data',
    'value: "4201"',
    'fieldPath: status.podIP',
    'port: 4201',
    'endPort: 4265',
    'name: SIGNALBOX_PROCESSES',
    'value: "4"',
    'cidr: 10.1.0.0/16',
  ],
};

/** Each has to render, and Kubernetes has to take what comes out. */
export const renderings: Readonly<Record<string, object>> = {
  'nothing is given': {},
  'SQLite without a volume': { sqlite: { persistence: { enabled: false } } },
  'SQLite in a volume that exists': { sqlite: { persistence: { existingClaim: 'data' } } },
  'SQLite in a volume of a class': { sqlite: { persistence: { storageClassName: 'fast', size: '20Gi' } } },
  'PostgreSQL of an existing secret': { ...database, server: { replicaCount: 3 } },
  'an existing encryption key': { ...database, encryptionKey: { existingSecret: 'key' } },
  'basic authentication': { server: { apiAuth: 'basic', basicAuth: { authString: 'admin:secret' } } },
  'basic authentication of an existing secret': { server: { apiAuth: 'basic', basicAuth: { existingSecret: 'auth' } } },
  'open access': { server: { apiAuth: 'open' } },
  'an ingress without TLS': { ingress: { enabled: true } },
  'no probes': { server: { livenessProbe: { enabled: false }, readinessProbe: { enabled: false } } },
  'a network policy': { networkPolicy: { enabled: true } },
  'a network policy of several servers': { ...database, networkPolicy: { enabled: true } },
  'an existing service account': { serviceAccount: { create: false, name: 'flows' } },
  everything: everything.values,
};

/** Values that cannot work, and what Helm says of them. */
export const refusals: Readonly<Record<string, { values: object; says: string }>> = {
  'several servers on SQLite are refused': {
    values: { server: { replicaCount: 2 } },
    says: 'SQLite serves one server. Set sqlite.enabled: false',
  },
  'several processes on SQLite are refused': {
    values: { server: { processes: 2 } },
    says: 'A server on SQLite is one process. Set sqlite.enabled: false',
  },
  'PostgreSQL without an address is refused': {
    values: { sqlite: { enabled: false } },
    says: 'Name the secret that has the key connection-string in secret.name, or set secret.create.',
  },
  'a PostgreSQL secret without a password is refused': {
    values: { sqlite: { enabled: false }, secret: { create: true, username: 'a', host: 'b' } },
    says: 'Set secret.password.',
  },
  'basic authentication without a password is refused': {
    values: { server: { apiAuth: 'basic' } },
    says: 'With server.apiAuth: basic, set server.basicAuth.existingSecret or authString.',
  },
};
