import { invalid, refusal } from './refusal-entry.js';

/** What the API of a site's visitors refuses. */
export const visitorsRefusals = {
  'visitor-rate': refusal(
    'limited',
    () => 'More calls came from your address than this site takes; try again in a moment.',
  ),
  'site-rate': refusal('limited', () => 'More calls come to this site than it takes; try again in a moment.'),
  'origin-not-own': refusal(
    'forbidden',
    () => 'This was sent by a page of another site, and the cookie of this site is for its own pages alone.',
  ),
  'site-entry-required': refusal(
    'unauthenticated',
    () => 'Only members of the workspace use this preview or app; open it again to sign in.',
  ),
  'sign-in-off': refusal('forbidden', () => 'This site has no sign-in; its owner can switch it on.'),
  'sign-up-off': refusal('forbidden', () => 'This site takes no new users now; ask its owner.'),
  'sign-up-limit': refusal('limited', (about: { most: number; of: 'address' | 'site' }) =>
    about.of === 'address'
      ? `${about.most} people have signed up from your address within an hour, which is as many as may; try again later.`
      : `${about.most} people have signed up at this site within an hour, which is as many as may; try again later.`,
  ),
  'log-in-failed': refusal(
    'unauthenticated',
    () => 'The email or the password is not right; check both, or have the password reset.',
  ),
  'email-not-verified': refusal(
    'unauthenticated',
    () => 'Your email is not verified yet; open the link in the mail that was sent to you, or ask for another one.',
  ),
  'sign-in-required': refusal('unauthenticated', () => 'You are not signed in; sign in and send the call again.'),
  'sign-in-token-invalid': invalid(
    'token',
    () => 'This link does not work: it was used, its time is over, or it is not whole; ask for another one.',
  ),
  'current-password-wrong': refusal(
    'unauthenticated',
    () => 'currentPassword is not your password; check it, or have the password reset. Nothing was changed.',
  ),
  'guest-rate': refusal(
    'limited',
    () => 'More guests came from your address than this site takes in an hour; use the session you have, or try later.',
  ),
  'guests-off': refusal('forbidden', () => 'This site takes no guests; sign in, or ask its owner.'),
  'email-send-denied': refusal(
    'forbidden',
    () => 'Nothing was sent: this site does not let you send mail; sign in, or ask its owner.',
  ),
  'email-template-unknown': invalid(
    'template',
    (about: { slug: string }) => `Nothing was sent: this site has no email template '${about.slug}'; check its slug.`,
  ),
  'visitor-hourly-limit': refusal(
    'limited',
    (about: { most: number }) =>
      `You did this ${about.most} times within an hour, as often as this site lets you; try again later.`,
  ),
  'site-mail-limit': refusal(
    'limited',
    () => 'Nothing was sent: this site sends no more mail this hour; try again later.',
  ),
  'site-mail-recipient': invalid(
    'to',
    () => 'Nothing was sent: the mail server does not take mail for this address; check it.',
  ),
  'site-mail-not-sent': refusal(
    'unavailable',
    () => 'The mail could not be sent now; try again later, and ask the owner of this site if it stays so.',
  ),
  'social-off': refusal('forbidden', () => 'This site has no sign-in by other services; its owner can switch it on.'),
  'social-provider-unknown': refusal('not-found', () => 'There is no such service to sign in by; choose another one.'),
  'social-away': refusal('unavailable', (about: { why: string }) => `${about.why} Try again later.`),
  'social-flow-unknown': invalid(
    'state',
    () => 'This sign-in was not begun in this browser, was finished already, or took too long; begin it again.',
  ),
  'social-code-invalid': refusal(
    'unauthenticated',
    () => 'This sign-in cannot be finished: its code was used, is too old, or is of another browser; begin it again.',
  ),
  'sign-in-tries': refusal(
    'limited',
    () => 'Too many tries to sign in failed; try again later, or have the password reset.',
  ),
  'origin-not-allowed': refusal(
    'forbidden',
    () =>
      'This was sent by a page of an origin that the site does not name; its owner can name it as an allowed origin.',
  ),
  'websocket-wanted': invalid('upgrade', () => 'Only WebSockets are opened here; send Upgrade: websocket, version 13.'),
  'realtime-away': refusal(
    'unavailable',
    () => 'Messages do not reach the other processes of this service now; try again in a moment.',
  ),
  'sockets-taken': refusal('unavailable', () => 'As many sockets are open here as may be; try again in a moment.'),
  'sockets-of-site': refusal(
    'limited',
    () => 'As many sockets of this site are open as may be; try again in a moment.',
  ),
  'sockets-of-address': refusal(
    'limited',
    () => 'As many sockets of this site are open from your address as may be; close some.',
  ),
  'sockets-of-visitor': refusal('limited', () => 'You have as many sockets of this site open as may be; close some.'),
  'realtime-message-unknown': invalid(
    'type',
    () =>
      'A message is a JSON object whose type is subscribe, unsubscribe, publish, presence, subscribe-rows, unsubscribe-rows or ping.',
  ),
  'realtime-id-invalid': invalid('id', () => 'An id is a text of at most 100 characters, or a number.'),
  'realtime-message-rate': refusal(
    'limited',
    (about: { most: number }) =>
      `This message was passed over: one connection sends at most ${about.most} a second; send fewer.`,
  ),
  'channel-invalid': invalid(
    'channel',
    (about: { longest: number }) =>
      `A channel is named by 1 to ${about.longest} characters without spaces and control characters.`,
  ),
  'channels-taken': refusal(
    'limited',
    (about: { most: number }) => `One connection has at most ${about.most} subscriptions; unsubscribe from some.`,
  ),
  'channel-denied': refusal('forbidden', () => 'You may not listen to this channel; sign in, or ask the owner.'),
  'publish-denied': refusal('forbidden', () => 'You may not publish to this channel; sign in, or ask the owner.'),
  'channel-without-presence': invalid(
    'channel',
    () => 'Only channels whose names begin with presence: tell who listens to them.',
  ),
  'rows-id-missing': invalid('id', () => 'Changes of rows are told under an id; send one.'),
  'rows-table-missing': invalid('table', () => 'Rows are those of a table; send its name or its id.'),
  'realtime-data-missing': invalid('data', () => 'What is published stands in data: any JSON.'),
  'realtime-data-too-large': refusal('too-large', () => 'A message is at most 32 KB of JSON; send less.'),
};
