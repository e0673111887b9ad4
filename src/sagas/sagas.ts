import type { Saga } from '../engine/sagas/saga.js';
import { declareRead } from '../kernel/record/understanding.js';
import { AcceptedRunsAreHandedToRunners } from './accepted-runs-are-handed-to-runners.saga.js';
import { AcceptedSiteMailIsHandedToSenders } from './accepted-site-mail-is-handed-to-senders.saga.js';
import { AcceptedStepRunsAreHandedToWorkers } from './accepted-step-runs-are-handed-to-workers.saga.js';
import { AccountEventsFireTriggers } from './account-events-fire-triggers.saga.js';
import { ApprovedChangesAreApplied } from './approved-changes-are-applied.saga.js';
import { BuyersGetReceipts } from './buyers-get-receipts.saga.js';
import { ownerSagas } from './dependents-end-with-their-owners.saga.js';
import { DestroyReplacedSecrets } from './destroy-replaced-secrets.saga.js';
import { FiredSchedulesStartTheirTargets } from './fired-schedules-start-their-targets.saga.js';
import { leftoverSagas } from './leftovers-are-destroyed.saga.js';
import { PaymentsGiveWhatWasBought } from './payments-give-what-was-bought.saga.js';
import { ReceivedMailIsHandedToWorkers } from './received-mail-is-handed-to-workers.saga.js';
import { RemovedMembersLoseTheirKeys } from './removed-members-lose-their-keys.saga.js';
import { ReplaceOlderCards } from './replace-older-cards.saga.js';
import { SitesAreToldOfLostSignInMail } from './sites-are-told-of-lost-sign-in-mail.saga.js';
import { StartedPublishesAreHandedToBuilders } from './started-publishes-are-handed-to-builders.saga.js';
import { TriggerRunsEndWithTheirTargets } from './trigger-runs-end-with-their-targets.saga.js';
import { UpdateDefaultMailbox } from './update-default-mailbox.saga.js';
import { UsersWhoSignedUpAreAskedToVerify } from './users-who-signed-up-are-asked-to-verify.saga.js';

/** All sagas. */
const sagas = [
  AcceptedRunsAreHandedToRunners,
  AcceptedStepRunsAreHandedToWorkers,
  AcceptedSiteMailIsHandedToSenders,
  StartedPublishesAreHandedToBuilders,
  AccountEventsFireTriggers,
  ApprovedChangesAreApplied,
  BuyersGetReceipts,
  FiredSchedulesStartTheirTargets,
  PaymentsGiveWhatWasBought,
  ReplaceOlderCards,
  ReceivedMailIsHandedToWorkers,
  RemovedMembersLoseTheirKeys,
  SitesAreToldOfLostSignInMail,
  UpdateDefaultMailbox,
  DestroyReplacedSecrets,
  TriggerRunsEndWithTheirTargets,
  UsersWhoSignedUpAreAskedToVerify,
];

export class Sagas {
  constructor(readonly all: readonly Saga[]) {
    for (const { reads } of all) declareRead(reads);
  }
}

const made = [...ownerSagas, ...leftoverSagas];

export const sagaProviders = [
  ...sagas,
  ...made,
  {
    provide: Sagas,
    inject: [...sagas, ...made.map(({ provide }) => provide)],
    useFactory: (...all: Saga[]) => new Sagas(all),
  },
];
