/** The pages of `docs/` that list the routes of an OpenAPI document. */
import { documents, platformRoutes } from '../server/src/app.ts';
import { errorCodes } from '../server/src/error-codes.ts';
import { wrapped } from './wrapped.ts';

interface Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

interface ApiPage {
  readonly title: string;
  readonly introduction: string;
  /** Path below which the routes are. */
  readonly prefix: string;
  readonly paths: Paths;
}

/** Contents by path in the repository. */
export function apiPages(): Record<string, string> {
  return {
    'docs/api-workspace.md': pageOf({
      title: 'API of a workspace',
      introduction: `The REST API that Prefect's clients use. The same routes are at \`/api\`, for the default workspace, and at
\`/api/accounts/<organization>/workspaces/<workspace>\`. A server shows them with all fields at \`/docs\`, where they can be tried, and
as an OpenAPI document at \`/openapi.json\`.`,
      prefix: '/api',
      paths: documents.workspace()['paths'] as Paths,
    }),
    'docs/api-platform.md': pageOf({
      title: 'Platform API',
      introduction: `People, keys, workspaces, MCP servers and the audit log, with a key as \`Authorization: Bearer sbx_…\`. A server shows
the routes with all fields at \`/api/v0/docs\`, where they can be tried, and as an OpenAPI document at \`/api/v0/openapi.json\`.`,
      prefix: '/api/v0',
      paths: documents.platform()['paths'] as Paths,
    }),
    'docs/errors.md': errorsPage(),
  };
}

function errorsPage(): string {
  const rows = Object.entries(errorCodes).map(([code, { status, meaning }]) => {
    const routes = platformRoutes.filter(({ conflicts = [] }) => (conflicts as readonly string[]).includes(code));
    const names = routes.map(({ method, path }) => `\`${method.toUpperCase()} ${path}\``);
    const where = names.length > 6 ? [...names.slice(0, 6), `${names.length - 6} more`] : names;
    return `### ${code}\n\n${wrapped(`Status ${status}. ${meaning}${where.length > 0 ? ` ${where.join(', ')}.` : ''}`)}\n`;
  });
  return `<!-- Written by npm run docs from server/src/error-codes.ts. Do not edit by hand. -->

# Errors of the platform API

An error of \`/api/v0\` is \`{"error": {"code", "message", "details"}}\`: a code for programs, a sentence for people and, for some codes,
facts for programs. Each code below has its status and meaning; a code of 409 names its routes, below \`/api/v0\`. The API of a
workspace answers errors in the shape of the Prefect server 3.9.1, without these codes.

${rows.join('\n')}`;
}

function pageOf({ title, introduction, prefix, paths }: ApiPage): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const groups = Map.groupBy(operations, ({ tags }) => tags?.[0] ?? 'General');
  const sections = [...groups].map(([group, members]) => {
    const lines = members.map(({ path, method, summary = '', description = '' }) => {
      const head = `- \`${method.toUpperCase()} ${prefix}${path}\`: ${plain(summary)}.`;
      return wrapped(description === '' ? head : `${head} ${plain(description)}`, '  ');
    });
    return `## ${group}\n\n${lines.join('\n')}\n`;
  });
  return `<!-- Written by npm run docs from the OpenAPI document. Do not edit by hand. -->

# ${title}

${introduction}

${sections.join('\n')}`;
}

/** On one line, and with no character that Markdown would read outside of code. */
function plain(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .split('`')
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/[<*_[\]]/g, (character) => `\\${character}`)))
    .join('`');
}
