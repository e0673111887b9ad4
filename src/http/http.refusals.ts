import { areasRefusals } from '../areas/areas.refusals.js';
import { type Refuse, refusalsOf, refusing } from '../kernel/refusals/refusal.js';
import { invalid, refusal } from '../kernel/refusals/refusal-entry.js';
import { mcpRefusals } from './mcp/mcp.refusals.js';

export const httpRefusals = {
  'last-event-id-invalid': invalid(
    'Last-Event-ID',
    () => 'Last-Event-ID must be an id from this stream; send one, or omit it to receive only new events.',
  ),
  'event-streams-taken': refusal(
    'unavailable',
    () => 'This process has reached its limit of open event streams; try again later, or use another process.',
  ),
  'event-streams-of-workspace': refusal(
    'limited',
    () => 'This workspace has reached its limit of open event streams in this process; close some of them.',
  ),
  'event-streams-of-caller': refusal(
    'limited',
    () => 'You have reached the limit of open event streams per caller in this process; close some of them.',
  ),
  'audit-not-as-sealed': refusal(
    'conflict',
    (about: { why: string }) =>
      `The log differs from what was sealed: ${about.why}. The export is not signed; an operator can get details with audit:verify, and an export without from returns what precedes the difference.`,
  ),
  'audit-exports-taken': refusal(
    'limited',
    () => 'Too many exports of the audit are in progress; try again when one has ended.',
  ),
  'unknown-path': refusal(
    'not-found',
    (about: { path: string }) =>
      `There is nothing at ${about.path}; operations are below /api/v1, and /api/docs lists them.`,
  ),
  'bad-request': invalid('', () => 'The request could not be read; check its headers and send it again.'),
  'path-malformed': invalid(
    '',
    () => 'The path contains an invalid escape; escapes must be UTF-8, in which %C3%BC is one character.',
  ),
  'path-part-too-long': refusal(
    'not-found',
    (about: { limit: number }) =>
      `A part of the path is longer than ${about.limit} characters, which no name is; check the path.`,
  ),
  'content-encoding-not-supported': refusal(
    'media-type',
    () => 'The body must not be compressed; send it without Content-Encoding.',
  ),
  'method-not-allowed': refusal(
    'method',
    (about: { method: string; allow: string }) => `${about.method} is not supported here; send ${about.allow}.`,
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
      `Too many invalid keys were sent from your address; send a valid one in ${about.seconds} seconds.`,
  ),
  'key-rate': refusal(
    'limited',
    () =>
      'This key makes more calls per second than allowed; slow down, or ask the operator of the service for a higher limit.',
  ),
  'workspace-rate': refusal(
    'limited',
    () =>
      'This workspace makes more calls per second than allowed; slow down, or ask the operator of the service for a higher limit.',
  ),
  'webhook-rate': refusal(
    'limited',
    () => 'This webhook is called more often than allowed; send the delivery again in a moment.',
  ),
  'metrics-not-open': refusal(
    'forbidden',
    () =>
      'The metrics are available only from the same machine; set METRICS_TOKEN and send it as a Bearer token to read them from elsewhere.',
  ),
  'metrics-token-wrong': refusal(
    'unauthenticated',
    () => 'Reading the metrics requires the METRICS_TOKEN of this service as a Bearer token.',
  ),
  'form-malformed': invalid(
    '',
    (about: { cause: string }) => `The multipart/form-data body cannot be read: ${about.cause}.`,
  ),
  'form-too-large': refusal(
    'too-large',
    (about: { most: string }) => `The form has more than ${about.most}; send less.`,
  ),
  'forms-taken': refusal(
    'unavailable',
    () => 'Too many forms are being received at once; send this one again in a moment.',
  ),
  'key-missing': refusal(
    'unauthenticated',
    () => 'The call has no API key; send the header Authorization: Bearer <API key>.',
  ),
  'key-invalid': refusal(
    'unauthenticated',
    () => 'This API key is unknown, revoked or expired; use another, or ask an Owner or Admin for a new one.',
  ),
  'service-starting': refusal(
    'unavailable',
    () => 'This process is starting or stopping and does not accept calls; send the call again in a moment.',
  ),
  'service-stopping': refusal(
    'unavailable',
    () =>
      'The service is stopping, and this call has not ended in time. Its effects may still take place: check, or send a command again with the same Idempotency-Key, which has no second effect.',
  ),
  'no-api-here': refusal(
    'unavailable',
    () => 'This process does not accept calls, because its ROLES do not include api; call a process whose roles do.',
  ),
  'sign-in-failed': refusal(
    'unauthenticated',
    () => 'You cannot sign in to these pages with this key. Use a valid key of your own, of the kind person.',
  ),
  'sign-in-limited': refusal(
    'limited',
    (about: { seconds: number }) =>
      `Too many invalid keys were sent from your address. Try again in ${about.seconds} seconds.`,
  ),
  'form-from-elsewhere': refusal(
    'forbidden',
    () => 'This form was not sent from a page of your own session, so nothing was done. Reload the page and try again.',
  ),
  'form-unreadable': refusal(
    'media-type',
    () => 'This address accepts only its own form. Open the page and use its form.',
  ),
  'site-entry-not-found': refusal(
    'not-found',
    () =>
      'There is no such preview or app that you may open; only members who may edit the project can open it, with a key that is not read-only or limited to some areas or functions.',
  ),
  'preview-busy': refusal('unavailable', () => 'The preview is being built; reload it in a moment.'),
  'preview-not-built': refusal(
    'conflict',
    (about: { why: string }) => `The preview cannot be built from the current content of the site. ${about.why}`,
  ),
  'buyer-not-signed-in': refusal('unauthenticated', () => 'Sign in first: a purchase belongs to a user of the site.'),
  'rows-answer-too-large': refusal(
    'too-large',
    (about: { megabytes: number }) =>
      `The response is larger than ${about.megabytes} MB; request fewer rows. Any change that the call makes was made.`,
  ),
  'file-type-differs': refusal(
    'media-type',
    (about: { contentType: string }) =>
      `The link was created for a file of the type ${about.contentType}; send that as the Content-Type.`,
  ),
  'file-transfers-taken': refusal(
    'unavailable',
    () => 'Too many files are being sent or received at once; try again in a moment.',
  ),
  'file-rate': refusal(
    'limited',
    () => 'The files of this site are requested more often than allowed; try again in a moment.',
  ),
  'visitor-rate': refusal(
    'limited',
    () => 'Your address sends more calls to this site than allowed; try again in a moment.',
  ),
  'site-rate': refusal('limited', () => 'This site receives more calls than allowed; try again in a moment.'),
  'origin-not-own': refusal(
    'forbidden',
    () => 'This request was sent by a page of another site, but the cookie of this site is only for its own pages.',
  ),
  'site-entry-required': refusal(
    'unauthenticated',
    () => 'Only members of the workspace can use this preview or app; open it again to sign in.',
  ),
  'sign-in-required': refusal('unauthenticated', () => 'You are not signed in; sign in and send the call again.'),
  'origin-not-allowed': refusal(
    'forbidden',
    () =>
      "This request was sent by a page of an origin that the site does not allow; the site's owner can add it to allowedOrigins.",
  ),
  'websocket-wanted': invalid(
    'upgrade',
    () => 'Only WebSocket connections are accepted here; send Upgrade: websocket with version 13.',
  ),
  'sockets-taken': refusal(
    'unavailable',
    () => 'This process has reached its limit of open WebSockets; try again in a moment.',
  ),
  'sockets-of-site': refusal(
    'limited',
    () => 'This site has reached its limit of open WebSockets; try again in a moment.',
  ),
  'sockets-of-address': refusal(
    'limited',
    () => 'Your address has reached its limit of open WebSockets at this site; close some.',
  ),
  'sockets-of-visitor': refusal(
    'limited',
    () => 'You have reached your limit of open WebSockets at this site; close some.',
  ),
  'realtime-message-unknown': invalid(
    'type',
    () =>
      'A message must be a JSON object whose type is subscribe, unsubscribe, publish, presence, subscribe-rows, unsubscribe-rows or ping.',
  ),
  'realtime-id-invalid': invalid('id', () => 'An id must be a string of at most 100 characters, or a number.'),
  'realtime-message-rate': refusal(
    'limited',
    (about: { most: number }) =>
      `This message was ignored: one connection may send at most ${about.most} messages per second; send fewer.`,
  ),
};

/** The meaning of a published code never changes. */
export const refusals = { ...areasRefusals, ...httpRefusals, ...mcpRefusals };

export type RefusalCode = keyof typeof refusals;

export const refusalOf = refusalsOf(refusals);
export const refuse: Refuse<typeof refusals> = refusing(refusals);
