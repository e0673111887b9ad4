import type { DeploymentRow, PublishStatus } from './publication.operations.js';
import { faultSentence, type Publication, type PublishStage } from './publication.record.js';

const labels: Readonly<Record<PublishStage, string>> = {
  queued: 'Waiting for its turn',
  checking: 'Checking pages and components',
  bundling: 'Bundling scripts',
  styling: 'Making style sheets',
  deploying: 'Rendering and storing pages',
};

/** Null while nothing is under way and the last publish did not fail. */
export function statusOf({ publishing, failed }: Publication): PublishStatus | null {
  if (publishing !== null) {
    const { stage, pct, updatedAt } = publishing;
    return { stage, label: labels[stage], pct, updatedAt, file: null, line: null };
  }
  if (failed === null) return null;
  const { pct, at, file, line } = failed;
  return { stage: 'failed', label: faultSentence(failed), pct, updatedAt: at, file, line };
}

/** Newest first. */
export function rowsOf({ deployments, live }: Publication): readonly DeploymentRow[] {
  return deployments.map(({ manifest, fault, ...about }) => ({
    ...about,
    status: about.id === live ? 'live' : manifest === null ? 'failed' : 'ready',
    error: fault && faultSentence(fault),
  }));
}
