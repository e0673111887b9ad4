import type { Provider } from '@nestjs/common';
import { ServedDeployments } from '../../../src/areas/sites/publication/served-deployments.api.js';
import { SiteBuilder } from '../../../src/ports/offloaded/site-builder.port.js';
import { startApp, type TestApp } from '../app.js';
import { eventually } from '../eventually.js';
import { done } from '../people.js';
import { WatchedSiteBuilder } from './site-builder.js';

/** Starts a service whose builds can be observed. */
export async function startPublishing(replacements: readonly Provider[] = [], builder = new WatchedSiteBuilder()) {
  const app = await startApp({ replacements: [{ provide: SiteBuilder, useValue: builder }, ...replacements] });
  const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
  return { app, workspaceId, builder };
}

/** A project, with the outcomes of its publishes. */
export class PublishingSite {
  constructor(
    readonly app: TestApp,
    readonly workspaceId: string,
    readonly id: string,
  ) {}

  static async create(
    { app, workspaceId }: { readonly app: TestApp; readonly workspaceId: string },
    about: object = {},
  ) {
    const { id } = await done(app, 'site/createProject', { name: 'Shop', ...about });
    return new PublishingSite(app, workspaceId, id);
  }

  status = () => done(this.app, 'site/getPublishStatus', { projectId: this.id });
  deployments = (more: object = {}) => done(this.app, 'site/listDeployments', { projectId: this.id, ...more });
  project = () => done(this.app, 'site/getProject', { id: this.id });
  page = (path: string, more: object = {}) =>
    done(this.app, 'site/createPage', { projectId: this.id, name: path, path, content: pageOf(path), ...more });
  rollBack = (deploymentId: string) => this.app.call('site/rollBackPublish', { projectId: this.id, deploymentId });
  start = async (more: object = {}): Promise<string> =>
    (await done(this.app, 'site/publish', { id: this.id, ...more })).deploymentId;

  /** Waits for the end of the publish. Returns null, or the status of a publish that failed. */
  ended = () => eventually(this.status, (now) => now === null || now.stage === 'failed', 30_000);

  /** Publishes, and returns the deployment's id. */
  async publish(more: object = {}): Promise<string> {
    const deploymentId = await this.start(more);
    const failed = await this.ended();
    if (failed !== null) throw new Error(failed.label);
    return deploymentId;
  }

  served = () => this.app.app.get(ServedDeployments, { strict: false });
  live = () => this.served().live(this);
  /** Returns the paths of the published pages, or undefined if the project is not published. */
  paths = async () => (await this.live())?.pages.map(({ path }) => path);
}

export const pageOf = (text: string) => `export default function Page() { return <p>${text}</p>; }`;
