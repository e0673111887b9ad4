import { Injectable, Logger } from '@nestjs/common';
import { faultReason } from '../../../engine/cluster/fault-reason.js';
import { unavailableStores } from '../../../engine/cluster/unavailable-stores.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { alongside } from '../../../engine/commands/related-changes.js';
import { Metrics } from '../../../engine/health/metrics.js';
import type { DueWork } from '../../../engine/jobs/due-job.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { Clock } from '../../../ports/clock.port.js';
import { SiteBuilderBusy, SiteBuildFailed, SiteBuildLost } from '../../../ports/offloaded/site-builder.port.js';
import type { Page } from '../page/page.record.js';
import { PageReaders } from '../page/page-readers.api.js';
import { projects } from '../project/project.record.js';
import { markPublished } from '../project/published-project.api.js';
import { advancePublish, endPublish, failureNotice, type PublishOutcome, takeOver } from './publication.js';
import { type Publishing, publications, type SitePublication } from './publication.record.js';
import { PublishProgress } from './publish-progress.js';
import type { PublishMessage } from './publish-requests.api.js';
import { SiteBuilds } from './site-builds.js';
import { SiteManifests } from './site-manifests.js';
import { type SiteContent, SiteSourcesReader } from './site-sources.js';

/**
 * After this many attempts, an unfinished publish fails, because building its content may be what crashes the process.
 */
const mostAttempts = 5;

@Injectable()
export class PublishWork implements DueWork<SitePublication, PublishMessage> {
  private readonly log = new Logger('Publish');
  /**
   * Attempts of this process that only had to wait for the builder or a store, by project. The next try continues the
   * attempt, so it does not count as another one.
   */
  private readonly delayed = new Map<string, string>();

  constructor(
    private readonly runner: CommandRunner,
    private readonly sources: SiteSourcesReader,
    private readonly readers: PageReaders,
    private readonly builds: SiteBuilds,
    private readonly manifests: SiteManifests,
    private readonly calls: Calls,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  async attempt({ workspaceId, projectId, deploymentId }: PublishMessage): Promise<void> {
    const found = await this.runner.find(publications, workspaceId, projectId);
    const delayed = this.delayed.get(projectId);
    this.delayed.delete(projectId);
    if (found?.publishing?.deploymentId !== deploymentId) return;
    const { publishing } = found;
    const began = this.clock.now();
    const isContinued = delayed === `${deploymentId}/${publishing.attempts}`;
    const attempt = publishing.attempts + (isContinued ? 0 : 1);
    let outcome: PublishOutcome;
    try {
      outcome = attempt <= mostAttempts ? await this.built(found, publishing, attempt) : givenUp(publishing);
      await this.end(found, publishing, outcome);
    } catch (error) {
      if (isDelay(error)) this.delayed.set(projectId, `${deploymentId}/${attempt}`);
      throw error;
    }
    this.metrics.sitePublish(outcome.type === 'PublishFailed' ? 'failed' : 'ok', (this.clock.now() - began) / 1_000);
  }

  /** @throws SiteBuilderBusy, or an error of a store; the job then tries again */
  private async built(before: SitePublication, publishing: Publishing, attempt: number): Promise<PublishOutcome> {
    const { workspaceId, projectId } = before;
    const { deploymentId, position, releaseVersion } = publishing;
    const change = (step: string, decide: (now: SitePublication | undefined) => ReturnType<typeof takeOver>) =>
      this.runner.change(this.call(before, publishing, `${attempt}/${step}`), {
        aggregate: publications,
        id: projectId,
        begins: 'perhaps',
        decide,
      });
    await change('take-over', (now) => takeOver(now, deploymentId));
    const progress = new PublishProgress(this.clock, (stage, pct) =>
      change(`${stage}/${pct}`, (now) => advancePublish(now, deploymentId, stage, pct)),
    );
    try {
      const at = { workspaceId, projectId, position };
      const project = await this.sources.projectAt(at);
      if (project === undefined) throw new SiteBuildFailed('The site was deleted.');
      const content = await this.sources.contentAt(at, project);
      const sources = await this.sources.sourcesOf(content, await this.openOf(content));
      const { digest, bytes, manifest, unrendered } = await this.builds.make({
        content,
        sources,
        earlier: await this.manifests.newest(before),
        reached: (stage, done) => progress.reached(stage, done),
      });
      const durationMs = this.sinceStart(publishing);
      const built = { deploymentId, manifest: digest, pages: manifest.pages.length, bytes, durationMs };
      if (releaseVersion !== null) return { type: 'ReleaseBuilt', data: { ...built, releaseVersion } };
      return { type: 'SitePublished', data: { ...built, unrendered } };
    } catch (error) {
      if (!(error instanceof SiteBuildFailed)) {
        const isOver = attempt === mostAttempts && !isDelay(error) ? 'is abandoned' : 'will be repeated';
        this.log.warn(
          `Attempt ${attempt} to publish ${projectId} was interrupted and ${isOver}: ${faultReason(error)}.`,
        );
        throw error;
      }
      const { message, file = null, line = null } = error;
      return failed(publishing, this.sinceStart(publishing), message, file, line);
    } finally {
      await progress.recorded();
    }
  }

  /**
   * Only pages that every visitor may read now are rendered to HTML. Pages with parameters in their path are excluded,
   * because only browsers know the parameters' values.
   */
  private async openOf({ project, pages }: SiteContent): Promise<(page: Page) => boolean> {
    const anybody = { visitor: { now: this.clock.now(), throughSite: true }, isOwner: false };
    const open = await this.readers.readable(project, anybody, pages);
    return ({ id, path }) => open.has(id) && !path.includes('/:');
  }

  /**
   * Records the outcome of the publish. After a successful publish, the project also records the settings with which
   * the site was built.
   */
  private async end(before: SitePublication, publishing: Publishing, outcome: PublishOutcome): Promise<void> {
    const { workspaceId, projectId } = before;
    const call = this.call(before, publishing, 'end');
    const project =
      outcome.type === 'ReleaseBuilt'
        ? undefined
        : await this.sources.projectAt({ workspaceId, projectId, position: publishing.position });
    const settings = outcome.type === 'SitePublished' ? project : undefined;
    const noticeFacts = { id: call.newId('no'), name: project?.name ?? projectId, now: this.clock.now() };
    const withNotice = (now: SitePublication): PublishOutcome =>
      outcome.type === 'PublishFailed'
        ? { ...outcome, data: { ...outcome.data, notice: failureNotice(now, outcome.data, noticeFacts) } }
        : outcome;
    await this.runner.change(call, {
      aggregate: publications,
      id: projectId,
      begins: 'perhaps',
      decide: (now) => (now === undefined ? [] : endPublish(now, withNotice(now))),
      alongside: (_, decided) =>
        settings === undefined || decided.length === 0
          ? []
          : [
              alongside({
                aggregate: projects,
                id: projectId,
                decide: (now) => markPublished(now, settings, new Date(this.clock.now()).toISOString()),
              }),
            ],
    });
  }

  private sinceStart({ startedAt }: Publishing): number {
    return Math.max(0, this.clock.now() - Date.parse(startedAt));
  }

  /** The command's id is derived from the publish and the step, so a repeated step records nothing twice. */
  private call({ workspaceId }: SitePublication, publishing: Publishing, step: string) {
    const { deploymentId, position, correlationId, eventId } = publishing;
    return this.calls.derived({
      workspaceId,
      actor: systemActor('site-publishes'),
      operation: 'site/publish',
      from: `${deploymentId}/${step}`,
      correlationId,
      causationId: eventId,
      notBefore: position,
    });
  }
}

/** False for errors that the content of the site may cause. */
const isDelay = (error: unknown): boolean =>
  unavailableStores(error).length > 0 || (error instanceof SiteBuilderBusy && !(error instanceof SiteBuildLost));

const givenUp = (publishing: Publishing): PublishOutcome =>
  failed(
    publishing,
    0,
    `The build was interrupted ${mostAttempts} times and was abandoned. Publish again; if it fails again, publish fewer or smaller pages to find the one that causes it.`,
    null,
    null,
  );

function failed(
  { deploymentId }: Publishing,
  durationMs: number,
  message: string,
  file: string | null,
  line: number | null,
): PublishOutcome {
  return { type: 'PublishFailed', data: { deploymentId, durationMs, message, file, line } };
}
