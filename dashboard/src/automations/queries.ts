/** Queries and changes of the pages of automations. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
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

export const automationsQuery = infiniteQueryOptions({
  queryKey: ['automations'],
  meta: { watches: ['automation'] },
  initialPageParam: 0,
  queryFn: ({ pageParam, signal }) =>
    answered(api.GET('/views/automations', { signal, params: { query: { offset: pageParam } } })),
  getNextPageParam: ({ next }) => next,
});

export function automationQuery(id: string) {
  return queryOptions({
    queryKey: ['automation', id],
    meta: { watches: ['automation'] },
    queryFn: ({ signal }) => answered(api.GET('/views/automations/{id}', { signal, params: { path: { id } } })),
  });
}

/** The latest firings and actions of an automation, newest first. */
export function doingsQuery(id: string) {
  return queryOptions({
    queryKey: ['automation-doings', id],
    meta: { watches: ['automation'] },
    queryFn: async ({ signal }) => {
      const { events } = await answered(
        api.POST('/events/filter', {
          signal,
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
        }),
      );
      return events;
    },
  });
}

export function dryRunQuery(trigger: Trigger, days: number) {
  return queryOptions({
    queryKey: ['dry-run', trigger, days],
    queryFn: ({ signal }) =>
      answered(
        api.POST('/views/automations/dry_run', {
          signal,
          body: { trigger, since: new Date(Date.now() - days * 86_400_000).toISOString() },
        }),
      ),
  });
}

export async function enableAutomation(id: string, enabled: boolean): Promise<void> {
  await answered(api.PATCH('/automations/{id}', { params: { path: { id } }, body: { enabled } }));
}

export async function deleteAutomation(id: string): Promise<void> {
  await answered(api.DELETE('/automations/{id}', { params: { path: { id } } }));
}

/** Returns the id of the new automation. */
export async function createAutomation(body: AutomationCreate): Promise<string> {
  const { id } = await answered(api.POST('/automations/', { body }));
  return id;
}

export async function updateAutomation(id: string, body: AutomationCreate): Promise<void> {
  await answered(api.PUT('/automations/{id}', { params: { path: { id } }, body }));
}
