import { stepRunsProjection } from '../step-run.projection.js';

/** Runs of agents, with their steps. */
export const agentRunsProjection = stepRunsProjection('agentRuns', 1, 'agentRun');
