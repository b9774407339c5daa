/** The screens of the dashboard about MCP servers, each in one answer. */
import { whereQuery } from '../../../database/lists/where.ts';
import { valuesParts } from '../../../database/lists/where-schema.ts';
import {
  DateTime,
  described,
  Nullable,
  OneOf,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';
import { List, pageQuery } from '../../page.ts';
import { Build } from '../builds/schema.ts';
import { Deployment } from '../deployments/schema.ts';
import { Process } from '../processes/schema.ts';
import { requestFieldNames } from '../requests/fields.ts';
import { figures, filterShape, Histogram, ServerRequest, UsageItem } from '../requests/schema.ts';
import { ServerClient } from '../server/client-schema.ts';
import { Capabilities, Server } from '../server/schema.ts';

const Figures = Shape('RequestFigures', figures, 'ignore');

const forEditors = 'Null if the caller is not an editor of the server.';

const runs = {
  process: described(Nullable(Process), 'Null unless the server is hosted and the caller is an editor of it.'),
  live: described(Nullable(Deployment), 'The live deployment. Null if there is none.'),
};

const CatalogItem = Shape(
  'CatalogItem',
  {
    server: Server,
    figures: described(
      Nullable(Figures),
      `Calls of the last 24 hours, without requests of the protocol. ${forEditors}`,
    ),
    owners: described(Type.Array(Type.String()), 'Names of the actors with the granted role `admin`.'),
    ...runs,
  },
  'ignore',
);
export type CatalogItem = Static<typeof CatalogItem>;

export const CatalogView = List('CatalogView', CatalogItem);

export const ServerView = Shape(
  'ServerView',
  {
    server: Server,
    capabilities: described(Nullable(Capabilities), 'Capabilities that the caller may use. Null without a role.'),
    figures: described(
      Nullable(Figures),
      `Calls of the last 24 hours, without requests of the protocol. ${forEditors}`,
    ),
    histogram: described(Nullable(Histogram), `The calls of the last 24 hours in 48 parts. ${forEditors}`),
    failures: described(
      Type.Array(ServerRequest),
      'The newest calls of the last 24 hours that failed. Denied calls are not among them.',
    ),
    latestBuild: Nullable(Build),
    clients: described(
      Type.Array(ServerClient),
      'Configuration of the usual clients for the server. Empty without a role.',
    ),
    ...runs,
  },
  'ignore',
);
export type ServerView = Static<typeof ServerView>;

/** The filters of all routes about the requests to several servers. */
const requestsFilter = {
  ...filterShape.properties,
  server: Type.Optional(Type.String({ maxLength: 100 })),
  where: whereQuery,
};

export const requestsQuery = Type.Object({
  ...pageQuery.properties,
  ...requestsFilter,
  buckets: withDefault(Type.Integer({ minimum: 1, maximum: 200 }), 60),
});
export type RequestsQuery = Static<typeof requestsQuery>;

export const requestValuesQuery = Type.Object({ ...requestsFilter, ...valuesParts(requestFieldNames) });
export type RequestValuesQuery = Static<typeof requestValuesQuery>;

export const requestsExportQuery = Type.Object({
  ...requestsFilter,
  format: described(
    withDefault(OneOf(['csv', 'ndjson']), 'csv'),
    'Comma-separated values with a line of names first, or one JSON object for each line.',
  ),
});
export type RequestsExportQuery = Static<typeof requestsExportQuery>;

const RequestsFilter = Type.Object(requestsFilter);
export type RequestsFilter = Static<typeof RequestsFilter>;

const NamedServer = Shape('NamedServer', { id: Uuid(), slug: Type.String(), name: Type.String() }, 'ignore');

export const RequestsView = Shape(
  'RequestsView',
  {
    servers: described(Type.Array(NamedServer), 'The servers whose records the caller may read, at most 200.'),
    requests: described(
      List('ServerRequestPage', ServerRequest),
      'A short or empty page may still have a next one, because a request examines a bounded number of records.',
    ),
    summary: described(
      Nullable(
        Shape(
          'RequestsSummary',
          {
            histogram: Histogram,
            owners: Type.Array(UsageItem),
            servers: Type.Array(UsageItem),
            capabilities: Type.Array(UsageItem),
            countedSince: described(
              Nullable(DateTime()),
              'Set if there are too many requests to count: only requests from this time on are counted.',
            ),
          },
          'ignore',
        ),
      ),
      'Counts of all matching requests of the period, with the ten most used of each kind. Null on later pages.',
    ),
  },
  'ignore',
);
export type RequestsView = Static<typeof RequestsView>;
