import { Injectable } from '@nestjs/common';
import { Environment } from '../../../../config/environment.js';
import { WhileUnchanged } from '../../../../engine/read-models/while-unchanged.js';
import { Reads } from '../../../../engine/scopes/reads.js';
import type { Workspace } from '../../../workspace/workspace/workspace.record.js';
import type { CustomDomain } from '../../custom-domain/custom-domain.record.js';
import type { Project } from '../project.record.js';
import { type SiteHost } from './site-hosts.api.js';
import { appLabel, previewLabel } from './site-labels.js';

@Injectable()
export class SiteOrigins {
  constructor(
    private readonly environment: Environment,
    private readonly reads: Reads,
    private readonly unchanged: WhileUnchanged,
  ) {}

  /**
   * Returns the address to share with people. For a workspace app, it is a page of the service that asks members to
   * sign in and then redirects to the app.
   */
  async urlOf(project: Project): Promise<string> {
    if (!project.isApp) return this.originOf(project);
    const { workspaceId, slug } = project;
    const workspace = await this.reads.get<Workspace>(workspaceId, 'workspaces', workspaceId);
    return `${this.environment.baseUrl}/app/${workspace?.handle ?? workspaceId}/${slug}`;
  }

  /**
   * Returns the verified domain or the subdomain, without a trailing slash. A site without either has the origin of the
   * service.
   */
  originOf(project: Project): Promise<string> {
    const { id, workspaceId, subdomain } = project;
    return this.unchanged.cached(`origin ${workspaceId}/${id} ${subdomain}`, () => this.found(project));
  }

  private async found({ id, workspaceId, subdomain }: Project): Promise<string> {
    const domain = await this.reads.get<CustomDomain>(workspaceId, 'customDomains', id);
    if (domain?.status === 'verified') return `https://${domain.domain}`;
    return subdomain === null ? this.environment.baseUrl : this.at(subdomain);
  }

  async ofHost({ kind, project }: SiteHost): Promise<string> {
    if (kind === 'site') return this.originOf(project);
    if (kind === 'preview') return this.at(previewLabel(project.id));
    return this.at(appLabel(project, await this.handleOf(project)));
  }

  /** Members sign in at this path to see a preview or an app. Undefined for a site, because everyone can open it. */
  async entryOf({ kind, project }: SiteHost): Promise<string | undefined> {
    if (kind === 'site') return undefined;
    if (kind === 'preview') return `/preview/${project.id}`;
    return `/app/${await this.handleOf(project)}/${project.slug ?? ''}`;
  }

  private at(label: string): string {
    const { baseUrl, appDomain } = this.environment;
    const { protocol, port } = new URL(baseUrl);
    return `${protocol}//${label}.${appDomain}${port === '' ? '' : `:${port}`}`;
  }

  private async handleOf({ workspaceId }: Project): Promise<string> {
    return (await this.reads.get<Workspace>(workspaceId, 'workspaces', workspaceId))?.handle ?? '';
  }
}
