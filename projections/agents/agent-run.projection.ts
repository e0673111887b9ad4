import { stepRunsProjection } from '../step-run.projection.js';

export const agentRunsProjection = stepRunsProjection('agentRuns', 2, 'agentRun');
