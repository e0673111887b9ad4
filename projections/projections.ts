import { recordProjections } from '../src/areas/areas.slices.js';
import type { Projection } from '../src/kernel/record/projection.js';
import { triggerRunsProjection } from './account-events/trigger-run.projection.js';
import { agentRunsProjection } from './agents/agent-run.projection.js';
import { roleAssignmentsProjection } from './app-users/role-assignment.projection.js';
import { siteMailUsesProjection } from './app-users/site-mail-use.projection.js';
import { noticesProjection } from './approvals/notice.projection.js';
import { auditProjection } from './audit/audit.projection.js';
import { flowRunsProjection, flowsProjection } from './flows/flow.projection.js';
import { functionsProjection } from './functions/function.projection.js';
import { runsProjection } from './functions/run.projection.js';
import { toolNamesProjection } from './functions/tool-name.projection.js';
import { mailUsesProjection } from './mailboxes/mail-use.projection.js';
import { appSettingsProjection, envVarsProjection } from './secrets/env-var.projection.js';
import { pagePlacesProjection } from './sites/page-place.projection.js';
import { projectCountsProjection } from './sites/project-counts.projection.js';
import { snapshotsProjection } from './sites/snapshot.projection.js';
import { trafficProjection } from './sites/traffic.projection.js';
import { inboundEmailsProjection } from './triggers/inbound-email.projection.js';
import { occurrencesProjection } from './triggers/occurrence.projection.js';
import { triggerUsesProjection } from './triggers/trigger-use.projection.js';
import { apiKeyUsesProjection } from './workspace/api-key-use.projection.js';

export const projections: readonly Projection[] = [
  ...recordProjections,
  apiKeyUsesProjection,
  functionsProjection,
  occurrencesProjection,
  runsProjection,
  toolNamesProjection,
  triggerUsesProjection,
  inboundEmailsProjection,
  triggerRunsProjection,
  noticesProjection,
  envVarsProjection,
  appSettingsProjection,
  agentRunsProjection,
  mailUsesProjection,
  flowsProjection,
  flowRunsProjection,
  projectCountsProjection,
  snapshotsProjection,
  pagePlacesProjection,
  trafficProjection,
  roleAssignmentsProjection,
  siteMailUsesProjection,
  auditProjection,
];
