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

export const engineRefusals = {
  ...kernelRefusals,
  'pending-change-moved': refusal(
    'conflict',
    (about: { reason: string; isCall?: boolean }) =>
      `${about.reason} Nothing was applied. ${about.isCall ? 'Have the call made again.' : 'Ask for it again: approvals/askAgain creates a new card for it.'}`,
  ),
  'undo-unavailable': refusal(
    'conflict',
    (about: { why: string }) => `This can no longer be undone: ${about.why}. Make the change you want instead.`,
  ),
  'assistant-not-configured': refusal(
    'unavailable',
    () =>
      'No assistant is configured, so nothing was made or charged; the operator of this service can set ASSISTANT_URL.',
  ),
  'assistant-unavailable': refusal(
    'unavailable',
    () => 'The assistant cannot be reached or does not answer now. Nothing was charged; send the call again later.',
  ),
  'assistant-refused': refusal(
    'unavailable',
    () =>
      'The assistant refused the request of this service, and nothing was charged; send less code, or ask the operator of this service, whose log has the reason.',
  ),
  'assistant-made-nothing': refusal(
    'unavailable',
    () =>
      "The assistant's answer cannot be used, so nothing was made or charged; send the call again, or word it differently.",
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
    () => 'X-Dry-Run is only for commands at /api/v1, and nothing was done; omit the header to make this call.',
  ),
  'dry-run-unclear': invalid(
    'X-Dry-Run',
    () => 'X-Dry-Run must be true or false, and nothing was done; send one of them, or omit the header.',
  ),
  'workspace-quota': refusal(
    'limited',
    (about: { megabytes: number }) =>
      `This workspace has recorded its ${about.megabytes} MB for today; commands are accepted again after midnight UTC. Until then, only deletions and changes that shut visitors out are carried out.`,
  ),
  'runs-quota': refusal(
    'limited',
    (about: { megabytes: number }) =>
      `The runs of this workspace have recorded their ${about.megabytes} MB for today; new ones begin after midnight UTC.`,
  ),
  'files-quota': refusal(
    'limited',
    (about: { megabytes: number }) =>
      `This workspace has stored its ${about.megabytes} MB of files for today; more are accepted after midnight UTC.`,
  ),
  'visitors-quota': refusal(
    'limited',
    (about: { megabytes: number }) =>
      `Visitors of this site have recorded their ${about.megabytes} MB for today; try again after midnight UTC.`,
  ),
  'records-full': refusal(
    'limited',
    (about: { kind: string; most: number }) =>
      `This workspace has ${about.most} records of the kind ${about.kind}, which is the limit; delete some first, or ask the operator of the service for more.`,
  ),
  'invalid-json': invalid('', (about: { cause: string }) => `The body is not JSON: ${about.cause}.`),
  'invalid-body': invalid('', () => 'The body must be a JSON object; send {} if the operation has no parameters.'),
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
      `This key is read-only and may not call ${about.operation}; use a key that may make changes.`,
  ),
  'key-narrowed': refusal(
    'forbidden',
    (about: { what: string }) =>
      `This key is restricted to other areas or functions, and has no access to ${about.what}; use a key that has.`,
  ),
  'key-never-deletes': refusal(
    'forbidden',
    (about: { operation: string }) =>
      `This key never deletes, and ${about.operation} deletes or revokes something; use another key.`,
  ),
  'idempotency-key-invalid': invalid(
    'Idempotency-Key',
    () => 'An Idempotency-Key must be 1 to 255 printable ASCII characters; send such a key, or none.',
  ),
  'idempotency-key-reused': refusal(
    'conflict',
    () => 'This Idempotency-Key was used before with another call; send a new key for a new call.',
  ),
  'idempotency-key-in-progress': refusal(
    'conflict',
    () => 'The first call with this Idempotency-Key is still being processed; send the same call again in a moment.',
  ),
  'resource-not-found': refusal(
    'not-found',
    () => 'There is no such resource in this workspace, or you may not see it.',
  ),
  'too-much-contention': refusal(
    'conflict',
    () => 'The record kept changing while this call was being processed, and nothing was done; send the call again.',
  ),
  'newer-version-needed': refusal(
    'unavailable',
    (about: { type: string }) =>
      `A newer version of the service has recorded an event here (${about.type}) that this version must not ignore; send the call again later, when the newer version responds.`,
  ),
  'record-set-aside': refusal(
    'unavailable',
    (about: { type: string }) =>
      `This record can be neither shown nor changed now, because the service could not process one of its events (${about.type}); tell the operator of the service, whose log names it.`,
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
      'The query was aborted because it takes too long: narrow the filter, search for shorter texts, or index the field that it uses.',
  ),
};

export const refusalOf = refusalsOf(engineRefusals);
export const refuse: Refuse<typeof engineRefusals> = refusing(engineRefusals);
