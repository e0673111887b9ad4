import { type Provider } from '@nestjs/common';
import { ProjectScope } from './project/project-scope.js';
import { Sites } from './project/sites.api.js';
import { SitesManifestHandler } from './project/sites-manifest.handler.js';

/** Sites, of which none can be made yet. */
export const sitesSlices: readonly Provider[] = [
  SitesManifestHandler,
  ProjectScope,
  // Nothing keeps sites yet; what does is named here.
  { provide: Sites, useValue: new Sites([]) },
];
