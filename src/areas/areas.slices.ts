import { projectionsOf, type Slice } from '../engine/records/slice.js';
import { accessSlices } from './access/access.slices.js';
import { accountEventsSlices } from './account-events/account-events.slices.js';
import { agentsSlices } from './agents/agents.slices.js';
import { appUsersSlices } from './app-users/app-users.slices.js';
import { approvalsSlices } from './approvals/approvals.slices.js';
import { auditSlices } from './audit/audit.slices.js';
import { basesSlices } from './bases/bases.slices.js';
import { campaignsSlices } from './campaigns/campaigns.slices.js';
import { connectionsSlices } from './connections/connections.slices.js';
import { flowsSlices } from './flows/flows.slices.js';
import { functionsSlices } from './functions/functions.slices.js';
import { mailboxesSlices } from './mailboxes/mailboxes.slices.js';
import { paymentsSlices } from './payments/payments.slices.js';
import { proxySlices } from './proxy/proxy.slices.js';
import { realtimeSlices } from './realtime/realtime.slices.js';
import { secretsSlices } from './secrets/secrets.slices.js';
import { sitesSlices } from './sites/sites.slices.js';
import { triggersSlices } from './triggers/triggers.slices.js';
import { workspaceSlices } from './workspace/workspace.slices.js';

/**
 * Keyed by the names of the areas' folders. A new area needs a line here, with the slices from its `<area>.slices.ts`.
 */
const areas: Readonly<Record<string, readonly Slice[]>> = {
  workspace: workspaceSlices,
  functions: functionsSlices,
  triggers: triggersSlices,
  mailboxes: mailboxesSlices,
  secrets: secretsSlices,
  'account-events': accountEventsSlices,
  agents: agentsSlices,
  flows: flowsSlices,
  approvals: approvalsSlices,
  audit: auditSlices,
  connections: connectionsSlices,
  sites: sitesSlices,
  bases: basesSlices,
  'app-users': appUsersSlices,
  access: accessSlices,
  payments: paymentsSlices,
  realtime: realtimeSlices,
  campaigns: campaignsSlices,
  proxy: proxySlices,
};

export const slices: readonly Slice[] = Object.values(areas).flat();

/** The read models of one area read the log together. */
export const recordProjections = Object.entries(areas).flatMap(([area, of]) => projectionsOf(area, of));
