import { type Worker, WorkerSource } from '../engine/cluster/worker.js';
import { Jobs } from '../engine/jobs/jobs.js';
import type { Saga } from '../engine/sagas/saga.js';
import { SagaRunner } from '../engine/sagas/saga-runner.js';
import { declareRead } from '../kernel/record/understanding.js';
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
import { OutsideFeeds } from './outside-feeds.js';
import { PaymentsGiveWhatWasBought } from './payments-give-what-was-bought.saga.js';
import { RemovedMembersAreForgotten } from './removed-members-are-forgotten.saga.js';
import { RemovedMembersLoseTheirKeys } from './removed-members-lose-their-keys.saga.js';
import { ReplaceOlderCards } from './replace-older-cards.saga.js';
import { RowsEndWithTheirTable } from './rows-end-with-their-table.saga.js';
import { SignInsEndWithTheirUsers } from './sign-ins-end-with-their-users.saga.js';
import { SitesAreToldOfLostSignInMail } from './sites-are-told-of-lost-sign-in-mail.saga.js';
import { TriggerRunsEndWithTheirTargets } from './trigger-runs-end-with-their-targets.saga.js';
import { UpdateDefaultMailbox } from './update-default-mailbox.saga.js';
import { UsersWhoSignedUpAreAskedToVerify } from './users-who-signed-up-are-asked-to-verify.saga.js';

/** All sagas that are written out. */
const sagas = [
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

export class Sagas extends WorkerSource {
  constructor(
    private readonly written: readonly Saga[],
    private readonly jobs: Jobs,
    private readonly runner: SagaRunner,
  ) {
    super();
    for (const { reads } of written) declareRead(reads);
  }

  /** When every job has been declared: those that hand over work, too. */
  get all(): readonly Saga[] {
    return [...this.written, ...this.jobs.sagas];
  }

  override workers(lost: (worker: string) => void): readonly Worker[] {
    return this.all.map((saga) => ({ ...this.runner.duty(saga, lost), kind: 'saga' }));
  }
}

export const sagaProviders = [
  ...sagas,
  OutsideFeeds,
  {
    provide: Sagas,
    inject: [Jobs, SagaRunner, ...sagas],
    useFactory: (jobs: Jobs, runner: SagaRunner, ...written: Saga[]) => new Sagas(written, jobs, runner),
  },
];
