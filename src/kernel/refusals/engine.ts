import { no } from './no.js';

/** What the pipeline itself refuses, before and around every operation. */
export const engineRefusals = {
  'unknown-operation': no(
    'not-found',
    (about: { path: string }) => `There is no operation at ${about.path}; /api/openapi.json lists them all.`,
  ),
  'unknown-path': no(
    'not-found',
    (about: { path: string }) =>
      `There is nothing at ${about.path}; operations stand below /api/v1, and /api/docs shows them.`,
  ),
  'bad-request': no('invalid', () => 'The request could not be read; check its headers and send it again.'),
  'method-not-allowed': no(
    'method',
    (about: { method: string; allow: string }) => `${about.method} does nothing here; send ${about.allow}.`,
  ),
  'media-type-not-supported': no(
    'media-type',
    () => 'The body has to be JSON; send it with the header Content-Type: application/json.',
  ),
  'body-too-large': no(
    'too-large',
    (about: { limit: number }) => `The body is larger than ${about.limit} bytes; send less.`,
  ),
  'bodies-taken': no(
    'unavailable',
    () => 'Too many bodies are coming in at once, and this one did not fit; send the call again in a moment.',
  ),
  'dry-run-not-supported': no(
    'invalid',
    () => 'X-Dry-Run is not supported and nothing was done; leave the header out to have the call really made.',
  ),
  'wrong-keys-limited': no(
    'limited',
    (about: { seconds: number }) =>
      `Too many wrong keys came from your address; send the right one in ${about.seconds} seconds.`,
  ),
  'key-rate': no(
    'limited',
    () => 'This key makes more calls a second than it may; slow down, or ask whoever runs the service for more.',
  ),
  'workspace-rate': no(
    'limited',
    () => 'This workspace makes more calls a second than it may; slow down, or ask whoever runs the service for more.',
  ),
  'webhook-rate': no(
    'limited',
    () => 'This webhook is called more often than it may be; send the delivery again in a moment.',
  ),
  'workspace-quota': no(
    'limited',
    (about: { megabytes: number }) =>
      `This workspace has recorded its ${about.megabytes} MB of today; commands are taken again after midnight UTC. Until then only what takes away is done.`,
  ),
  'records-full': no(
    'limited',
    (about: { kind: string; most: number }) =>
      `This workspace has ${about.most} records of the kind ${about.kind}, which is the most it may; delete some first, or ask whoever runs the service for more.`,
  ),
  'metrics-not-open': no(
    'forbidden',
    () => 'The metrics are for this machine alone; set METRICS_TOKEN and send it as a Bearer token to read them.',
  ),
  'metrics-token-wrong': no(
    'unauthenticated',
    () => 'The metrics are read with the METRICS_TOKEN of this service as a Bearer token.',
  ),
  'form-malformed': no(
    'invalid',
    (about: { cause: string }) => `The multipart/form-data body cannot be read: ${about.cause}.`,
  ),
  'form-too-large': no('too-large', (about: { most: string }) => `The form has more than ${about.most}; send less.`),
  'forms-taken': no('unavailable', () => 'So many forms are being taken in that there is no room; send it again soon.'),
  'invalid-json': no('invalid', (about: { cause: string }) => `The body is not JSON: ${about.cause}.`),
  'invalid-body': no('invalid', () => 'The body has to be a JSON object; send {} where an operation takes nothing.'),
  'invalid-input': no(
    'invalid',
    (about: { paths: string }) => `The input does not fit: look at ${about.paths} and send the call again.`,
  ),
  'key-missing': no(
    'unauthenticated',
    () => 'No API key came with the call; send the header Authorization: Bearer <API key>.',
  ),
  'key-invalid': no(
    'unauthenticated',
    () => 'This API key is unknown, revoked or expired; use another, or ask an Owner or Admin for a new one.',
  ),
  'caller-not-allowed': no(
    'forbidden',
    (about: { kind: string; operation: string }) =>
      `${about.operation} is not open to this kind of caller (${about.kind}); a person has to do it.`,
  ),
  'permission-missing': no(
    'forbidden',
    (about: { permission: string; operation: string }) =>
      `${about.operation} needs the right '${about.permission}', which this caller does not have; an Owner or Admin can grant it.`,
  ),
  'viewer-refused': no(
    'forbidden',
    (about: { operation: string }) =>
      `A Viewer may not call ${about.operation}; ask an Owner or Admin for a role that may.`,
  ),
  'read-only-key': no(
    'forbidden',
    (about: { operation: string }) =>
      `This key only reads, and ${about.operation} is refused to it; use a key that may change things.`,
  ),
  'key-never-deletes': no(
    'forbidden',
    (about: { operation: string }) =>
      `This key never deletes, and ${about.operation} takes something away; use another key.`,
  ),
  'idempotency-key-invalid': no(
    'invalid',
    () => 'An Idempotency-Key is 1 to 255 printable ASCII characters; send such a one or none.',
  ),
  'idempotency-key-reused': no(
    'conflict',
    () => 'This Idempotency-Key was used before with another call; send a new key for a new call.',
  ),
  'idempotency-key-in-progress': no(
    'conflict',
    () => 'The first call with this Idempotency-Key is still going; send the same call again in a moment.',
  ),
  'resource-not-found': no(
    'not-found',
    () => 'There is no such resource in this workspace, or it is not yours to see.',
  ),
  'too-much-contention': no(
    'conflict',
    () => 'The record kept changing while this call was decided; nothing was done, send it again.',
  ),
  'service-starting': no(
    'unavailable',
    () => 'This process is starting or stopping and takes no calls now; send the call again in a moment.',
  ),
  'no-api-here': no(
    'unavailable',
    () => 'This process takes no calls, because its ROLES do not name api; call one whose do.',
  ),
  'store-unavailable': no(
    'unavailable',
    (about: { store: string }) => `The ${about.store} cannot be reached or written now; send the call again later.`,
  ),
} as const;
