import { type Worker, WorkerSource } from '../engine/cluster/worker.js';
import { Jobs } from '../engine/jobs/jobs.js';
import type { Saga } from '../engine/sagas/saga.js';
import { SagaRunner } from '../engine/sagas/saga-runner.js';
import { declareRead } from '../kernel/record/understanding.js';
import { ownerSagas } from './deletion/dependents-end-with-their-owners.saga.js';
import { DestroyReplacedSecrets } from './deletion/destroy-replaced-secrets.saga.js';
import { leftoverSagas } from './deletion/leftovers-are-destroyed.saga.js';
import { RemovedMembersLoseTheirKeys } from './deletion/removed-members-lose-their-keys.saga.js';
import { OutsideFeeds } from './outside-feeds.js';
import { BuyersGetReceipts } from './sites/buyers-get-receipts.saga.js';
import { PaymentsGiveWhatWasBought } from './sites/payments-give-what-was-bought.saga.js';
import { SitesAreToldOfLostSignInMail } from './sites/sites-are-told-of-lost-sign-in-mail.saga.js';
import { UsersWhoSignedUpAreAskedToVerify } from './sites/users-who-signed-up-are-asked-to-verify.saga.js';
import { AccountEventsFireTriggers } from './triggers/account-events-fire-triggers.saga.js';
import { FiredSchedulesStartTheirTargets } from './triggers/fired-schedules-start-their-targets.saga.js';
import { TriggerRunsEndWithTheirTargets } from './triggers/trigger-runs-end-with-their-targets.saga.js';
import { ApprovedChangesAreApplied } from './workspace/approved-changes-are-applied.saga.js';
import { ReplaceOlderCards } from './workspace/replace-older-cards.saga.js';
import { UpdateDefaultMailbox } from './workspace/update-default-mailbox.saga.js';

const sagas = [
  AccountEventsFireTriggers,
  ApprovedChangesAreApplied,
  BuyersGetReceipts,
  FiredSchedulesStartTheirTargets,
  PaymentsGiveWhatWasBought,
  ReplaceOlderCards,
  RemovedMembersLoseTheirKeys,
  SitesAreToldOfLostSignInMail,
  UpdateDefaultMailbox,
  DestroyReplacedSecrets,
  TriggerRunsEndWithTheirTargets,
  UsersWhoSignedUpAreAskedToVerify,
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

  /** A getter, because jobs are declared after this object is constructed. */
  get all(): readonly Saga[] {
    return [...this.written, ...this.jobs.sagas];
  }

  override workers(lost: (worker: string) => void): readonly Worker[] {
    return this.all.map((saga) => ({ ...this.runner.duty(saga, lost), kind: 'saga' }));
  }
}

const made = [...ownerSagas, ...leftoverSagas];

export const sagaProviders = [
  ...sagas,
  ...made,
  OutsideFeeds,
  {
    provide: Sagas,
    inject: [Jobs, SagaRunner, ...sagas, ...made.map(({ provide }) => provide)],
    useFactory: (jobs: Jobs, runner: SagaRunner, ...written: Saga[]) => new Sagas(written, jobs, runner),
  },
];
