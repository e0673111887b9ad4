import { Injectable } from '@nestjs/common';
import { Environment } from '../../../../config/environment.js';
import { WhileUnchanged } from '../../../../engine/read-models/while-unchanged.js';
import type { Where } from '../../../../kernel/record/projection.js';
import { ReadStore } from '../../../../ports/read-store.port.js';
import type { Workspace } from '../../../workspace/workspace/workspace.record.js';
import type { CustomDomain } from '../../custom-domain/custom-domain.record.js';
import type { Project } from '../project.record.js';
import { appLabel, appPrefix, idPrefix, longestLabel, previewPrefix } from './site-labels.js';

/** A preview shows the project's current content, whether it is published or not. */
export type HostKind = 'site' | 'app' | 'preview';

export interface SiteHost {
  readonly kind: HostKind;
  readonly project: Project;
}

/**
 * Finds the project of a host. A change of an address applies from the next request (Sites supplement, Where things are
 * served).
 */
@Injectable()
export class SiteHosts {
  constructor(
    private readonly environment: Environment,
    private readonly store: ReadStore,
    private readonly unchanged: WhileUnchanged,
  ) {}

  find(name: string): Promise<SiteHost | undefined> {
    return this.unchanged.cached(`host ${name}`, () => this.lookedUp(name));
  }

  private async lookedUp(name: string): Promise<SiteHost | undefined> {
    const domain = `.${this.environment.appDomain}`;
    if (!name.endsWith(domain)) return this.ofDomain(name);
    const label = name.slice(0, -domain.length);
    if (label.includes('.') || label.length > longestLabel) return undefined;
    if (label.startsWith(previewPrefix)) {
      return hostOf('preview', await this.projectOf(`${idPrefix}${label.slice(previewPrefix.length)}`));
    }
    if (label.startsWith(appPrefix)) {
      return hostOf('app', await this.longNamedApp(`${idPrefix}${label.slice(appPrefix.length)}`, label));
    }
    const [slug = '', handle, ...rest] = label.split('--');
    if (handle === undefined) return hostOf('site', await this.first<Project>('projects', { subdomain: label }));
    return rest.length === 0 ? hostOf('app', await this.appOf(handle, slug)) : undefined;
  }

  /** If several workspaces have the same handle, the oldest with such an app is used. */
  async appOf(handle: string, slug: string): Promise<Project | undefined> {
    const workspaces = await this.store.find<Workspace>('workspaces', {
      where: { handle },
      sort: [['createdAt', 'asc']],
    });
    for (const { id } of workspaces) {
      const app = await this.first<Project>('projects', { workspaceId: id, slug });
      if (app !== undefined) return app;
    }
    return undefined;
  }

  projectOf(id: string): Promise<Project | undefined> {
    return this.store.get<Project>('projects', id);
  }

  /** An app has a host of the form `app--<id>` only if `<slug>--<handle>` is too long for a host label. */
  private async longNamedApp(id: string, label: string): Promise<Project | undefined> {
    const project = await this.projectOf(id);
    if (!project?.isApp) return undefined;
    const workspace = await this.store.get<Workspace>('workspaces', project.workspaceId);
    return appLabel(project, workspace?.handle ?? '') === label ? project : undefined;
  }

  private async ofDomain(domain: string): Promise<SiteHost | undefined> {
    const found = await this.first<CustomDomain>('customDomains', { domain, status: 'verified' });
    return found && hostOf('site', await this.projectOf(found.projectId));
  }

  private async first<D extends Project | CustomDomain>(collection: string, where: Where): Promise<D | undefined> {
    return (await this.store.find<D>(collection, { where, limit: 1 }))[0];
  }
}

const hostOf = (kind: HostKind, project: Project | undefined): SiteHost | undefined => project && { kind, project };
