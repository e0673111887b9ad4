import type { TargetKind } from '../../kernel/callers/target.js';
import { kernelRefusals } from '../../kernel/refusals/kernel.refusals.js';
import { type Refuse, refusalsOf, refusing } from '../../kernel/refusals/refusal.js';
import { invalid, refusal } from '../../kernel/refusals/refusal-entry.js';

const targetWords: Readonly<Record<TargetKind, string>> = {
  flow: 'flow',
  specialist: 'AI agent',
  account_function: 'function',
  site_function: 'site function',
};

/** All refusals of the kernel and the engine, by code. */
export const engineRefusals = {
  ...kernelRefusals,
  'pending-change-moved': refusal(
    'conflict',
    (about: { reason: string; isCall?: boolean }) =>
      `${about.reason} Nothing was applied. ${about.isCall ? 'Have the call made again.' : 'Ask for it again: approvals/askAgain makes a new card of it.'}`,
  ),
  'undo-unavailable': refusal(
    'conflict',
    (about: { why: string }) => `This can no longer be undone: ${about.why}. Make the change you want instead.`,
  ),
  'assistant-not-configured': refusal(
    'unavailable',
    () => 'No assistant is configured, so nothing was made or charged; whoever runs this service sets ASSISTANT_URL.',
  ),
  'assistant-unavailable': refusal(
    'unavailable',
    () => 'The assistant cannot be reached, or answers nothing now; nothing was charged, send the call again later.',
  ),
  'assistant-refused': refusal(
    'unavailable',
    () =>
      'The assistant did not take what this service sent, and nothing was charged; send less code, or ask whoever runs this service, whose log has the reason.',
  ),
  'assistant-made-nothing': refusal(
    'unavailable',
    () =>
      'The assistant answered nothing that can be used, so nothing was made or charged; send the call again, or say it in other words.',
  ),
  'undo-impossible': refusal('conflict', (about: { why: string }) => `This change cannot be undone. ${about.why}`),
  'trigger-not-found': refusal(
    'not-found',
    () => 'There is no such trigger in this workspace; listTriggers and listAllWebhooks show those there are.',
  ),
  'site-targets-off': refusal(
    'forbidden',
    () =>
      'A site function cannot be a target here; an Owner or Admin can switch that on with updateSettings siteFunctionTargets.',
  ),
  'site-not-found': refusal(
    'not-found',
    () => 'There is no such site in this workspace; sitesManifest lists those there are.',
  ),
  'site-not-granted': refusal(
    'forbidden',
    (about: { name: string }) => `The function '${about.name}' may not reach this site: list it in grants.bases.`,
  ),
  'site-read-only': refusal('forbidden', (about: { site: string }) => `This function may only read ${about.site}.`),
  'base-not-granted': refusal(
    'forbidden',
    (about: { name: string }) => `The function '${about.name}' may not reach this base: list it in grants.databaseIds.`,
  ),
  'target-not-found': refusal(
    'not-found',
    (about: { kind: TargetKind }) =>
      `There is no such ${targetWords[about.kind]} in this workspace to be started; send the id of one that is listed.`,
  ),
  'target-inactive': refusal(
    'conflict',
    (about: { name: string }) =>
      `The function '${about.name}' cannot be started: target is INACTIVE. Activate it with updateFunction isActive true.`,
  ),
  'target-kind-inactive': refusal(
    'conflict',
    (about: { kind: TargetKind; name: string }) =>
      `The ${targetWords[about.kind]} '${about.name}' cannot be started: target is INACTIVE. Activate it first.`,
  ),
  'target-kind-unavailable': refusal(
    'conflict',
    (about: { kind: TargetKind }) =>
      `Nothing can be started as a ${targetWords[about.kind]} here: this service has none. Choose another targetKind.`,
  ),
  'unknown-operation': refusal(
    'not-found',
    (about: { path: string }) => `There is no operation at ${about.path}; /api/openapi.json lists them all.`,
  ),
  'media-type-not-supported': refusal(
    'media-type',
    () => 'The body must be JSON; send it with the header Content-Type: application/json.',
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
      `Visitors of this site have recorded their ${about.megabytes} MB of today; try again after midnight UTC.`,
  ),
  'records-full': refusal(
    'limited',
    (about: { kind: string; most: number }) =>
      `This workspace has ${about.most} records of the kind ${about.kind}, which is the limit; delete some first, or ask whoever runs the service for more.`,
  ),
  'invalid-json': invalid('', (about: { cause: string }) => `The body is not JSON: ${about.cause}.`),
  'invalid-body': invalid('', () => 'The body must be a JSON object; send {} where an operation takes nothing.'),
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
  'row-queries-taken': refusal(
    'unavailable',
    () => 'Too many other queries of rows are waiting; send the call again in a moment.',
  ),
  'row-query-too-long': refusal(
    'unavailable',
    () =>
      'The query was given up, because it takes too long: narrow the filter, look for shorter texts, or index the field that it looks at.',
  ),
};

export const refusalOf = refusalsOf(engineRefusals);
export const refuse: Refuse<typeof engineRefusals> = refusing(engineRefusals);
