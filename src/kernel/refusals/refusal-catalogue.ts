import { accessRefusals } from './access.js';
import { accountEventsRefusals } from './account-events.js';
import { appUsersRefusals } from './app-users.js';
import { approvalsRefusals } from './approvals.js';
import { assistantRefusals } from './assistant.js';
import { auditRefusals } from './audit.js';
import { automationsRefusals } from './automations.js';
import { basesRefusals } from './bases.js';
import { engineRefusals } from './engine.js';
import { flowsRefusals } from './flows.js';
import { mailboxesRefusals } from './mailboxes.js';
import { mcpRefusals } from './mcp.js';
import { pagesRefusals } from './pages.js';
import { paymentsRefusals } from './payments.js';
import { rowsRefusals } from './rows.js';
import { siteFunctionsRefusals } from './site-functions.js';
import { sitesRefusals } from './sites.js';
import { visitorsRefusals } from './visitors.js';
import { workspaceRefusals } from './workspace.js';

/** Every refusal of the service: one code, one kind, one sentence. A published code keeps its meaning. */
export const refusals = {
  ...engineRefusals,
  ...workspaceRefusals,
  ...auditRefusals,
  ...automationsRefusals,
  ...accountEventsRefusals,
  ...approvalsRefusals,
  ...assistantRefusals,
  ...mailboxesRefusals,
  ...flowsRefusals,
  ...sitesRefusals,
  ...siteFunctionsRefusals,
  ...basesRefusals,
  ...rowsRefusals,
  ...pagesRefusals,
  ...appUsersRefusals,
  ...accessRefusals,
  ...paymentsRefusals,
  ...visitorsRefusals,
  ...mcpRefusals,
};

export type RefusalCode = keyof typeof refusals;
