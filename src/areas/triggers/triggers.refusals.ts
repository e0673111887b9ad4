import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusalsOf, refusing } from '../../kernel/refusals/refusal.js';
import { eachCall, invalid, refusal } from '../../kernel/refusals/refusal-entry.js';
import { functionsRefusals } from '../functions/functions.refusals.js';
import { sitesRefusals } from '../sites/sites.refusals.js';

export const triggersRefusals = {
  'schedule-not-found': refusal(
    'not-found',
    () => 'There is no such schedule in this workspace; listTriggers lists the schedules of a function.',
  ),
  'schedules-full': refusal(
    'conflict',
    (about: { limit: number }) =>
      `The workspace has ${about.limit} schedules, which is the limit; delete those that are no longer needed.`,
  ),
  'account-schedules-off': refusal(
    'forbidden',
    () =>
      'A schedule of a site cannot start an account function in this workspace; an Owner or Admin can allow it with updateSettings accountFunctionScheduleTargets.',
  ),
  'mailhook-not-found': refusal(
    'not-found',
    () => 'There is no such mailhook in this workspace; listMailhooks lists the mailhooks.',
  ),
  'mailhook-target-halved': invalid(
    eachCall,
    () => 'targetKind and targetRef change the target of a mailhook together; send both, or neither.',
  ),
  'inbound-email-not-found': refusal(
    'not-found',
    () => 'There is no such mail in this workspace; listInboundEmails lists the mail of a mailhook.',
  ),
  'inbound-email-in-hand': refusal(
    'conflict',
    () => 'This mail has not been run yet; wait until listInboundEmails shows its outcome.',
  ),
  'inbound-email-unreadable': refusal(
    'conflict',
    () => 'This mail could not be read, so nothing can be run with it; listInboundEmails shows the reason.',
  ),
  'webhook-not-found': refusal('not-found', () => 'There is no such webhook.'),
  'webhook-secrets-full': refusal(
    'conflict',
    () =>
      'Two secrets are already accepted; remove the previous one with removePrevious true, in this call or before it.',
  ),
  'delivery-not-verified': refusal(
    'forbidden',
    () =>
      'The delivery is not signed as this webhook requires, so nothing was run; sign the exact bytes that you send, with the current time.',
  ),
  'site-webhooks-off': refusal(
    'forbidden',
    () =>
      'A function of a site cannot have a webhook yet, nor can its earlier webhooks be called, because the switch siteFunctionWebhooks is off in this workspace. An Owner or Admin can turn it on with updateSettings.',
  ),
};

const known = { ...engineRefusals, ...sitesRefusals, ...functionsRefusals, ...triggersRefusals };
export const refusalOf = refusalsOf(known);
export const refuse: Refuse<typeof known> = refusing(known);
