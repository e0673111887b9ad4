import { stepRunsProjection } from '../step-run.projection.js';

/** Runs of agents, with the steps that each is made of. */
export const agentRunsProjection = stepRunsProjection('agentRuns', 1, 'agentRun');
