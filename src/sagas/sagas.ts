import { Injectable } from '@nestjs/common';
import type { Saga } from '../engine/saga-runner.js';
import { AcceptedRunsAreHandedToRunners } from './accepted-runs-are-handed-to-runners.saga.js';
import { ApprovedChangesAreApplied } from './approved-changes-are-applied.saga.js';
import { DeletedFunctionsTakeTheirWebhooks } from './deleted-functions-take-their-webhooks.saga.js';
import { DroppedInputsAreDestroyed } from './dropped-inputs-are-destroyed.saga.js';
import { NewerCardsReplaceOlderOnes } from './newer-cards-replace-older-ones.saga.js';
import { RemovedMembersLoseTheirKeys } from './removed-members-lose-their-keys.saga.js';
import { TheVaultFollowsRecordedSecrets } from './the-vault-follows-recorded-secrets.saga.js';

/** Every durable process there is. */
@Injectable()
export class Sagas {
  readonly all: readonly Saga[];

  constructor(
    runs: AcceptedRunsAreHandedToRunners,
    webhooks: DeletedFunctionsTakeTheirWebhooks,
    keys: RemovedMembersLoseTheirKeys,
    approved: ApprovedChangesAreApplied,
    newer: NewerCardsReplaceOlderOnes,
    secrets: TheVaultFollowsRecordedSecrets,
    inputs: DroppedInputsAreDestroyed,
  ) {
    this.all = [runs, webhooks, keys, approved, newer, secrets, inputs];
  }
}

export const sagaProviders = [
  AcceptedRunsAreHandedToRunners,
  DeletedFunctionsTakeTheirWebhooks,
  RemovedMembersLoseTheirKeys,
  ApprovedChangesAreApplied,
  NewerCardsReplaceOlderOnes,
  TheVaultFollowsRecordedSecrets,
  DroppedInputsAreDestroyed,
  Sagas,
];
