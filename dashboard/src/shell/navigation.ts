/** The places of the left rail, in their order; the palette and the keyboard name them too. */
import {
  Activity,
  ArrowLeftRight,
  Blocks,
  CalendarClock,
  FileText,
  Gauge,
  House,
  type LucideIcon,
  Play,
  Plug,
  Rocket,
  Server,
  Settings,
  Variable,
  Workflow,
  Zap,
} from 'lucide-react';

export interface Place {
  readonly path: string;
  readonly title: string;
  readonly icon: LucideIcon;
  /** Pressed after `g`. */
  readonly key: string;
}

export const places: readonly (readonly Place[])[] = [
  [
    { path: '/', title: 'Home', icon: House, key: 'h' },
    { path: '/runs', title: 'Runs', icon: Play, key: 'r' },
    { path: '/flows', title: 'Flows', icon: Workflow, key: 'f' },
    { path: '/deployments', title: 'Deployments', icon: Rocket, key: 'd' },
    { path: '/schedule', title: 'Schedule', icon: CalendarClock, key: 's' },
  ],
  [
    { path: '/work-pools', title: 'Work pools', icon: Server, key: 'w' },
    { path: '/concurrency', title: 'Concurrency', icon: Gauge, key: 'c' },
    { path: '/automations', title: 'Automations', icon: Zap, key: 'a' },
    { path: '/events', title: 'Events', icon: Activity, key: 'e' },
  ],
  [
    { path: '/blocks', title: 'Blocks', icon: Blocks, key: 'b' },
    { path: '/variables', title: 'Variables', icon: Variable, key: 'v' },
    { path: '/artifacts', title: 'Artifacts', icon: FileText, key: 't' },
  ],
  [
    { path: '/servers', title: 'MCP servers', icon: Plug, key: 'm' },
    { path: '/requests', title: 'Requests', icon: ArrowLeftRight, key: 'q' },
  ],
  [{ path: '/settings', title: 'Settings', icon: Settings, key: 's' }],
];
