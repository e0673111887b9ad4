import { job } from '../../engine/jobs/jobs.js';
import { endsWithOwners } from '../../engine/ownership/dependents.js';
import { type Slice, slice } from '../../engine/records/slice.js';
import { holdsConditions } from '../access/judging/condition-holders.api.js';
import { BuildChecks } from './build/build-checks.api.js';
import { ModuleFactsReader } from './build/module-facts.js';
import { VerifyBuildHandler } from './build/verify-build.handler.js';
import { GetCodeGuideHandler } from './code-guide/get-code-guide.handler.js';
import { deleteComponent } from './component/component.js';
import { componentHandlers } from './component/component.operations.js';
import { components } from './component/component.record.js';
import { customDomainHandlers } from './custom-domain/custom-domain.handler.js';
import { removeCustomDomain } from './custom-domain/custom-domain.js';
import { customDomains } from './custom-domain/custom-domain.record.js';
import { CustomDomainChanges, domainWatch } from './custom-domain/custom-domain-changes.js';
import { deleteEmailTemplate } from './email-template/email-template.js';
import { emailTemplateHandlers } from './email-template/email-template.operations.js';
import { emailTemplates } from './email-template/email-template.record.js';
import { siteEnvVarHandlers } from './env-var/site-env-var.handler.js';
import { deleteSiteEnvVar } from './env-var/site-env-var.js';
import { siteEnvVars } from './env-var/site-env-var.record.js';
import { SiteVariables } from './env-var/site-variables.api.js';
import { useConditions } from './env-var/use-conditions.js';
import { AbandonedUploads } from './file/abandoned-uploads.js';
import { FileBytes } from './file/file-bytes.api.js';
import { FileLinks } from './file/file-links.api.js';
import { publicFileHandlers } from './file/public-file.handler.js';
import { PublicFiles } from './file/public-files.api.js';
import { deleteFile } from './file/site-file.js';
import { siteFiles } from './file/site-file.record.js';
import { SiteFiles } from './file/site-files.api.js';
import { BundleDepsHandler } from './packages/bundle-deps.handler.js';
import { PackageSweep } from './packages/package-sweep.js';
import { pageHandlers } from './page/page.handler.js';
import { deletePage } from './page/page.js';
import { pages } from './page/page.record.js';
import { PageChanges } from './page/page-changes.js';
import { PageReaders } from './page/page-readers.api.js';
import { heldByPages, pageRulesHandlers } from './page/page-rules.handler.js';
import { accessOverviewHandlers } from './project/access-overview.operations.js';
import { aiPermissionsHandlers } from './project/ai-permissions.operations.js';
import { CreateProjectHandler } from './project/create-project.handler.js';
import { DeleteProjectHandler } from './project/delete-project.handler.js';
import { LostSignInMail } from './project/lost-sign-in-mail.api.js';
import { projects } from './project/project.record.js';
import { ProjectScope } from './project/project-scope.js';
import { projectSlots } from './project/project-slots.record.js';
import { ProjectView } from './project/project-view.js';
import { GetProjectDeleteInfoHandler, GetProjectHandler, ListProjectsHandler } from './project/read-project.handler.js';
import { resetSitePassesHandlers } from './project/reset-site-passes.operations.js';
import { SiteHosts } from './project/site-hosts.api.js';
import { SiteOrigins } from './project/site-origins.api.js';
import { Sites } from './project/sites.api.js';
import { SitesManifestHandler } from './project/sites-manifest.handler.js';
import { UpdateProjectHandler } from './project/update-project.handler.js';
import { UpdateProjectAuthHandler } from './project/update-project-auth.handler.js';
import { UpdateSubdomainHandler } from './project/update-subdomain.handler.js';
import { PageRendering } from './publication/page-rendering.js';
import { publicationHandlers } from './publication/publication.handler.js';
import { endPublication } from './publication/publication.js';
import { publications } from './publication/publication.record.js';
import { publishJob } from './publication/publish-requests.api.js';
import { PublishWork } from './publication/publish-work.js';
import { RetiredAssets } from './publication/retired-assets.js';
import { ServedDeployments } from './publication/served-deployments.api.js';
import { SiteAssetBlobs } from './publication/site-asset-blobs.js';
import { SiteAssetSweep } from './publication/site-asset-sweep.js';
import { SiteBuilds } from './publication/site-builds.js';
import { SiteManifests } from './publication/site-manifests.js';
import { SitePreviews } from './publication/site-previews.js';
import { SiteSourcesReader } from './publication/site-sources.js';
import { ContentChanges } from './snapshot/content-changes.js';
import { GetSnapshotContentHandler } from './snapshot/get-snapshot-content.handler.js';
import { ListSnapshotsHandler } from './snapshot/list-snapshots.handler.js';
import { PastContent } from './snapshot/past-content.api.js';
import { RestoreSnapshotHandler } from './snapshot/restore-snapshot.handler.js';
import { RevertSnapshotChangeHandler } from './snapshot/revert-snapshot-change.handler.js';
import { Snapshots } from './snapshot/snapshots.js';
import { namesSources, SourceUses } from './source-text/source-uses.api.js';
import { Sources } from './source-text/sources.api.js';

/** Sites and workspace apps. */
export const sitesSlices: readonly Slice[] = [
  slice(projects, [
    CreateProjectHandler,
    DeleteProjectHandler,
    UpdateProjectHandler,
    UpdateProjectAuthHandler,
    UpdateSubdomainHandler,
    ListProjectsHandler,
    GetProjectHandler,
    GetProjectDeleteInfoHandler,
    ProjectView,
    ProjectScope,
    LostSignInMail,
    SiteHosts,
  ]),
  ...aiPermissionsHandlers,
  ...resetSitePassesHandlers,
  ...accessOverviewHandlers,
  slice(projectSlots),
  slice(pages, [
    ...pageHandlers,
    ...pageRulesHandlers,
    PageChanges,
    PageReaders,
    endsWithOwners(pages, (page) => deletePage(page)),
    namesSources(pages),
    holdsConditions(heldByPages),
  ]),
  slice(emailTemplates, [
    ...emailTemplateHandlers,
    endsWithOwners(emailTemplates, (template) => deleteEmailTemplate(template)),
  ]),
  Sources,
  SourceUses,
  slice(components, [
    ...componentHandlers,
    endsWithOwners(components, (component) => deleteComponent(component)),
    namesSources(components),
  ]),
  slice(siteEnvVars, [
    ...siteEnvVarHandlers,
    SiteVariables,
    endsWithOwners(siteEnvVars, deleteSiteEnvVar),
    holdsConditions(useConditions),
  ]),
  slice(siteFiles, [
    SiteFiles,
    PublicFiles,
    ...publicFileHandlers,
    FileBytes,
    FileLinks,
    AbandonedUploads,
    endsWithOwners(siteFiles, deleteFile),
  ]),
  VerifyBuildHandler,
  BuildChecks,
  ModuleFactsReader,
  BundleDepsHandler,
  PackageSweep,
  GetCodeGuideHandler,
  slice(customDomains, [
    ...customDomainHandlers,
    CustomDomainChanges,
    domainWatch,
    endsWithOwners(customDomains, removeCustomDomain),
  ]),
  slice(publications, [
    ...publicationHandlers,
    PublishWork,
    job(publishJob, PublishWork),
    SiteSourcesReader,
    SiteBuilds,
    PageRendering,
    SiteAssetBlobs,
    SiteManifests,
    RetiredAssets,
    ServedDeployments,
    SitePreviews,
    SiteAssetSweep,
    endsWithOwners(publications, endPublication),
  ]),
  Snapshots,
  PastContent,
  ContentChanges,
  ListSnapshotsHandler,
  GetSnapshotContentHandler,
  RestoreSnapshotHandler,
  RevertSnapshotChangeHandler,
  SitesManifestHandler,
  Sites,
  SiteOrigins,
];
