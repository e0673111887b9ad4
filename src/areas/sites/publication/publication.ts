import type { ProjectNotice } from '../project/project.record.js';
import { refuse } from '../sites.refusals.js';
import {
  faultSentence,
  mostReady,
  type PublicationEvent,
  type PublishFault,
  type PublishStage,
  type SitePublication,
} from './publication.record.js';

const mostReleases = 500;

export interface RequestedPublish {
  readonly projectId: string;
  readonly deploymentId: string;
  readonly releaseVersion: string | null;
}

export function startPublish(
  before: SitePublication | undefined,
  { projectId, deploymentId, releaseVersion }: RequestedPublish,
): readonly PublicationEvent[] {
  if (before?.publishing) refuse('publish-running');
  if (releaseVersion !== null) {
    const releases = before?.releases ?? {};
    if (Object.hasOwn(releases, releaseVersion)) refuse('release-exists', { version: releaseVersion });
    if (Object.keys(releases).length >= mostReleases) refuse('releases-full', { limit: mostReleases });
  }
  const opened: readonly PublicationEvent[] = before ? [] : [{ type: 'PublicationOpened', data: { projectId } }];
  return [...opened, { type: 'PublishStarted', data: { deploymentId, releaseVersion } }];
}

function underWay(before: SitePublication | undefined, deploymentId: string) {
  return before?.publishing?.deploymentId === deploymentId ? before.publishing : undefined;
}

export function takeOver(before: SitePublication | undefined, deploymentId: string): readonly PublicationEvent[] {
  return underWay(before, deploymentId) ? [{ type: 'PublishTakenOver', data: { deploymentId } }] : [];
}

export function advancePublish(
  before: SitePublication | undefined,
  deploymentId: string,
  stage: PublishStage,
  pct: number,
): readonly PublicationEvent[] {
  const publishing = underWay(before, deploymentId);
  if (publishing === undefined || pct <= publishing.pct) return [];
  return [{ type: 'PublishAdvanced', data: { deploymentId, stage, pct } }];
}

export type PublishOutcome = Extract<PublicationEvent, { type: 'SitePublished' | 'ReleaseBuilt' | 'PublishFailed' }>;

export function endPublish(before: SitePublication | undefined, outcome: PublishOutcome): readonly PublicationEvent[] {
  return underWay(before, outcome.data.deploymentId) ? [outcome] : [];
}

const noticeMs = 24 * 3_600_000;

export function failureNotice(
  { publishing, live }: SitePublication,
  fault: PublishFault,
  { id, name, now }: { readonly id: string; readonly name: string; readonly now: number },
): ProjectNotice {
  const what = publishing?.releaseVersion == null ? 'It' : `Release ${publishing.releaseVersion}`;
  const meanwhile = live === null ? '' : ', and visitors still see the previous version';
  const summary = `${what} could not be published${meanwhile}. ${faultSentence(fault)}`;
  return { id, name, summary, expiresAt: new Date(now + noticeMs).toISOString() };
}

/**
 * A publish in progress is cancelled, but the builds of releases continue. No content or deployment is deleted.
 * @throws Refusal site-not-published
 */
export function unpublish(before: SitePublication): readonly PublicationEvent[] {
  const isUnderWay = before.publishing?.releaseVersion === null;
  if (before.live === null && !isUnderWay) refuse('site-not-published');
  return [{ type: 'SiteUnpublished', data: {} }];
}

export function rollBackPublication(
  before: SitePublication | undefined,
  deploymentId: string,
): readonly PublicationEvent[] {
  const found = before?.deployments.find(({ id }) => id === deploymentId);
  if (before === undefined || !found?.manifest) return refuse('deployment-not-found', { retained: mostReady });
  if (before.publishing?.releaseVersion === null) refuse('publish-running');
  return before.live === deploymentId ? [] : [{ type: 'SiteRolledBack', data: { deploymentId } }];
}

export const endPublication = ({ projectId }: SitePublication): readonly PublicationEvent[] => [
  { type: 'PublicationEnded', data: { projectId } },
];
