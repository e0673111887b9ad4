import { query } from '../../../../engine/operation/bound-operation.js';
import { idField } from '../../../../kernel/field/plain-text.js';
import { ListedSiteRun, SiteRunRecord, siteRunEnds } from './site-run-shapes.js';
import { SiteRuns } from './site-runs.js';

const declared = {
  source: 'Sites API, Schedules and runs',
  group: 'site-runs',
  permission: 'site.read',
  within: 'project',
  tools: 'granted',
  inject: [SiteRuns],
} as const;

export const siteRunOperations = [
  query('site/listFunctionRuns', {
    ...declared,
    summary: "Lists the finished runs of a site's functions, newest first.",
    answers: { fields: { runs: { type: 'array', items: () => ListedSiteRun } } },
    input: {
      projectId: idField,
      functionId: { ...idField, optional: true },
      scheduleId: { ...idField, optional: true },
      status: { type: 'string', enum: siteRunEnds, optional: true },
      limit: { type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 },
      before: {
        ...idField,
        optional: true,
        description: 'Id of a run. Only older ones are returned. Refused if the Runs tab is disabled.',
      },
    },
    handle: async (input, { workspaceId }, runs) => ({ runs: await runs.list(workspaceId, input) }),
  }),
  query('site/getFunctionRun', {
    ...declared,
    summary: "Returns one finished run of a site's function.",
    answers: { record: SiteRunRecord },
    input: { projectId: idField, runId: idField },
    handle: ({ projectId, runId }, { workspaceId }, runs) => runs.find(workspaceId, projectId, runId),
  }),
];
