import { type Provider } from '@nestjs/common';
import { Sites } from '../../ports/sites.port.js';
import { ProjectScope } from './project/project-scope.js';
import { SitesManifestHandler } from './project/sites-manifest.handler.js';
import { WorkspaceSites } from './project/workspace-sites.js';

/** Sites, of which none can be made yet. */
export const sitesSlices: readonly Provider[] = [
  SitesManifestHandler,
  ProjectScope,
  // Nothing keeps sites yet; what does is named here.
  { provide: WorkspaceSites, useValue: new WorkspaceSites([]) },
  { provide: Sites, useExisting: WorkspaceSites },
];
