import { Enum, type Static } from '../../../schema/kinds.ts';

export const WorkerStatus = Enum('WorkerStatus', ['ONLINE', 'OFFLINE']);
export type WorkerStatus = Static<typeof WorkerStatus>;
