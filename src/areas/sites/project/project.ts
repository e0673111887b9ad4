import { refuseInput } from '../../../kernel/field/refuse-input.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { refuse } from '../sites.refusals.js';
import { addressLabel } from './addresses/site-address.js';
import type { Project, ProjectEvent, ProjectFields, ProjectType } from './project.record.js';

export interface ProjectInput {
  readonly name: string;
  readonly description?: string;
  readonly color?: string;
  readonly brandKit?: JsonObject;
  readonly projectType?: ProjectType;
  readonly bundleIdentifier?: string;
  readonly appDisplayName?: string;
  readonly isApp?: boolean;
}

export const firstColor = '#3B82F6';

/**
 * A workspace app cannot be a mobile project (Q-S02).
 * @param address the subdomain of a site, or the slug of an app
 */
export function createProject(input: ProjectInput, address: string, linkedBaseId: string): readonly ProjectEvent[] {
  const { isApp = false, projectType = 'web' } = input;
  if (isApp && projectType === 'mobile') {
    refuseInput([{ path: 'projectType', message: 'must be web or omitted for a workspace app' }]);
  }
  const data: ProjectFields = {
    name: input.name,
    description: input.description ?? null,
    color: input.color ?? firstColor,
    brandKit: input.brandKit ?? null,
    projectType,
    bundleIdentifier: input.bundleIdentifier ?? null,
    appDisplayName: input.appDisplayName ?? null,
    isApp,
    slug: isApp ? address : null,
    subdomain: isApp ? null : address,
    linkedBaseId,
  };
  return [{ type: 'ProjectCreated', data }];
}

export const resetSitePasses = (): readonly ProjectEvent[] => [{ type: 'ProjectSitePassesReset', data: {} }];

export const deleteProject = (): readonly ProjectEvent[] => [{ type: 'ProjectDeleted', data: {} }];

export function updateSubdomain(project: Project, subdomain: string): readonly ProjectEvent[] {
  if (project.isApp) refuse('app-has-no-domain');
  return project.subdomain === subdomain ? [] : [{ type: 'ProjectSubdomainChanged', data: { subdomain } }];
}

/**
 * Addresses in the order in which they are to be tried. The first has no suffix.
 * @param token random text from which suffixes are cut
 */
export function addressesFor(name: string, token: string): readonly string[] {
  const words = addressLabel(name);
  const tail = token.toLowerCase().replace(/[^a-z0-9]/g, '');
  return [words, `${words}-${tail.slice(0, 4)}`, `${words}-${tail.slice(0, 12)}`];
}
