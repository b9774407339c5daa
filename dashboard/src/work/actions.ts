/** Changes of work pools, queues and workers. Each throws Problem when the server refuses it. */
import { answered, api } from '../api/client.ts';
import type { components } from '../api/schema.gen.ts';

type Schemas = components['schemas'];

export const createPool = (body: Schemas['WorkPoolCreate']) => answered(api.POST('/work_pools/', { body }));

export const updatePool = (name: string, body: Schemas['WorkPoolUpdate']) =>
  answered(api.PATCH('/work_pools/{name}', { params: { path: { name } }, body }));

export const deletePool = (name: string) => answered(api.DELETE('/work_pools/{name}', { params: { path: { name } } }));

export const createQueue = (pool: string, body: Schemas['WorkQueueCreate']) =>
  answered(api.POST('/work_pools/{work_pool_name}/queues', { params: { path: { work_pool_name: pool } }, body }));

export async function updateQueue(pool: string, name: string, body: Schemas['WorkQueueUpdate']): Promise<void> {
  const path = { work_pool_name: pool, name };
  await answered(api.PATCH('/work_pools/{work_pool_name}/queues/{name}', { params: { path }, body }));
}

export async function deleteQueue(pool: string, name: string): Promise<void> {
  const path = { work_pool_name: pool, name };
  await answered(api.DELETE('/work_pools/{work_pool_name}/queues/{name}', { params: { path } }));
}

export async function deleteWorker(pool: string, name: string): Promise<void> {
  const path = { work_pool_name: pool, name };
  await answered(api.DELETE('/work_pools/{work_pool_name}/workers/{name}', { params: { path } }));
}
