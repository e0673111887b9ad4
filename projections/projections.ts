import type { Projection } from '../src/kernel/projection.js';
import { eventTriggersProjection } from './account-events/event-trigger.projection.js';
import { triggerRunsProjection } from './account-events/trigger-run.projection.js';
import { agentRunsProjection } from './agents/agent-run.projection.js';
import { noticesProjection } from './approvals/notice.projection.js';
import { pendingChangesProjection } from './approvals/pending-change.projection.js';
import { auditProjection } from './audit/audit.projection.js';
import { flowRunsProjection, flowsProjection } from './flows/flow.projection.js';
import { functionsProjection, webhooksProjection } from './functions/function.projection.js';
import { runsProjection } from './functions/run.projection.js';
import {
  mailAccountsProjection,
  mailDefaultsProjection,
  mailUsesProjection,
} from './mailboxes/mail-account.projection.js';
import { appSettingsProjection, envVarsProjection } from './secrets/env-var.projection.js';
import { inboundEmailsProjection } from './triggers/inbound-email.projection.js';
import { mailhooksProjection } from './triggers/mailhook.projection.js';
import { occurrencesProjection, schedulesProjection } from './triggers/schedule.projection.js';
import { triggerUsesProjection } from './triggers/trigger-use.projection.js';
import {
  agentsProjection,
  apiKeysProjection,
  apiKeyUsesProjection,
  creditsProjection,
  membersProjection,
  workspacesProjection,
} from './workspace/workspace.projection.js';

/** Every read model there is. */
export const projections: readonly Projection[] = [
  workspacesProjection,
  creditsProjection,
  membersProjection,
  agentsProjection,
  apiKeysProjection,
  apiKeyUsesProjection,
  functionsProjection,
  webhooksProjection,
  schedulesProjection,
  occurrencesProjection,
  runsProjection,
  triggerUsesProjection,
  mailhooksProjection,
  inboundEmailsProjection,
  eventTriggersProjection,
  triggerRunsProjection,
  pendingChangesProjection,
  noticesProjection,
  envVarsProjection,
  appSettingsProjection,
  agentRunsProjection,
  mailAccountsProjection,
  mailDefaultsProjection,
  mailUsesProjection,
  flowsProjection,
  flowRunsProjection,
  auditProjection,
];
