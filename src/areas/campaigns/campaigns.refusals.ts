import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusing } from '../../kernel/refusals/refusal.js';
import { invalid, refusal } from '../../kernel/refusals/refusal-entry.js';
import { mailboxesRefusals } from '../mailboxes/mailboxes.refusals.js';

export const campaignsRefusals = {
  'campaign-not-found': refusal(
    'not-found',
    () => 'There is no such campaign; listCampaigns lists the campaigns of the site.',
  ),
  'campaign-not-draft': refusal(
    'conflict',
    ({ name, status, what }: { name: string; status: string; what: 'changed' | 'sent' | 'scheduled' }) =>
      `The campaign '${name}' is ${status}, and only a draft can be ${what}; create another one.`,
  ),
  'campaign-not-sending': refusal(
    'conflict',
    ({ name, status }: { name: string; status: string }) =>
      `The campaign '${name}' is ${status === 'draft' ? 'a draft' : status}; only one that is sending can be paused or resumed.`,
  ),
  'campaign-time-past': invalid('at', () => 'The time must be in the future; sendCampaign sends a campaign now.'),
  'campaign-test-recipient': invalid(
    'to',
    () => 'A test can only be sent to a member of the workspace; send the email address of one.',
  ),
  'campaign-test-failed': refusal('failed', ({ because }: { because: string }) => `The test was not sent: ${because}`),
  'audience-not-judged': refusal(
    'unavailable',
    () => 'The users of the site cannot be evaluated now. Try again later.',
  ),
  'suppression-not-found': refusal(
    'not-found',
    () => 'This address is not suppressed; listSuppressions lists the suppressed addresses of the site.',
  ),
  'suppression-email-invalid': invalid('email', () => 'The email must be one address, such as ada@example.com.'),
  'unsubscribe-link-invalid': refusal(
    'not-found',
    () =>
      'This link does not work. Open the complete link from the mail again, or answer the mail to be removed from its list.',
  ),
};

const known = { ...engineRefusals, ...mailboxesRefusals, ...campaignsRefusals };
export const refuse: Refuse<typeof known> = refusing(known);
