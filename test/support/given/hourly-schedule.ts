import type { Schedule } from '../../../src/areas/triggers/schedule/schedule.record.js';
import { specId, specWorkspace } from './given.js';

export const hourlySchedule: Schedule = {
  id: specId,
  workspaceId: specWorkspace,
  targetKind: 'account_function',
  targetRef: 'fn_1',
  cronExpression: '0 * * * *',
  timezone: 'UTC',
  overlap: 'allow',
  isActive: true,
  activeSince: '2030-01-01T00:00:00.000Z',
  keepInput: true,
  createdAt: '2030-01-01T00:00:00.000Z',
};
