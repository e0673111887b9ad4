import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { alongside } from '../../../engine/commands/related-changes.js';
import { query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { projects } from '../project/project.record.js';
import { markPublished, markUnpublished } from '../project/published-project.api.js';
import { rollBackPublication, startPublish, unpublish } from './publication.js';
import { publications, type SitePublication } from './publication.record.js';
import { DeploymentRow, PublishStatus, publishStatusOf, rowsOf } from './publication-view.js';
import { SiteSourcesReader } from './site-sources.js';

const declared = { source: 'Sites API, Publishing, analytics', group: 'publishing', tools: 'granted' } as const;
const asks = { ...declared, permission: 'site.read', within: 'project' } as const;
const changes = { ...declared, permission: 'site.publish' } as const;
const supplement = 'Sites supplement, Pages, build, publish';

/** A semantic version, with optional pre-release and build parts (Q-S97). */
const version =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

export const publicationOperations = [
  recordCommand('site/publish', {
    ...changes,
    summary:
      'Starts building and deploying a site or, if releaseVersion is sent, an immutable release in addition to the site.',
    risky: true,
    answers: {
      fields: {
        started: { type: 'boolean', description: 'Always true. getPublishStatus returns the progress.' },
        deploymentId: { type: 'string', description: 'The id under which listDeployments lists the deployment.' },
      },
    },
    input: {
      id: idField,
      releaseVersion: {
        type: 'string',
        pattern: version,
        maxLength: 100,
        optional: true,
        description:
          'A semantic version such as 1.4.0 that no release of the site has yet. The live site does not change.',
      },
    },
    record: publications,
    id: ({ id }) => id,
    begins: 'perhaps',
    inject: [Reads],
    prepare: async ({ id }, call, reads) => {
      await reads.one(call, projects, id);
      return call.newId('dep');
    },
    decide: (before, { id, releaseVersion = null }, _, deploymentId) =>
      startPublish(before, { projectId: id, deploymentId, releaseVersion }),
    answer: (_, deploymentId) => ({ started: true, deploymentId }),
  }),
  recordCommand('site/unpublish', {
    ...changes,
    summary: 'Takes a site offline. Its deployments are retained, so it can be published again or rolled back.',
    takesAway: true,
    shutsOut: true,
    answers: success,
    input: { id: idField },
    record: publications,
    id: ({ id }) => id,
    inject: [Reads],
    prepare: ({ id }, call, reads) => reads.one(call, projects, id),
    decide: unpublish,
    alongside: (_, { id }) => [alongside({ aggregate: projects, id, decide: markUnpublished })],
  }),
  query('site/getPublishStatus', {
    ...asks,
    summary: 'Returns the progress of the current publish, or the reason if the last one failed. null otherwise.',
    answers: { record: PublishStatus, orNull: true },
    input: { projectId: idField },
    inject: [Reads],
    handle: async ({ projectId }, { workspaceId }, reads) => {
      const found = await reads.get<SitePublication>(workspaceId, 'publications', projectId);
      return found === undefined ? null : publishStatusOf(found);
    },
  }),
  query('site/listDeployments', {
    ...asks,
    source: supplement,
    summary:
      'Lists the deployments of a site, newest first: the live one, the ten newest that were built, and the failed ones among them.',
    answers: { list: DeploymentRow },
    input: {
      projectId: idField,
      limit: { type: 'integer', minimum: 1, maximum: 100, optional: true, default: 50 },
      before: { type: 'string', optional: true, description: 'The id of a deployment. Returns older deployments.' },
    },
    inject: [Reads],
    handle: async ({ projectId, limit = 50, before }, { workspaceId }, reads) => {
      const found = await reads.get<SitePublication>(workspaceId, 'publications', projectId);
      const rows = found ? rowsOf(found) : [];
      const from = before === undefined ? 0 : rows.findIndex(({ id }) => id === before) + 1;
      const isUnknown = before !== undefined && from === 0;
      return isUnknown ? [] : rows.slice(from, from + limit);
    },
  }),
  recordCommand('site/rollBackPublish', {
    ...changes,
    source: supplement,
    summary: 'Makes an earlier deployment of a site live again, immediately and without a build.',
    callers: ['person'],
    within: 'project',
    tools: 'never',
    answers: success,
    input: { projectId: idField, deploymentId: idField },
    record: publications,
    id: ({ projectId }) => projectId,
    begins: 'perhaps',
    inject: [CommandRunner, SiteSourcesReader],
    prepare: async ({ projectId, deploymentId }, { workspaceId }, runner, sources) => {
      const found = await runner.find(publications, workspaceId, projectId);
      const position = found?.deployments.find(({ id }) => id === deploymentId)?.position;
      return position === undefined ? undefined : sources.projectAt({ workspaceId, projectId, position });
    },
    decide: (before, { deploymentId }) => rollBackPublication(before, deploymentId),
    alongside: (_, { projectId: id }, call, published) =>
      published === undefined
        ? []
        : [alongside({ aggregate: projects, id, decide: (now) => markPublished(now, published, call.at) })],
  }),
];
