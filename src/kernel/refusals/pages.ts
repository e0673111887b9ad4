import { refusal } from './refusal-entry.js';

/** What the pages refuse beside what the operations behind them do. A person reads these sentences. */
export const pagesRefusals = {
  'sign-in-failed': refusal(
    'unauthenticated',
    () => 'This key does not open these pages. Use a valid key of your own, of the kind person.',
  ),
  'sign-in-limited': refusal(
    'limited',
    (about: { seconds: number }) =>
      `Too many wrong keys came from your address. Wait ${about.seconds} seconds, then try again.`,
  ),
  'form-from-elsewhere': refusal(
    'forbidden',
    () => 'This form was not sent from a page of your own session, so nothing was done. Load the page and try again.',
  ),
  'form-unreadable': refusal(
    'media-type',
    () => 'This address takes what its form sends. Open the page and use its form.',
  ),
  'site-entry-not-found': refusal(
    'not-found',
    () => 'There is no such preview or app that you may open: members who may edit the project open it.',
  ),
  'preview-busy': refusal('unavailable', () => 'The preview is being built; load it again in a moment.'),
  'preview-not-built': refusal(
    'conflict',
    (about: { why: string }) => `The preview cannot be built as the site is now. ${about.why}`,
  ),
  'page-not-found': refusal('not-found', () => 'There is no such page. What waits for you is in the inbox.'),
} as const;
