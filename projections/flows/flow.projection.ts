import { flows } from '../../src/areas/flows/flow/flow.record.js';
import { recordsProjection } from '../../src/kernel/record/record.js';
import { stepRunsProjection } from '../step-run.projection.js';

export const flowsProjection = recordsProjection(flows, {
  name: 'flows',
  version: 1,
  indexes: [{ fields: ['workspaceId', 'createdAt'] }],
});

export const flowRunsProjection = stepRunsProjection('flowRuns', 2, 'flowRun');
