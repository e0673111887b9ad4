import { projectionsOf, type Slice } from '../engine/slice.js';
import { accountEventsSlices } from './account-events/account-events.slices.js';
import { agentsSlices } from './agents/agents.slices.js';
import { approvalsSlices } from './approvals/approvals.slices.js';
import { auditSlices } from './audit/audit.slices.js';
import { flowsSlices } from './flows/flows.slices.js';
import { functionsSlices } from './functions/functions.slices.js';
import { mailboxesSlices } from './mailboxes/mailboxes.slices.js';
import { secretsSlices } from './secrets/secrets.slices.js';
import { sitesSlices } from './sites/sites.slices.js';
import { triggersSlices } from './triggers/triggers.slices.js';
import { workspaceSlices } from './workspace/workspace.slices.js';

/** Every area. A new one gives its table of contents, `<area>.slices.ts`, a line here. */
export const slices: readonly Slice[] = [
  ...workspaceSlices,
  ...functionsSlices,
  ...triggersSlices,
  ...mailboxesSlices,
  ...secretsSlices,
  ...accountEventsSlices,
  ...agentsSlices,
  ...flowsSlices,
  ...approvalsSlices,
  ...auditSlices,
  ...sitesSlices,
];

/** The read models of all records. */
export const recordProjections = projectionsOf(slices);
