import { shown } from '../../../engine/operation/shown.js';
import { showsAs } from '../../../engine/records/record-views.js';
import { Field } from '../../../kernel/field/field.js';
import {
  faultSentence,
  type PublishStage,
  publications,
  publishStages,
  type SitePublication,
} from './publication.record.js';

const nullableText = { type: 'string', nullable: true } as const;
const nullableCount = { type: 'integer', nullable: true } as const;

export class PublishStatus {
  @Field({ type: 'string', enum: [...publishStages, 'failed'] }) stage!: string;
  @Field({
    type: 'string',
    description: 'The stage in words. If the publish failed, the reason with the file and line.',
  })
  label!: string;
  @Field({ type: 'integer', minimum: 0, maximum: 100 }) pct!: number;
  @Field({ type: 'string', format: 'date-time' }) updatedAt!: string;
  @Field({ ...nullableText, description: 'If the publish failed, the file that caused it, such as pages/index.tsx.' })
  file!: string | null;
  @Field({ ...nullableCount, description: 'If the publish failed, the line in the file, counted from 1.' }) line!:
    | number
    | null;
}

class DeploymentAuthor {
  @Field({ type: 'string' }) kind!: string;
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
}

class UnrenderedPageShape {
  @Field({ type: 'string' }) path!: string;
  @Field({ type: 'string' }) why!: string;
}

export class DeploymentRow {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string', enum: ['live', 'ready', 'failed'] }) status!: string;
  @Field({ type: 'object', shape: () => DeploymentAuthor }) publishedBy!: DeploymentAuthor;
  @Field({ type: 'string', format: 'date-time' }) publishedAt!: string;
  @Field({ type: 'integer', description: 'Time from the call to the end of the publish.' }) durationMs!: number;
  @Field({ type: 'integer' }) pages!: number;
  @Field({ type: 'integer', description: "Total uncompressed size of the deployment's files." })
  bytes!: number;
  @Field({ ...nullableText, description: 'Why the build failed. null if it did not.' }) error!: string | null;
  @Field({
    type: 'array',
    items: () => UnrenderedPageShape,
    description: 'Pages that could not be rendered to HTML in advance. Browsers render them instead.',
  })
  unrendered!: readonly UnrenderedPageShape[];
}

const labels: Readonly<Record<PublishStage, string>> = {
  queued: 'Waiting to start',
  checking: 'Checking pages and components',
  bundling: 'Bundling scripts',
  styling: 'Building style sheets',
  deploying: 'Rendering and storing pages',
};

export function publishStatusOf({ publishing, failed }: SitePublication): PublishStatus | null {
  if (publishing !== null) {
    const { stage, pct, updatedAt } = publishing;
    return { stage, label: labels[stage], pct, updatedAt, file: null, line: null };
  }
  if (failed === null) return null;
  const { pct, at, file, line } = failed;
  return { stage: 'failed', label: faultSentence(failed), pct, updatedAt: at, file, line };
}

export function rowsOf({ deployments, live }: SitePublication): readonly DeploymentRow[] {
  return deployments.map(({ manifest, fault, ...about }) => ({
    ...about,
    status: about.id === live ? 'live' : manifest === null ? 'failed' : 'ready',
    error: fault && faultSentence(fault),
  }));
}

showsAs(publications, (publication) => ({
  projectId: publication.projectId,
  live: publication.live,
  liveSince: publication.liveSince,
  releases: Object.keys(publication.releases),
  status: publishStatusOf(publication),
  deployments: rowsOf(publication).map((row) => shown(DeploymentRow, row)),
}));
