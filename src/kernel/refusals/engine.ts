import { eachCall, invalid, refusal } from './refusal-entry.js';

/** What the pipeline itself refuses, before and around every operation. */
export const engineRefusals = {
  'unknown-operation': refusal(
    'not-found',
    (about: { path: string }) => `There is no operation at ${about.path}; /api/openapi.json lists them all.`,
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
  'media-type-not-supported': refusal(
    'media-type',
    () => 'The body must be JSON; send it with the header Content-Type: application/json.',
  ),
  'body-too-large': refusal(
    'too-large',
    (about: { limit: number }) => `The body is larger than ${about.limit} bytes; send less.`,
  ),
  'bodies-taken': refusal(
    'unavailable',
    () => 'Too many request bodies are being received at once; send the call again in a moment.',
  ),
  'dry-run-not-supported': invalid(
    'X-Dry-Run',
    () =>
      'X-Dry-Run is for commands at /api/v1, and nothing was done; leave the header out to have this call really made.',
  ),
  'dry-run-unclear': invalid(
    'X-Dry-Run',
    () => 'X-Dry-Run is either true or false, and nothing was done; send one of them, or leave the header out.',
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
  'workspace-quota': refusal(
    'limited',
    (about: { megabytes: number }) =>
      `This workspace has recorded its ${about.megabytes} MB of today; commands are taken again after midnight UTC. Until then only deletions, and what shuts visitors out, are carried out.`,
  ),
  'runs-quota': refusal(
    'limited',
    (about: { megabytes: number }) =>
      `The runs of this workspace have recorded their ${about.megabytes} MB of today; new ones begin after midnight UTC.`,
  ),
  'files-quota': refusal(
    'limited',
    (about: { megabytes: number }) =>
      `This workspace has stored its ${about.megabytes} MB of files of today; more are taken after midnight UTC.`,
  ),
  'visitors-quota': refusal(
    'limited',
    (about: { megabytes: number }) =>
      `Visitors have recorded the ${about.megabytes} MB that are kept of them in a day; try again after midnight UTC.`,
  ),
  'records-full': refusal(
    'limited',
    (about: { kind: string; most: number }) =>
      `This workspace has ${about.most} records of the kind ${about.kind}, which is the limit; delete some first, or ask whoever runs the service for more.`,
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
  'invalid-json': invalid('', (about: { cause: string }) => `The body is not JSON: ${about.cause}.`),
  'invalid-body': invalid('', () => 'The body must be a JSON object; send {} where an operation takes nothing.'),
  'invalid-input': invalid(
    eachCall,
    (about: { paths: string }) => `The input does not fit: look at ${about.paths} and send the call again.`,
  ),
  'key-missing': refusal(
    'unauthenticated',
    () => 'No API key came with the call; send the header Authorization: Bearer <API key>.',
  ),
  'key-invalid': refusal(
    'unauthenticated',
    () => 'This API key is unknown, revoked or expired; use another, or ask an Owner or Admin for a new one.',
  ),
  'caller-not-allowed': refusal(
    'forbidden',
    (about: { kind: string; operation: string }) =>
      `${about.operation} is not open to this kind of caller (${about.kind}); a person has to do it.`,
  ),
  'permission-missing': refusal(
    'forbidden',
    (about: { permission: string; operation: string }) =>
      `${about.operation} needs the right '${about.permission}', which this caller does not have; an Owner or Admin can grant it.`,
  ),
  'viewer-refused': refusal(
    'forbidden',
    (about: { operation: string }) =>
      `A Viewer may not call ${about.operation}; ask an Owner or Admin for a role that may.`,
  ),
  'read-only-key': refusal(
    'forbidden',
    (about: { operation: string }) =>
      `This key only reads, and ${about.operation} is refused to it; use a key that may change things.`,
  ),
  'key-narrowed': refusal(
    'forbidden',
    (about: { what: string }) =>
      `This key is narrowed to other areas or functions, and does not reach ${about.what}; use a key that does.`,
  ),
  'key-never-deletes': refusal(
    'forbidden',
    (about: { operation: string }) =>
      `This key never deletes, and ${about.operation} takes something away; use another key.`,
  ),
  'idempotency-key-invalid': invalid(
    'Idempotency-Key',
    () => 'An Idempotency-Key is 1 to 255 printable ASCII characters; send such a one or none.',
  ),
  'idempotency-key-reused': refusal(
    'conflict',
    () => 'This Idempotency-Key was used before with another call; send a new key for a new call.',
  ),
  'idempotency-key-in-progress': refusal(
    'conflict',
    () => 'The first call with this Idempotency-Key is still going; send the same call again in a moment.',
  ),
  'resource-not-found': refusal(
    'not-found',
    () => 'There is no such resource in this workspace, or it is not yours to see.',
  ),
  'too-much-contention': refusal(
    'conflict',
    () => 'The record kept changing while this call was being decided, and nothing was done; send the call again.',
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
  'newer-version-needed': refusal(
    'unavailable',
    (about: { type: string }) =>
      `A newer version of the service has recorded something here (${about.type}) that this version must not go on without; send the call again later, when the newer version answers.`,
  ),
  'record-set-aside': refusal(
    'unavailable',
    (about: { type: string }) =>
      `This record can be neither shown nor changed now, because the service failed to take in one of its events (${about.type}); tell whoever runs the service, whose log names it.`,
  ),
  'store-unavailable': refusal(
    'unavailable',
    (about: { store: string }) => `The ${about.store} cannot be reached or written now; send the call again later.`,
  ),
} as const;
