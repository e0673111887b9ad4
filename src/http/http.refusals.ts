import { areasRefusals } from '../areas/areas.refusals.js';
import { type Refuse, refusalsOf, refusing } from '../kernel/refusals/refusal.js';
import { invalid, refusal } from '../kernel/refusals/refusal-entry.js';
import { mcpRefusals } from './mcp/mcp.refusals.js';

export const httpRefusals = {
  'last-event-id-invalid': invalid(
    'Last-Event-ID',
    () =>
      'Last-Event-ID has to be an id that this stream has given; send one, or leave it out to hear what happens from now on.',
  ),
  'event-streams-taken': refusal(
    'unavailable',
    () => 'This process has as many event streams open as it can serve; try again later, or ask another process.',
  ),
  'event-streams-of-workspace': refusal(
    'limited',
    () => 'This workspace has as many event streams open here as one workspace may have; close some of them.',
  ),
  'event-streams-of-caller': refusal(
    'limited',
    () => 'You have as many event streams open here as one caller may have; close some of them.',
  ),
  'audit-not-as-sealed': refusal(
    'conflict',
    (about: { why: string }) =>
      `What the log holds is not what was sealed: ${about.why}. Nothing is signed over it; an operator can have audit:verify say more, and an export without from has what comes before.`,
  ),
  'audit-exports-taken': refusal(
    'limited',
    () => 'As many exports of the audit are under way here as there may be at once; try again when one has ended.',
  ),
  'unknown-path': refusal(
    'not-found',
    (about: { path: string }) =>
      `There is nothing at ${about.path}; operations stand below /api/v1, and /api/docs shows them.`,
  ),
  'bad-request': invalid('', () => 'The request could not be read; check its headers and send it again.'),
  'path-malformed': invalid(
    '',
    () => 'The path has an escape that stands for no character; send UTF-8, in which %C3%BC is one character.',
  ),
  'path-part-too-long': refusal(
    'not-found',
    (about: { limit: number }) =>
      `A part of the path is longer than ${about.limit} characters, and nothing has such a name; check the path.`,
  ),
  'content-encoding-not-supported': refusal(
    'media-type',
    () => 'The body must be sent as it is; leave out Content-Encoding and compress nothing.',
  ),
  'method-not-allowed': refusal(
    'method',
    (about: { method: string; allow: string }) => `${about.method} does nothing here; send ${about.allow}.`,
  ),
  'body-too-large': refusal(
    'too-large',
    (about: { limit: number }) => `The body is larger than ${about.limit} bytes; send less.`,
  ),
  'bodies-taken': refusal(
    'unavailable',
    () => 'Too many request bodies are being received at once; send the call again in a moment.',
  ),
  'wrong-keys-limited': refusal(
    'limited',
    (about: { seconds: number }) =>
      `Too many wrong keys came from your address; send the right one in ${about.seconds} seconds.`,
  ),
  'key-rate': refusal(
    'limited',
    () => 'This key makes more calls per second than it may; slow down, or ask whoever runs the service for more.',
  ),
  'workspace-rate': refusal(
    'limited',
    () =>
      'This workspace makes more calls per second than it may; slow down, or ask whoever runs the service for more.',
  ),
  'webhook-rate': refusal(
    'limited',
    () => 'This webhook is called more often than it may be; send the delivery again in a moment.',
  ),
  'metrics-not-open': refusal(
    'forbidden',
    () => 'The metrics are for this machine alone; set METRICS_TOKEN and send it as a Bearer token to read them.',
  ),
  'metrics-token-wrong': refusal(
    'unauthenticated',
    () => 'The metrics are read with the METRICS_TOKEN of this service as a Bearer token.',
  ),
  'form-malformed': invalid(
    '',
    (about: { cause: string }) => `The multipart/form-data body cannot be read: ${about.cause}.`,
  ),
  'form-too-large': refusal(
    'too-large',
    (about: { most: string }) => `The form has more than ${about.most}; send less.`,
  ),
  'forms-taken': refusal('unavailable', () => 'Too many forms are being received at once; send this one again soon.'),
  'key-missing': refusal(
    'unauthenticated',
    () => 'No API key came with the call; send the header Authorization: Bearer <API key>.',
  ),
  'key-invalid': refusal(
    'unauthenticated',
    () => 'This API key is unknown, revoked or expired; use another, or ask an Owner or Admin for a new one.',
  ),
  'service-starting': refusal(
    'unavailable',
    () => 'This process is starting or stopping and takes no calls now; send the call again in a moment.',
  ),
  'service-stopping': refusal(
    'unavailable',
    () =>
      'The service is stopping, and this call has not ended in time. What it began may still be done: look, or send a command again with the same Idempotency-Key, which does nothing twice.',
  ),
  'no-api-here': refusal(
    'unavailable',
    () => 'This process takes no calls, because its ROLES do not name api; call one whose do.',
  ),
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
  'buyer-not-signed-in': refusal(
    'unauthenticated',
    () => 'Sign in first: what is bought belongs to a user of the site.',
  ),
  'rows-answer-too-large': refusal(
    'too-large',
    (about: { megabytes: number }) =>
      `The answer is more than ${about.megabytes} MB; ask for fewer rows. What the call was to change is changed.`,
  ),
  'file-type-differs': refusal(
    'media-type',
    (about: { contentType: string }) =>
      `The link was made for a file of the type ${about.contentType}; send that as the Content-Type.`,
  ),
  'file-transfers-taken': refusal(
    'unavailable',
    () => 'Too many files are being sent or received at once; try again in a moment.',
  ),
  'file-rate': refusal(
    'limited',
    () => 'The files of this site are asked for more often than they may be; try again in a moment.',
  ),
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
  'sign-in-required': refusal('unauthenticated', () => 'You are not signed in; sign in and send the call again.'),
  'origin-not-allowed': refusal(
    'forbidden',
    () =>
      'This was sent by a page of an origin that the site does not name; its owner can name it as an allowed origin.',
  ),
  'websocket-wanted': invalid('upgrade', () => 'Only WebSockets are opened here; send Upgrade: websocket, version 13.'),
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
};

/** All refusals of the service, by code. The meaning of a published code never changes. */
export const refusals = { ...areasRefusals, ...httpRefusals, ...mcpRefusals };

export type RefusalCode = keyof typeof refusals;

export const refusalOf = refusalsOf(refusals);
export const refuse: Refuse<typeof refusals> = refusing(refusals);
