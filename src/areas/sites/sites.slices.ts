import { job } from '../../engine/jobs/jobs.js';
import { endsWithOwners } from '../../engine/ownership/dependents.js';
import { type Slice, slice } from '../../engine/records/slice.js';
import { listsConditions } from '../access/judging/condition-holders.api.js';
import { analyticsSettingsOperations } from './analytics/analytics-settings.operations.js';
import { BuildChecks } from './build/build-checks.api.js';
import { ModuleFactsReader } from './build/module-facts.js';
import { verifyBuildOperations } from './build/verify-build.operations.js';
import { codeGuideOperations } from './code-guide/code-guide.operations.js';
import { componentOperations } from './component/component.operations.js';
import { components } from './component/component.record.js';
import { removeCustomDomain } from './custom-domain/custom-domain.js';
import { customDomainOperations } from './custom-domain/custom-domain.operations.js';
import { customDomains } from './custom-domain/custom-domain.record.js';
import { CustomDomainChanges, domainWatch } from './custom-domain/custom-domain-changes.js';
import { emailTemplateOperations } from './email-template/email-template.operations.js';
import { emailTemplates } from './email-template/email-template.record.js';
import { deleteSiteEnvVar } from './env-var/site-env-var.js';
import { siteEnvVarOperations } from './env-var/site-env-var.operations.js';
import { siteEnvVars } from './env-var/site-env-var.record.js';
import { SiteEnvVarChanges } from './env-var/site-env-var-changes.js';
import { SiteEnvVarView } from './env-var/site-env-var-view.js';
import { SiteVariables } from './env-var/site-variables.api.js';
import { useConditions } from './env-var/use-conditions.js';
import { AbandonedUploads } from './file/abandoned-uploads.js';
import { FileBytes } from './file/file-bytes.api.js';
import { FileLinks } from './file/file-links.api.js';
import { publicFileOperations } from './file/public-file.operations.js';
import { PublicFiles } from './file/public-files.api.js';
import { deleteFile } from './file/site-file.js';
import { siteFiles } from './file/site-file.record.js';
import { SiteFiles } from './file/site-files.api.js';
import { bundleDepsOperations } from './packages/bundle-deps.operations.js';
import { DependencyBundles } from './packages/dependency-bundles.js';
import { PackageSweep } from './packages/package-sweep.js';
import { pageOperations } from './page/page.operations.js';
import { pages } from './page/page.record.js';
import { pageConditions } from './page/page-conditions.js';
import { PageReaders } from './page/page-readers.api.js';
import { PageRoles } from './page/page-roles.api.js';
import { pageRulesOperations } from './page/page-rules.operations.js';
import { accessOverviewOperations } from './project/access-overview.operations.js';
import { SiteHosts } from './project/addresses/site-hosts.api.js';
import { SiteOrigins } from './project/addresses/site-origins.api.js';
import { subdomainOperations } from './project/addresses/subdomain.operations.js';
import { LostSignInMail } from './project/lost-sign-in-mail.api.js';
import { NewProjects } from './project/new-projects.js';
import { projectOperations } from './project/project.operations.js';
import { projects } from './project/project.record.js';
import { ProjectScope } from './project/project-scope.js';
import { projectSlots } from './project/project-slots.record.js';
import { ProjectView } from './project/project-view.api.js';
import { resetSitePassesOperations } from './project/reset-site-passes.operations.js';
import { aiPermissionsOperations } from './project/settings/ai-permissions.operations.js';
import { projectAuthOperations } from './project/settings/project-auth.operations.js';
import { projectSettingsOperations } from './project/settings/project-settings.operations.js';
import { Sites } from './project/sites.api.js';
import { sitesOperations } from './project/sites.operations.js';
import { PageRendering } from './publication/page-rendering.js';
import { endPublication } from './publication/publication.js';
import { publicationOperations } from './publication/publication.operations.js';
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
import { ContentChanges } from './snapshot/content-changes.api.js';
import { PastContent } from './snapshot/past-content.api.js';
import { RestoredSnapshots } from './snapshot/restored-snapshots.js';
import { RevertedSnapshots } from './snapshot/reverted-snapshots.js';
import { snapshotOperations } from './snapshot/snapshot.operations.js';
import { SnapshotContents } from './snapshot/snapshot-contents.js';
import { Snapshots } from './snapshot/snapshots.js';
import { BranchMoves } from './source-control/branch-moves.js';
import { BranchSwitching } from './source-control/branch-switching.js';
import { CommitAuthors } from './source-control/commit-authors.js';
import { gitHistoryOperations } from './source-control/git-history.operations.js';
import { gitHostOperations } from './source-control/git-host.operations.js';
import { endRepository } from './source-control/git-repository.js';
import { gitRepositories } from './source-control/git-repository.record.js';
import { Histories } from './source-control/histories.js';
import { HostBranches } from './source-control/host-branches.js';
import { HostConnections } from './source-control/host-connections.js';
import { HostSyncing } from './source-control/host-syncing.js';
import { PackSweep } from './source-control/pack-sweep.js';
import { PushDeliveries } from './source-control/push-deliveries.api.js';
import { Repositories } from './source-control/repositories.js';
import { SiteChanges } from './source-control/site-changes.js';
import { WorkingTrees } from './source-control/working-trees.js';
import { namesSources, SourceUses } from './source-text/source-uses.api.js';
import { Sources } from './source-text/sources.api.js';
import { DaySalts } from './traffic/day-salts.js';
import { trafficOperations } from './traffic/traffic.operations.js';
import { TrafficDays } from './traffic/traffic-days.js';
import { TrafficRetention } from './traffic/traffic-retention.api.js';
import { VisitCounting } from './traffic/visit-counting.api.js';

export const sitesSlices: readonly Slice[] = [
  slice(projects, [
    ...projectOperations,
    ...projectSettingsOperations,
    ...projectAuthOperations,
    ...subdomainOperations,
    ...analyticsSettingsOperations,
    NewProjects,
    ProjectView,
    ProjectScope,
    LostSignInMail,
    SiteHosts,
  ]),
  ...aiPermissionsOperations,
  ...resetSitePassesOperations,
  ...accessOverviewOperations,
  slice(projectSlots),
  slice(pages, [
    ...pageOperations,
    ...pageRulesOperations,
    PageReaders,
    PageRoles,
    namesSources(pages),
    listsConditions(pageConditions),
  ]),
  slice(emailTemplates, emailTemplateOperations),
  Sources,
  SourceUses,
  slice(components, [...componentOperations, namesSources(components)]),
  slice(siteEnvVars, [
    ...siteEnvVarOperations,
    SiteEnvVarChanges,
    SiteEnvVarView,
    SiteVariables,
    endsWithOwners(siteEnvVars, deleteSiteEnvVar),
    listsConditions(useConditions),
  ]),
  slice(siteFiles, [
    SiteFiles,
    PublicFiles,
    ...publicFileOperations,
    FileBytes,
    FileLinks,
    AbandonedUploads,
    endsWithOwners(siteFiles, deleteFile),
  ]),
  ...verifyBuildOperations,
  BuildChecks,
  ModuleFactsReader,
  ...bundleDepsOperations,
  DependencyBundles,
  PackageSweep,
  ...codeGuideOperations,
  slice(customDomains, [
    ...customDomainOperations,
    CustomDomainChanges,
    domainWatch,
    endsWithOwners(customDomains, removeCustomDomain),
  ]),
  slice(publications, [
    ...publicationOperations,
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
  ...trafficOperations,
  TrafficDays,
  DaySalts,
  VisitCounting,
  TrafficRetention,
  Snapshots,
  PastContent,
  ContentChanges,
  ...snapshotOperations,
  SnapshotContents,
  RestoredSnapshots,
  RevertedSnapshots,
  slice(gitRepositories, [
    ...gitHistoryOperations,
    ...gitHostOperations,
    Repositories,
    WorkingTrees,
    SiteChanges,
    CommitAuthors,
    Histories,
    HostConnections,
    HostBranches,
    BranchMoves,
    BranchSwitching,
    HostSyncing,
    PushDeliveries,
    PackSweep,
    endsWithOwners(gitRepositories, endRepository),
  ]),
  ...sitesOperations,
  Sites,
  SiteOrigins,
];
