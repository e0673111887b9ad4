import { accessRefusals } from './refusals/access.js';
import { accountEventsRefusals } from './refusals/account-events.js';
import { appUsersRefusals } from './refusals/app-users.js';
import { approvalsRefusals } from './refusals/approvals.js';
import { assistantRefusals } from './refusals/assistant.js';
import { auditRefusals } from './refusals/audit.js';
import { automationsRefusals } from './refusals/automations.js';
import { basesRefusals } from './refusals/bases.js';
import { engineRefusals } from './refusals/engine.js';
import { flowsRefusals } from './refusals/flows.js';
import { mailboxesRefusals } from './refusals/mailboxes.js';
import { pagesRefusals } from './refusals/pages.js';
import { paymentsRefusals } from './refusals/payments.js';
import { rowsRefusals } from './refusals/rows.js';
import { siteFunctionsRefusals } from './refusals/site-functions.js';
import { sitesRefusals } from './refusals/sites.js';
import { visitorsRefusals } from './refusals/visitors.js';
import { workspaceRefusals } from './refusals/workspace.js';

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
};

export type RefusalCode = keyof typeof refusals;
