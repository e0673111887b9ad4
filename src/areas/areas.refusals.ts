import { engineRefusals } from '../engine/refusals/engine.refusals.js';
import { accessRefusals } from './access/access.refusals.js';
import { accountEventsRefusals } from './account-events/account-events.refusals.js';
import { agentsRefusals } from './agents/agents.refusals.js';
import { appUsersRefusals } from './app-users/app-users.refusals.js';
import { approvalsRefusals } from './approvals/approvals.refusals.js';
import { auditRefusals } from './audit/audit.refusals.js';
import { basesRefusals } from './bases/bases.refusals.js';
import { campaignsRefusals } from './campaigns/campaigns.refusals.js';
import { connectionsRefusals } from './connections/connections.refusals.js';
import { flowsRefusals } from './flows/flows.refusals.js';
import { functionsRefusals } from './functions/functions.refusals.js';
import { mailboxesRefusals } from './mailboxes/mailboxes.refusals.js';
import { paymentsRefusals } from './payments/payments.refusals.js';
import { proxyRefusals } from './proxy/proxy.refusals.js';
import { realtimeRefusals } from './realtime/realtime.refusals.js';
import { secretsRefusals } from './secrets/secrets.refusals.js';
import { sitesRefusals } from './sites/sites.refusals.js';
import { triggersRefusals } from './triggers/triggers.refusals.js';
import { workspaceRefusals } from './workspace/workspace.refusals.js';

export const areasRefusals = {
  ...engineRefusals,
  ...workspaceRefusals,
  ...secretsRefusals,
  ...mailboxesRefusals,
  ...accessRefusals,
  ...basesRefusals,
  ...sitesRefusals,
  ...appUsersRefusals,
  ...paymentsRefusals,
  ...realtimeRefusals,
  ...campaignsRefusals,
  ...functionsRefusals,
  ...connectionsRefusals,
  ...proxyRefusals,
  ...triggersRefusals,
  ...accountEventsRefusals,
  ...flowsRefusals,
  ...agentsRefusals,
  ...auditRefusals,
  ...approvalsRefusals,
};
