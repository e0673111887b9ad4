import { Operation, success } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { publishStages } from './publication.record.js';

const source = 'Sites API, Publishing, analytics';
const group = 'publishing';
const nullableText = { type: 'string', nullable: true } as const;
const nullableCount = { type: 'integer', nullable: true } as const;

/** A semantic version, with a pre-release and a build where there are any (settled question Q-S97). */
const version =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

@Operation('site/publish', {
  summary: 'Starts to build and deploy a site, or with releaseVersion an immutable release beside it.',
  source,
  group,
  effect: 'command',
  permission: 'site.publish',
  tools: 'granted',
  risky: true,
  answers: {
    fields: {
      started: { type: 'boolean', description: 'Always true; getPublishStatus shows how far it is.' },
      deploymentId: { type: 'string', description: 'As listDeployments names it.' },
    },
  },
})
export class Publish {
  @Field(idField) id!: string;
  @Field({
    type: 'string',
    pattern: version,
    maxLength: 100,
    optional: true,
    description:
      'A semantic version such as 1.4.0, which no release of the site has yet. The site itself stays as it is.',
  })
  releaseVersion?: string;
}

@Operation('site/unpublish', {
  summary: 'Takes a site off the web. What was deployed is kept, and can be published or rolled back to again.',
  source,
  group,
  effect: 'command',
  permission: 'site.publish',
  tools: 'granted',
  takesAway: true,
  shutsOut: true,
  answers: success,
})
export class Unpublish {
  @Field(idField) id!: string;
}

export class PublishStatus {
  @Field({ type: 'string', enum: [...publishStages, 'failed'] }) stage!: string;
  @Field({ type: 'string', description: 'In words; of a failed one why, with the file and the line.' }) label!: string;
  @Field({ type: 'integer', minimum: 0, maximum: 100 }) pct!: number;
  @Field({ type: 'string', format: 'date-time' }) updatedAt!: string;
  @Field({ ...nullableText, description: 'Of a failed one: pages/index.tsx.' }) file!: string | null;
  @Field({ ...nullableCount, description: 'Of a failed one, from 1.' }) line!: number | null;
}

@Operation('site/getPublishStatus', {
  summary: 'Returns how far the publish is that is under way, or why the last one failed; null otherwise.',
  source,
  group,
  effect: 'query',
  permission: 'site.read',
  within: 'project',
  tools: 'granted',
  answers: { record: PublishStatus, orNull: true },
})
export class GetPublishStatus {
  @Field(idField) projectId!: string;
}

export class DeploymentAuthor {
  @Field({ type: 'string' }) kind!: string;
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
}

export class UnrenderedPageShape {
  @Field({ type: 'string' }) path!: string;
  @Field({ type: 'string' }) why!: string;
}

export class DeploymentRow {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string', enum: ['live', 'ready', 'failed'] }) status!: string;
  @Field({ type: 'object', shape: () => DeploymentAuthor }) publishedBy!: DeploymentAuthor;
  @Field({ type: 'string', format: 'date-time' }) publishedAt!: string;
  @Field({ type: 'integer', description: 'From the call to the end.' }) durationMs!: number;
  @Field({ type: 'integer' }) pages!: number;
  @Field({ type: 'integer', description: 'Of everything that the deployment consists of, uncompressed.' })
  bytes!: number;
  @Field({ ...nullableText, description: 'Of a failed one.' }) error!: string | null;
  @Field({
    type: 'array',
    items: () => UnrenderedPageShape,
    description: 'Pages that could not be rendered to HTML, which browsers render.',
  })
  unrendered!: readonly UnrenderedPageShape[];
}

@Operation('site/listDeployments', {
  summary: 'Lists the deployments of a site, newest first: the live one, the ten newest, and those that failed.',
  source: 'Sites supplement, Pages, build, publish',
  group,
  effect: 'query',
  permission: 'site.read',
  within: 'project',
  tools: 'granted',
  answers: { list: DeploymentRow },
})
export class ListDeployments {
  @Field(idField) projectId!: string;
  @Field({ type: 'integer', minimum: 1, maximum: 100, optional: true, default: 50 }) limit?: number;
  @Field({ type: 'string', optional: true, description: 'Id of a deployment: those before it.' }) before?: string;
}

@Operation('site/rollBackPublish', {
  summary: 'Makes an earlier deployment of a site live again, at once and without a build.',
  source: 'Sites supplement, Pages, build, publish',
  group,
  effect: 'command',
  permission: 'site.publish',
  callers: ['person'],
  within: 'project',
  tools: 'never',
  answers: success,
})
export class RollBackPublish {
  @Field(idField) projectId!: string;
  @Field(idField) deploymentId!: string;
}
