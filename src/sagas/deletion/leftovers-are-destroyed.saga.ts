import type { AppUserEvent } from '../../areas/app-users/app-user/app-user.record.js';
import type { SiteMailEvent } from '../../areas/app-users/auth-mail/site-mail.record.js';
import { SiteMailEnding } from '../../areas/app-users/auth-mail/site-mail-ending.api.js';
import { siteSignInStream } from '../../areas/app-users/sign-in/sign-in.record.js';
import { PendingCalls } from '../../areas/approvals/pending-change/pending-calls.api.js';
import type { PendingChangeEvent } from '../../areas/approvals/pending-change/pending-change.record.js';
import type { RowEvent } from '../../areas/bases/row/row.record.js';
import type { CampaignEvent } from '../../areas/campaigns/campaign/campaign.record.js';
import { BatchForgetting } from '../../areas/campaigns/sending/batch-forgetting.api.js';
import type { FlowEvent } from '../../areas/flows/flow/flow.record.js';
import { FlowRunEnding } from '../../areas/flows/flow-run/flow-run-ending.api.js';
import type { RunEvent } from '../../areas/functions/run/run.record.js';
import { DeliveredFiles } from '../../areas/functions/run/storage/delivered-files.api.js';
import { RunInputs } from '../../areas/functions/run/storage/run-inputs.api.js';
import { SiteRunRetention } from '../../areas/functions/run/storage/site-run-retention.api.js';
import { FileBytes } from '../../areas/sites/file/file-bytes.api.js';
import type { SiteFileEvent } from '../../areas/sites/file/site-file.record.js';
import type { ProjectEvent } from '../../areas/sites/project/project.record.js';
import { TrafficRetention } from '../../areas/sites/traffic/traffic-retention.api.js';
import { InboundForgetting } from '../../areas/triggers/mailhook/inbound-forgetting.api.js';
import { type MailhookEvent, mailhookAddressName } from '../../areas/triggers/mailhook/mailhook.record.js';
import { Chats } from '../../areas/workspace/chat/chats.api.js';
import type { MemberEvent } from '../../areas/workspace/member/member.record.js';
import { Journal } from '../../engine/journal/journal.js';
import { PersonalData } from '../../engine/personal-data/personal-data.js';
import { LeftoversSaga } from '../../engine/sagas/leftovers-saga.js';
import { sagaOf } from '../../engine/sagas/saga.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import { Vault } from '../../ports/vault.port.js';

/** The type arguments are split between two calls, so that TypeScript can infer those of the second. */
const of =
  <Event extends DomainEvent>() =>
  <Type extends Event['type']>(...given: ConstructorParameters<typeof LeftoversSaga<Event, Type>>) =>
    new LeftoversSaga<Event, Type>(...given);

/** Destroys the bytes of a deleted file, even if its upload was never completed. */
export const bytesOfFiles = (bytes: FileBytes) =>
  of<SiteFileEvent>()('deleted-files-take-their-bytes', ['SiteFileDeleted'], ({ workspaceId, data: { bytesId } }) =>
    bytes.destroy({ workspaceId, bytesId }),
  );

export const batchesOfCampaigns = (batches: BatchForgetting) =>
  of<CampaignEvent>()('deleted-campaigns-take-their-batches', ['CampaignDeleted'], ({ workspaceId, id }) =>
    batches.of(workspaceId, id),
  );

/** Ends all runs of a deleted flow, including those that wait for days. */
export const runsOfFlows = (ending: FlowRunEnding) =>
  of<FlowEvent>()('deleted-flows-end-their-runs', ['FlowDeleted'], ({ workspaceId, id, position }) =>
    ending.ofDeletedFlow(workspaceId, id, position),
  );

export const mailOfMailhooks = (forgetting: InboundForgetting, vault: Vault) =>
  of<MailhookEvent>()(
    'deleted-mailhooks-take-their-mail',
    ['MailhookDeleted'],
    async ({ workspaceId, id, position, metadata: { at } }) => {
      await vault.destroy(mailhookAddressName(workspaceId, id));
      await forgetting.allUpTo({ workspaceId, mailhookId: id, position, at });
    },
  );

export const runsOfProjects = (runs: SiteRunRetention) =>
  of<ProjectEvent>()('deleted-projects-take-their-runs', ['ProjectDeleted'], ({ workspaceId, id }) =>
    runs.forgetProject(workspaceId, id),
  );

export const trafficOfProjects = (traffic: TrafficRetention) =>
  of<ProjectEvent>()('deleted-projects-take-their-traffic', ['ProjectDeleted'], ({ workspaceId, id }) =>
    traffic.forgetProject(workspaceId, id),
  );

export const signInsOfUsers = (journal: Journal) =>
  of<AppUserEvent>()('sign-ins-end-with-their-users', ['AppUserDeleted'], async ({ workspaceId, id }) => {
    const signIns = siteSignInStream(workspaceId, id);
    const last = await journal.last(signIns);
    if (last !== undefined) await journal.prune(signIns, last.revision);
  });

export const keysOfMembers = (personal: PersonalData) =>
  of<MemberEvent>()('removed-members-are-forgotten', ['MemberRemoved'], ({ stream }) => personal.erase(stream));

export const chatsOfMembers = (chats: Chats) =>
  of<MemberEvent>()('removed-members-take-their-chats', ['MemberRemoved'], ({ workspaceId, id }) =>
    chats.endOf(workspaceId, id),
  );

/** Events are handled together, because the vault can then destroy the keys of a whole table in a few commits. */
export const keysOfRows = (personal: PersonalData) =>
  of<RowEvent>()('erased-rows-lose-their-keys', ['RowErased'], ({ stream }) => personal.erase(stream), {
    together: true,
  });

export const wordsOfSiteMail = (ending: SiteMailEnding) =>
  of<SiteMailEvent>()(
    'ended-site-mail-loses-its-content',
    ['SiteMailSent', 'SiteMailForgotten'],
    ({ workspaceId, id }) => ending.destroyContent(workspaceId, id),
    { atOnce: 20 },
  );

export const inputsOfCalls = (calls: PendingCalls) =>
  of<PendingChangeEvent>()(
    'decided-calls-are-destroyed',
    [
      'PendingChangeApplied',
      'PendingChangeFailed',
      'PendingChangeRejected',
      'PendingChangeExpired',
      'PendingChangeReplaced',
    ],
    ({ workspaceId, id }) => calls.forget({ workspaceId, id }),
    { together: true },
  );

export const inputsOfRuns = (inputs: RunInputs, files: DeliveredFiles) =>
  of<RunEvent>()(
    'dropped-inputs-are-destroyed',
    ['RunInputDropped'],
    async ({ workspaceId, data: { runId, hasFiles } }) => {
      await Promise.all([
        inputs.destroy(workspaceId, runId),
        ...(hasFiles ? [files.destroy({ workspaceId, runId })] : []),
      ]);
    },
    { together: true },
  );

export const leftoverSagas = [
  sagaOf(batchesOfCampaigns, BatchForgetting),
  sagaOf(bytesOfFiles, FileBytes),
  sagaOf(runsOfFlows, FlowRunEnding),
  sagaOf(mailOfMailhooks, InboundForgetting, Vault),
  sagaOf(runsOfProjects, SiteRunRetention),
  sagaOf(trafficOfProjects, TrafficRetention),
  sagaOf(signInsOfUsers, Journal),
  sagaOf(keysOfMembers, PersonalData),
  sagaOf(chatsOfMembers, Chats),
  sagaOf(keysOfRows, PersonalData),
  sagaOf(wordsOfSiteMail, SiteMailEnding),
  sagaOf(inputsOfCalls, PendingCalls),
  sagaOf(inputsOfRuns, RunInputs, DeliveredFiles),
];
