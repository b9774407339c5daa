/** Queries and changes of the pages of automations. */

import { answered, api } from '../api/client.ts';
import { read } from '../api/read.ts';
import type { components } from '../api/schema.gen.ts';

export type Automation = components['schemas']['Automation'];
export type AutomationCreate = components['schemas']['AutomationCreate'];
export type AutomationRow = components['schemas']['AutomationRow'];
export type Trigger = Automation['trigger'];
export type EventTrigger = components['schemas']['EventTrigger'];
export type GroupTrigger = components['schemas']['CompoundTrigger'] | components['schemas']['SequenceTrigger'];
export type Action = Automation['actions'][number];
export type DryRun = components['schemas']['DryRunView'];
export type Names = Readonly<Record<string, string>>;

export const automationsQuery = read.pages('/views/automations', (offset) => ({ params: { query: { offset } } }), {
  watches: ['automation'],
  initialPageParam: 0,
  getNextPageParam: ({ next }) => next,
});

export const automationQuery = (id: string) =>
  read.one('/views/automations/{id}', { params: { path: { id } } }, { watches: ['automation'] });

/** The latest firings and actions of an automation, newest first. */
export const doingsQuery = (id: string) =>
  read.one(
    '/events/filter',
    {
      body: {
        filter: {
          resource: { id: [`prefect.automation.${id}`], distinct: false },
          event: {
            name: [
              'prefect.automation.triggered',
              'prefect.automation.action.executed',
              'prefect.automation.action.failed',
            ],
          },
          order: 'DESC',
        },
        limit: 50,
      },
    },
    { watches: ['automation'], select: ({ events }) => events },
  );

export const dryRunQuery = (trigger: Trigger, days: number) =>
  read.timed('/views/automations/dry_run', { trigger, days }, (now) => ({
    body: { trigger, since: new Date(now - days * 86_400_000).toISOString() },
  }));

export const enableAutomation = (id: string, enabled: boolean) =>
  answered(api.PATCH('/automations/{id}', { params: { path: { id } }, body: { enabled } }));

export const deleteAutomation = (id: string) => answered(api.DELETE('/automations/{id}', { params: { path: { id } } }));

/** Returns the id of the new automation. */
export async function createAutomation(body: AutomationCreate): Promise<string> {
  const { id } = await answered(api.POST('/automations/', { body }));
  return id;
}

export const updateAutomation = (id: string, body: AutomationCreate) =>
  answered(api.PUT('/automations/{id}', { params: { path: { id } }, body }));
