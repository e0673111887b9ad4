import type { Actor, DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { ProjectNotice } from '../project/project.record.js';
import { refuse } from '../sites.refusals.js';

/** Stages in the order of a publish, which is `queued` until a builder starts it. */
export const publishStages = ['queued', 'checking', 'bundling', 'styling', 'deploying'] as const;
export type PublishStage = (typeof publishStages)[number];

type Publisher = Pick<Actor, 'kind' | 'id' | 'name'>;

export interface UnrenderedPage {
  readonly path: string;
  readonly why: string;
}

interface Built {
  readonly deploymentId: string;
  readonly manifest: string;
  readonly pages: number;
  /** Total size of the manifest and all uncompressed assets, in bytes. */
  readonly bytes: number;
  readonly durationMs: number;
}

export interface PublishFault {
  readonly message: string;
  /** `null` if the error concerns the whole site. */
  readonly file: string | null;
  readonly line: number | null;
}

export type PublicationEvent =
  | DomainEvent<'PublicationOpened', { readonly projectId: string }>
  | DomainEvent<'PublishStarted', { readonly deploymentId: string; readonly releaseVersion: string | null }>
  /** A builder started the publish, or started it again after the previous builder was lost. */
  | DomainEvent<'PublishTakenOver', { readonly deploymentId: string }>
  | DomainEvent<
      'PublishAdvanced',
      { readonly deploymentId: string; readonly stage: PublishStage; readonly pct: number }
    >
  | DomainEvent<'SitePublished', Built & { readonly unrendered: readonly UnrenderedPage[] }>
  | DomainEvent<'ReleaseBuilt', Built & { readonly releaseVersion: string }>
  | DomainEvent<
      'PublishFailed',
      /** Events that were recorded before notices existed lack `notice`. */
      { readonly deploymentId: string; readonly durationMs: number; readonly notice?: ProjectNotice } & PublishFault
    >
  | DomainEvent<'SiteRolledBack', { readonly deploymentId: string }>
  | DomainEvent<'SiteUnpublished', object>
  | DomainEvent<'PublicationEnded', { readonly projectId: string }>;

export interface Publishing {
  readonly deploymentId: string;
  readonly releaseVersion: string | null;
  readonly by: Publisher;
  readonly position: number;
  readonly eventId: string;
  readonly correlationId: string;
  readonly startedAt: string;
  readonly attempts: number;
  readonly stage: PublishStage;
  readonly pct: number;
  readonly updatedAt: string;
}

export interface Deployment {
  readonly id: string;
  readonly publishedBy: Publisher;
  readonly publishedAt: string;
  readonly durationMs: number;
  readonly pages: number;
  readonly bytes: number;
  readonly manifest: string | null;
  /** The content was read as of this log position. */
  readonly position: number;
  readonly unrendered: readonly UnrenderedPage[];
  readonly fault: PublishFault | null;
}

/** A deployment that is no longer live. Its assets are served for another 24 hours, so that open tabs still work. */
interface Retired {
  readonly manifest: string;
  readonly at: string;
}

interface Release {
  readonly manifest: string;
  readonly at: string;
}

export interface SitePublication extends Document {
  readonly projectId: string;
  readonly publishing: Publishing | null;
  /** Time at which the publish in progress was requested. Builders find publishes in progress by this field. */
  readonly publishingSince: string | null;
  /** Cleared when the next publish starts. */
  readonly failed: (PublishFault & { readonly pct: number; readonly at: string }) | null;
  readonly live: string | null;
  readonly liveSince: string | null;
  /**
   * Newest first: the live deployment, the last ten successful ones, and up to 50 failed ones that are newer than the
   * tenth successful one.
   */
  readonly deployments: readonly Deployment[];
  /** Newest first. Each manifest is listed once. */
  readonly retired: readonly Retired[];
  readonly releases: Readonly<Record<string, Release>>;
  readonly createdAt: string;
}

/** Number of successful deployments that are retained for a roll-back (Sites supplement, Pages, build, publish). */
export const mostReady = 10;
const mostFailed = 50;
export const retiredMs = 24 * 3_600_000;
const mostRetired = 200;

export const publications = plainRecord<SitePublication, PublicationEvent>()({
  category: 'publication',
  auditedFor: 'site.read',
  shownBy: 'site/listDeployments',
  of: { project: 'projectId' },
  undoing: 'Make an earlier deployment live with site/rollBackPublish, or publish again.',
  missing: () => refuse('site-not-published'),
  collection: { name: 'publications', version: 1, indexes: [{ fields: ['publishingSince'] }] },
  begins: {
    PublicationOpened: {
      publishing: null,
      publishingSince: null,
      failed: null,
      live: null,
      liveSince: null,
      deployments: [],
      retired: [],
      releases: {},
    },
  },
  ends: ['PublicationEnded'],
  sentences: {
    PublishStarted: (_, { data: { releaseVersion } }) =>
      releaseVersion === null ? 'A publish was started' : `The build of release ${releaseVersion} was started`,
    PublishTakenOver: () => 'A builder took over the publish',
    PublishAdvanced: (_, { data: { stage, pct } }) => `The publish reached ${pct} % (${stage})`,
    SitePublished: (_, { data: { pages } }) => `The site went live with ${pages === 1 ? 'one page' : `${pages} pages`}`,
    ReleaseBuilt: (_, { data: { releaseVersion } }) => `Release ${releaseVersion} was built`,
    PublishFailed: (_, { data }) => `The publish failed, and nothing of the site changed: ${faultSentence(data)}`,
    SiteRolledBack: (_, { data: { deploymentId } }) => `The earlier deployment ${deploymentId} went live again`,
    SiteUnpublished: () => 'The site was unpublished',
  },
  also: {
    PublishStarted: (_, { id: eventId, data, metadata, position }) => ({
      publishing: {
        ...data,
        by: publisherOf(metadata.actor),
        position,
        eventId,
        correlationId: metadata.correlationId,
        startedAt: metadata.at,
        attempts: 0,
        stage: 'queued',
        pct: 0,
        updatedAt: metadata.at,
      },
      publishingSince: metadata.at,
      failed: null,
    }),
    PublishTakenOver: ({ publishing }, { metadata: { at: updatedAt } }) => ({
      publishing: publishing && {
        ...publishing,
        attempts: publishing.attempts + 1,
        stage: 'checking',
        pct: 0,
        updatedAt,
      },
    }),
    PublishAdvanced: ({ publishing }, { data: { stage, pct }, metadata: { at: updatedAt } }) => ({
      publishing: publishing && { ...publishing, stage, pct, updatedAt },
    }),
    SitePublished: (before, { data: { deploymentId: id, ...built }, metadata: { at } }) => ({
      ...nothingUnderWay,
      ...switched(before, id, at),
      deployments: retainedDeployments(
        [{ id, ...aboutOf(before), ...built, publishedAt: at, fault: null }, ...before.deployments],
        id,
      ),
    }),
    ReleaseBuilt: ({ releases }, { data: { releaseVersion, manifest }, metadata: { at } }) => ({
      ...nothingUnderWay,
      releases: { ...releases, [releaseVersion]: { manifest, at } },
    }),
    PublishFailed: (before, { data: { deploymentId: id, durationMs, notice: _, ...fault }, metadata: { at } }) => {
      const failed = { id, ...aboutOf(before), publishedAt: at, durationMs, ...nothingBuilt, fault };
      const isRelease = before.publishing?.releaseVersion != null;
      return {
        ...nothingUnderWay,
        failed: { ...fault, pct: before.publishing?.pct ?? 0, at },
        ...(isRelease ? {} : { deployments: retainedDeployments([failed, ...before.deployments], before.live) }),
      };
    },
    SiteRolledBack: (before, { data: { deploymentId }, metadata: { at } }) => ({
      ...switched(before, deploymentId, at),
      deployments: retainedDeployments(before.deployments, deploymentId),
    }),
    SiteUnpublished: (before, { metadata: { at } }) => ({
      ...switched(before, null, at),
      ...(before.publishing?.releaseVersion === null ? nothingUnderWay : {}),
    }),
  },
});

const nothingUnderWay = { publishing: null, publishingSince: null } as const;
const nothingBuilt = { pages: 0, bytes: 0, manifest: null, unrendered: [] } as const;

const publisherOf = ({ kind, id, name }: Actor): Publisher => ({ kind, id, name });

const aboutOf = ({ publishing }: SitePublication) => ({
  publishedBy: publishing?.by ?? { kind: 'system' as const, id: 'system', name: 'system' },
  position: publishing?.position ?? 0,
});

export function faultSentence({ message, file, line }: PublishFault): string {
  if (file === null) return message;
  return line === null ? `${file}: ${message}` : `${file}:${line}: ${message}`;
}

function switched(before: SitePublication, live: string | null, at: string) {
  const manifest = manifestOf(before, before.live);
  const since = new Date(Date.parse(at) - retiredMs).toISOString();
  const retired = manifest === undefined ? before.retired : [{ manifest, at }, ...before.retired];
  const recent = retired.filter((one, index) => one.at >= since && isFirst(retired, one, index));
  return { live, liveSince: live === null ? null : at, retired: recent.slice(0, mostRetired) };
}

const isFirst = (all: readonly Retired[], { manifest }: Retired, index: number) =>
  all.findIndex((other) => other.manifest === manifest) === index;

/** Undefined if the deployment failed or is no longer listed. */
export function manifestOf({ deployments }: SitePublication, deploymentId: string | null): string | undefined {
  return deployments.find(({ id }) => id === deploymentId)?.manifest ?? undefined;
}

function retainedDeployments(deployments: readonly Deployment[], live: string | null): readonly Deployment[] {
  let [built, failed] = [0, 0];
  return deployments.filter(({ id, manifest }) => {
    if (manifest === null) return built < mostReady && ++failed <= mostFailed;
    return ++built <= mostReady || id === live;
  });
}
