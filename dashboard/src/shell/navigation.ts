/** The entries of the left rail, in order; the palette and the keyboard use them too. */
import {
  Activity,
  ArrowLeftRight,
  Blocks,
  CalendarClock,
  FileText,
  Gauge,
  House,
  Inbox,
  Layers,
  LibraryBig,
  Logs,
  type LucideIcon,
  Play,
  Plug,
  Rocket,
  ScrollText,
  Server,
  Settings,
  Users,
  Variable,
  Webhook,
  Workflow,
  Zap,
} from 'lucide-react';
import type { Access, Permission } from '../api/access.ts';

export interface Place {
  readonly path: string;
  readonly title: string;
  readonly icon: LucideIcon;
  /** The key to press after `g`. */
  readonly key: string;
  /** Shown to people with this permission; to everyone when absent. */
  readonly permission?: Permission;
}

export const places: readonly (readonly Place[])[] = [
  [
    { path: '/', title: 'Home', icon: House, key: 'h' },
    { path: '/inbox', title: 'Inbox', icon: Inbox, key: 'i' },
    { path: '/runs', title: 'Runs', icon: Play, key: 'r' },
    { path: '/logs', title: 'Logs', icon: Logs, key: 'g' },
    { path: '/flows', title: 'Flows', icon: Workflow, key: 'f' },
    { path: '/deployments', title: 'Deployments', icon: Rocket, key: 'd' },
    { path: '/schedule', title: 'Schedule', icon: CalendarClock, key: 's' },
  ],
  [
    { path: '/work-pools', title: 'Work pools', icon: Server, key: 'w' },
    { path: '/concurrency', title: 'Concurrency', icon: Gauge, key: 'c' },
    { path: '/automations', title: 'Automations', icon: Zap, key: 'a' },
    { path: '/events', title: 'Events', icon: Activity, key: 'e' },
    { path: '/webhooks', title: 'Webhooks', icon: Webhook, key: 'k' },
  ],
  [
    { path: '/blocks', title: 'Blocks', icon: Blocks, key: 'b' },
    { path: '/variables', title: 'Variables', icon: Variable, key: 'v' },
    { path: '/artifacts', title: 'Artifacts', icon: FileText, key: 't' },
  ],
  [
    { path: '/catalog', title: 'Catalog', icon: LibraryBig, key: 'l' },
    { path: '/servers', title: 'MCP servers', icon: Plug, key: 'm' },
    { path: '/requests', title: 'Requests', icon: ArrowLeftRight, key: 'q' },
  ],
  [
    { path: '/people', title: 'People', icon: Users, key: 'p', permission: 'organization:member' },
    { path: '/workspaces', title: 'Workspaces', icon: Layers, key: 'o', permission: 'organization:member' },
    { path: '/audit', title: 'Audit', icon: ScrollText, key: 'u', permission: 'organization:admin' },
    { path: '/settings', title: 'Settings', icon: Settings, key: ',' },
  ],
];

/** Pages of the organization and of the person. All others need a role in the workspace. */
const beyondWorkspace = /^\/(catalog|servers|requests|people|workspaces?|audit|account)(\/|$)/;

/** True if the person has signed in but has no role for this page. */
export function lacksRole(access: Access | undefined, path: string): boolean {
  const isWithout = access !== undefined && access.user !== null && !access.permissions.includes('flow_runs:read');
  return isWithout && !beyondWorkspace.test(path);
}

/** The places that this person may open. */
export function openPlaces(access: Access | undefined): readonly (readonly Place[])[] {
  const isOpen = ({ path, permission }: Place) =>
    !lacksRole(access, path) && (!permission || access?.permissions.includes(permission));
  return places.map((group) => group.filter(isOpen)).filter((group) => group.length > 0);
}
