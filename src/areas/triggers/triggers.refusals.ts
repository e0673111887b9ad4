import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusalsOf, refusing } from '../../kernel/refusals/refusal.js';
import { eachCall, invalid, refusal } from '../../kernel/refusals/refusal-entry.js';
import { functionsRefusals } from '../functions/functions.refusals.js';
import { sitesRefusals } from '../sites/sites.refusals.js';

export const triggersRefusals = {
  'schedule-not-found': refusal(
    'not-found',
    () => 'There is no such schedule in this workspace; listTriggers shows those of a function.',
  ),
  'schedules-full': refusal(
    'conflict',
    (about: { limit: number }) =>
      `The workspace has ${about.limit} schedules, which is the limit; delete those that are no longer needed.`,
  ),
  'account-schedules-off': refusal(
    'forbidden',
    () =>
      'A schedule of a site cannot start an account function here; an Owner or Admin can switch that on with updateSettings accountFunctionScheduleTargets.',
  ),
  'mailhook-not-found': refusal(
    'not-found',
    () => 'There is no such mailhook in this workspace; listMailhooks shows those there are.',
  ),
  'mailhook-target-halved': invalid(
    eachCall,
    () => 'A mailhook is pointed at another target by targetKind and targetRef together; send both, or neither.',
  ),
  'inbound-email-not-found': refusal(
    'not-found',
    () => 'There is no such mail in this workspace; listInboundEmails shows those there are.',
  ),
  'inbound-email-in-hand': refusal(
    'conflict',
    () => 'This mail was not run yet; wait until listInboundEmails shows what became of it.',
  ),
  'inbound-email-unreadable': refusal(
    'conflict',
    () => 'This mail could not be read, so nothing can be run with it; listInboundEmails says why.',
  ),
  'webhook-not-found': refusal('not-found', () => 'There is no such webhook.'),
  'webhook-secrets-full': refusal(
    'conflict',
    () =>
      'Two secrets are accepted already; take the previous one out with removePrevious true, in this call or before it.',
  ),
  'delivery-not-verified': refusal(
    'forbidden',
    () => 'The delivery is not signed as this webhook asks, so nothing was run; sign the bytes that you send, and now.',
  ),
  'site-webhooks-off': refusal(
    'forbidden',
    () => 'A site function cannot have a webhook yet: the switch siteFunctionWebhooks is off in this workspace.',
  ),
};

const known = { ...engineRefusals, ...sitesRefusals, ...functionsRefusals, ...triggersRefusals };
export const refusalOf = refusalsOf(known);
export const refuse: Refuse<typeof known> = refusing(known);
