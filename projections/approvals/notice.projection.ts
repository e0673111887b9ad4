import type { OutgoingMailEvent } from '../../src/areas/app-users/auth-mail/outgoing-mail.record.js';
import type { Notice, NoticeKind } from '../../src/areas/approvals/notice/notice.record.js';
import type { CampaignEvent } from '../../src/areas/campaigns/campaign/campaign.record.js';
import type { FlowEvent } from '../../src/areas/flows/flow/flow.record.js';
import type { FunctionEvent } from '../../src/areas/functions/function/function.record.js';
import type { SitePaymentEvent } from '../../src/areas/payments/payment/site-payment.record.js';
import type { CustomDomainEvent, DomainNotice } from '../../src/areas/sites/custom-domain/custom-domain.record.js';
import type { ProjectEvent } from '../../src/areas/sites/project/project.record.js';
import type { PublicationEvent } from '../../src/areas/sites/publication/publication.record.js';
import type { Recorded, RecordedEvent } from '../../src/kernel/event/event.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import { amend, type On, type Projection, projection, put } from '../../src/kernel/record/projection.js';
import { recordCategories } from '../../src/kernel/record/record.js';
import type { Undo } from '../../src/kernel/record/undo.js';
import { takenNotice } from './taken-notice.js';

type Undoable = Recorded<FunctionEvent> | Recorded<FlowEvent>;

type Taken = Undoable & { readonly data: { readonly undo: Undo } };

const noticeOf = (
  kind: NoticeKind,
  { stream, metadata }: RecordedEvent,
  { id, summary, expiresAt }: Omit<DomainNotice, 'domain'>,
  name: string,
  targetKind?: string,
) => {
  const { category, workspaceId, id: targetId } = parseStream(stream);
  const target = { kind: targetKind ?? category, id: targetId, name };
  const createdAt = metadata.at;
  return put<Notice>('notices', { id, workspaceId, kind, summary, target, createdAt, expiresAt, undoneAt: null });
};

type Saved = Recorded<
  Extract<
    FunctionEvent,
    { readonly type: `Function${'DetailsChanged' | 'DefinitionChanged' | 'Published' | 'RolledBack' | 'Deactivated'}` }
  >
>;

/** All events of one save have the same notice id, so there is one notice per save. */
const saved = (event: Saved) =>
  event.data.undo === undefined ? [] : [noticeOf('change', event, event.data.undo, event.data.undo.targetName)];

const noticed = (event: Taken) => [noticeOf('change', event, event.data.undo, event.data.undo.targetName)];

type Lost = Extract<Recorded<CustomDomainEvent>, { readonly type: 'CustomDomainLost' | 'CustomDomainRefuted' }>;

const domainLost = (event: Lost) =>
  event.data.notice === undefined ? [] : [noticeOf('failure', event, event.data.notice, event.data.notice.domain)];

type MailKept = Extract<Recorded<OutgoingMailEvent>, { readonly type: 'OutgoingMailNoticed' }>;

type CampaignStuck = Extract<Recorded<CampaignEvent>, { readonly type: 'CampaignWaiting' | 'CampaignScheduled' }>;

type MailLost = Extract<Recorded<ProjectEvent>, { readonly type: 'ProjectSignInMailLost' }>;

type Mismatched = Extract<Recorded<SitePaymentEvent>, { readonly type: 'SitePaymentHeardOf' }>;

type PublishFailure = Extract<Recorded<PublicationEvent>, { readonly type: 'PublishFailed' }>;

const stuck = (event: CampaignStuck) =>
  event.data.notice === undefined ? [] : [noticeOf('failure', event, event.data.notice, event.data.notice.name)];

const undone = ({ data, metadata }: Extract<Undoable, { readonly data: { readonly undo: string } }>) => [
  amend<Notice>('notices', data.undo, (notice) => ({ ...notice, undoneAt: metadata.at })),
];

const on: On<Undoable | Lost | MailLost | MailKept | Mismatched | PublishFailure | CampaignStuck> = {
  CampaignWaiting: stuck,
  CampaignScheduled: stuck,
  SitePaymentHeardOf: (event) =>
    event.data.notice === undefined ? [] : [noticeOf('failure', event, event.data.notice, event.data.offerKey)],
  CustomDomainLost: domainLost,
  CustomDomainRefuted: domainLost,
  ProjectSignInMailLost: (event) => [noticeOf('failure', event, event.data.notice, event.data.notice.name)],
  OutgoingMailNoticed: (event) => [noticeOf('failure', event, event.data.notice, event.data.notice.name, 'project')],
  PublishFailed: (event) =>
    event.data.notice === undefined
      ? []
      : [noticeOf('failure', event, event.data.notice, event.data.notice.name, 'project')],
  FunctionDetailsChanged: saved,
  FunctionDefinitionChanged: saved,
  FunctionPublished: saved,
  FunctionRolledBack: saved,
  FunctionDeactivated: saved,
  FunctionPowersTaken: noticed,
  FunctionSecretsTaken: noticed,
  FunctionUndone: undone,
  FlowSecretsTaken: noticed,
  FlowUndone: undone,
};

const own = projection({
  name: 'notices',
  version: 8,
  collections: {
    notices: { indexes: [{ fields: ['workspaceId', 'createdAt'] }, { fields: ['workspaceId', 'kind', 'createdAt'] }] },
  },
  on,
});

export const noticesProjection: Projection = {
  ...own,
  // Reads all categories of records, because `takenNotice` makes notices for events of any category. A getter, because
  // the categories are declared after this file is loaded.
  get reads() {
    return { categories: recordCategories() };
  },
  changes: (event) => [...own.changes(event), ...takenNotice(event)],
};
