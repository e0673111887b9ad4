import type { Saga } from '../engine/sagas/saga.js';
import { declareRead } from '../kernel/record/understanding.js';
import { AcceptedRunsAreHandedToRunners } from './accepted-runs-are-handed-to-runners.saga.js';
import { AcceptedSiteMailIsHandedToSenders } from './accepted-site-mail-is-handed-to-senders.saga.js';
import { AcceptedStepRunsAreHandedToWorkers } from './accepted-step-runs-are-handed-to-workers.saga.js';
import { AccountEventsFireTriggers } from './account-events-fire-triggers.saga.js';
import { ApprovedChangesAreApplied } from './approved-changes-are-applied.saga.js';
import { BuyersGetReceipts } from './buyers-get-receipts.saga.js';
import { DecidedCallsAreDestroyed } from './decided-calls-are-destroyed.saga.js';
import { DeleteContentsOfDeletedProjects } from './delete-contents-of-deleted-projects.saga.js';
import { DeleteTriggersOfDeletedTargets } from './delete-triggers-of-deleted-targets.saga.js';
import { DeletedAppUsersAreForgotten } from './deleted-app-users-are-forgotten.saga.js';
import { DeletedFilesTakeTheirBytes } from './deleted-files-take-their-bytes.saga.js';
import { DeletedFlowsEndTheirRuns } from './deleted-flows-end-their-runs.saga.js';
import { DeletedMailhooksTakeTheirMail } from './deleted-mailhooks-take-their-mail.saga.js';
import { DeletedProjectsTakeTheirRuns } from './deleted-projects-take-their-runs.saga.js';
import { DeletedRolesAreTakenFromUsers } from './deleted-roles-are-taken-from-users.saga.js';
import { DeletedTablesTakeTheirRows } from './deleted-tables-take-their-rows.saga.js';
import { DestroyReplacedSecrets } from './destroy-replaced-secrets.saga.js';
import { DroppedInputsAreDestroyed } from './dropped-inputs-are-destroyed.saga.js';
import { EndedSiteMailLosesItsContent } from './ended-site-mail-loses-its-content.saga.js';
import { ErasedRowsLoseTheirKeys } from './erased-rows-lose-their-keys.saga.js';
import { FiredSchedulesStartTheirTargets } from './fired-schedules-start-their-targets.saga.js';
import { PaymentsGiveWhatWasBought } from './payments-give-what-was-bought.saga.js';
import { ReceivedMailIsHandedToWorkers } from './received-mail-is-handed-to-workers.saga.js';
import { RemovedMembersAreForgotten } from './removed-members-are-forgotten.saga.js';
import { RemovedMembersLoseTheirKeys } from './removed-members-lose-their-keys.saga.js';
import { ReplaceOlderCards } from './replace-older-cards.saga.js';
import { RowsEndWithTheirTable } from './rows-end-with-their-table.saga.js';
import { SignInsEndWithTheirUsers } from './sign-ins-end-with-their-users.saga.js';
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
  DecidedCallsAreDestroyed,
  DeleteContentsOfDeletedProjects,
  DeletedAppUsersAreForgotten,
  DeletedFilesTakeTheirBytes,
  DeletedFlowsEndTheirRuns,
  DeletedMailhooksTakeTheirMail,
  DeletedProjectsTakeTheirRuns,
  DeletedRolesAreTakenFromUsers,
  DeletedTablesTakeTheirRows,
  DeleteTriggersOfDeletedTargets,
  DroppedInputsAreDestroyed,
  EndedSiteMailLosesItsContent,
  ErasedRowsLoseTheirKeys,
  FiredSchedulesStartTheirTargets,
  PaymentsGiveWhatWasBought,
  ReplaceOlderCards,
  ReceivedMailIsHandedToWorkers,
  RemovedMembersAreForgotten,
  RemovedMembersLoseTheirKeys,
  RowsEndWithTheirTable,
  SitesAreToldOfLostSignInMail,
  UpdateDefaultMailbox,
  DestroyReplacedSecrets,
  TriggerRunsEndWithTheirTargets,
  UsersWhoSignedUpAreAskedToVerify,
  SignInsEndWithTheirUsers,
];

export class Sagas {
  constructor(readonly all: readonly Saga[]) {
    for (const { reads } of all) declareRead(reads);
  }
}

export const sagaProviders = [
  ...sagas,
  { provide: Sagas, inject: sagas, useFactory: (...all: Saga[]) => new Sagas(all) },
];
