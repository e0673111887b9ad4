import { type Slice, slice } from '../../engine/slice.js';
import { components } from './component/component.record.js';
import { pages } from './page/page.record.js';
import { CreateProjectHandler } from './project/create-project.handler.js';
import { DeleteProjectHandler } from './project/delete-project.handler.js';
import { projects } from './project/project.record.js';
import { ProjectScope } from './project/project-scope.js';
import { projectSlots } from './project/project-slots.record.js';
import { ProjectView } from './project/project-view.js';
import {
  GetProjectDeleteInfoHandler,
  GetProjectHandler,
  ListProjectsHandler,
} from './project/read-project.handlers.js';
import { SitesManifestHandler } from './project/sites-manifest.handler.js';

/** Sites and workspace apps. */
export const sitesSlices: readonly Slice[] = [
  slice(projects, [
    CreateProjectHandler,
    DeleteProjectHandler,
    ListProjectsHandler,
    GetProjectHandler,
    GetProjectDeleteInfoHandler,
    ProjectView,
    ProjectScope,
  ]),
  slice(projectSlots),
  slice(pages),
  slice(components),
  SitesManifestHandler,
  Sites,
];
