import type { RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import {
  aboutAppUser,
  aboutProject,
  aboutRow,
  aboutSiteFunction,
  type Builtin,
  type BuiltinSource,
  type OfSite,
  type RunKind,
} from './builtin-line.api.js';
import { campaignBuiltins } from './campaign-builtins.js';
import { paymentBuiltins } from './payment-builtins.js';

const changed = (what: string) => () => ({ changed: what });
const definition = ['code', 'grants', 'accessRules', 'toolSpec', 'timeout', 'maxRetries'];
const detailsOf = (data: JsonObject) => ({ changed: Object.keys(data).filter((key) => key !== 'undo') });
const keysOf = (data: JsonObject) => ({ changed: Object.keys(data).filter((key) => definition.includes(key)) });

export const builtins: readonly Builtin[] = [
  ...records('function', [
    ['FunctionCreated', 'created', 'A function was created.'],
    ['FunctionDetailsChanged', 'updated', 'A function was changed.', detailsOf],
    ['FunctionDefinitionChanged', 'updated', 'A function was changed.', keysOf],
    ['FunctionPowersGiven', 'updated', 'A function was changed.', changed('capabilities')],
    ['FunctionPowersTaken', 'updated', 'A function was changed.', changed('capabilities')],
    ['FunctionIdentityModeSet', 'updated', 'A function was changed.', changed('identityMode')],
    ['FunctionSecretsGiven', 'updated', 'A function was changed.', changed('secrets')],
    ['FunctionSecretsTaken', 'updated', 'A function was changed.', changed('secrets')],
    ['FunctionUndone', 'updated', 'A function was changed.', changed('undone')],
    ['FunctionDraftSaved', 'draft_saved', 'A change of a function was saved as a draft that is not live yet.', keysOf],
    ['FunctionPublished', 'published', 'The draft of a function was made live.', versionOf],
    ['FunctionRolledBack', 'rolled_back', 'An earlier version of a function was made live again.', versionOf],
    ['FunctionActivated', 'activated', 'A function was switched on.'],
    ['FunctionDeactivated', 'deactivated', 'A function was switched off.'],
    ['FunctionDeleted', 'deleted', 'A function was deleted.'],
  ]),
  ...runs('function', 'RunEnded', 'a function', ({ data }) => dataOf(data)['retryAt'] === null, aboutSiteFunction),
  ...records('agent', [
    ['AgentAdded', 'created', 'An AI agent was added.'],
    ['AgentUpdated', 'updated', 'An AI agent was changed.', (data) => ({ changed: Object.keys(data) })],
    ['AgentRemoved', 'deleted', 'An AI agent was removed.'],
  ]),
  ...runs('agent', 'StepRunEnded', 'an AI agent', inCategory('agentRun')),
  ...records('flow', [
    ['FlowCreated', 'created', 'A flow was created.'],
    ['FlowChanged', 'updated', 'A flow was changed.', (data) => ({ changed: Object.keys(data) })],
    ['FlowSecretsGiven', 'updated', 'A flow was changed.', changed('secrets')],
    ['FlowSecretsTaken', 'updated', 'A flow was changed.', changed('secrets')],
    ['FlowUndone', 'updated', 'A flow was changed.', changed('undone')],
    ['FlowActivated', 'activated', 'A flow was switched on.'],
    ['FlowDeactivated', 'deactivated', 'A flow was switched off.'],
    ['FlowDeleted', 'deleted', 'A flow was deleted.'],
  ]),
  ...runs('flow', 'StepRunEnded', 'a flow', inCategory('flowRun')),
  {
    on: 'InboundEmailReceived',
    name: 'email.received',
    description: 'A mailhook received an email.',
    subject: ({ stream }) => ({ type: 'mailhook', id: parseStream(stream).id }),
    properties: ({ mailId, size, skip }) => ({ mailId, size, skip }),
  },
  {
    on: 'MailSent',
    name: 'email.sent',
    description: 'A mailbox sent an email.',
    subject: mailbox,
    properties: ({ messageId, recipients, refused, purpose }) => ({ messageId, recipients, refused, purpose }),
  },
  {
    on: 'MailFailed',
    name: 'email.failed',
    description: 'A mailbox could not send an email.',
    subject: mailbox,
    properties: ({ messageId, recipients, error, purpose }) => ({ messageId, recipients, error, purpose }),
  },
  ...records('email', [
    ['MailAccountCreated', 'mailbox_created', 'A mailbox was added.'],
    ['MailAccountActivated', 'mailbox_activated', 'A mailbox was switched on.'],
    ['MailAccountDeactivated', 'mailbox_deactivated', 'A mailbox was switched off.'],
    ['MailAccountDeleted', 'mailbox_deleted', 'A mailbox was removed.'],
    ['MailhookCreated', 'mailhook_created', 'A mailhook was created.'],
    ['MailhookActivated', 'mailhook_activated', 'A mailhook was switched on.'],
    ['MailhookDeactivated', 'mailhook_deactivated', 'A mailhook was switched off.'],
    ['MailhookDeleted', 'mailhook_deleted', 'A mailhook was deleted.'],
  ]),
  {
    on: 'CustomDomainVerified',
    name: 'site.domain_verified',
    description: 'A custom domain of a site, which was not verified before, was verified and now leads to the site.',
    // Domains are checked every day. Only a check that newly verifies a domain (`gained`) raises an event.
    when: ({ data }) => dataOf(data)['gained'] !== undefined,
    subject: 'project',
    ofSite: aboutProject,
    properties: ({ gained }) => ({ domain: dataOf(gained as object)['domain'] }),
  },
  published('SitePublished'),
  published('SiteRolledBack'),
  {
    on: 'SiteUnpublished',
    name: 'site.unpublished',
    description: 'A site was unpublished.',
    subject: 'project',
    ofSite: aboutProject,
    properties: () => ({}),
  },
  {
    on: 'SnapshotRestored',
    name: 'site.snapshot_restored',
    description: 'The content of a site was restored from a snapshot.',
    subject: 'project',
    ofSite: aboutProject,
    properties: ({ snapshotId }) => ({ snapshotId }),
  },
  appUser('AppUserCreated', 'user_signed_up', 'A user signed up to a site.', ({ origin }) => origin !== 'operation'),
  appUser('AppUserVerified', 'user_verified', 'A user of a site verified their email address.'),
  appUser('AppUserSignedIn', 'user_signed_in', 'A user of a site signed in.'),
  appUser('AppUserBanned', 'user_banned', 'A user of a site was banned.'),
  appUser('AppUserDeleted', 'user_deleted', 'A user of a site was deleted.'),
  appUserRole('AppUserRoleAssigned', 'role_assigned', 'A user of a site was given a role.'),
  appUserRole('AppUserRoleUnassigned', 'role_unassigned', 'A role was removed from a user of a site.'),
  row('RowCreated', 'row_created', 'A row was created in a table of a site.'),
  row('RowRestored', 'row_created', 'A row was created in a table of a site.'),
  row('RowUpdated', 'row_updated', 'A row in a table of a site was updated.'),
  row('RowDeleted', 'row_deleted', 'A row in a table of a site was deleted.'),
  ...paymentBuiltins,
  ...campaignBuiltins,
  entitlement('EntitlementGranted', 'granted', 'An entitlement was granted to a user of a site.'),
  entitlement('EntitlementGrantedAgain', 'granted', 'An entitlement was granted to a user of a site.'),
  entitlement('EntitlementExtended', 'extended', 'The expiry of an entitlement of a user of a site was changed.'),
  entitlement('EntitlementSuspended', 'suspended', 'An entitlement of a user of a site was suspended.'),
  entitlement('EntitlementRevoked', 'revoked', 'An entitlement of a user of a site was revoked.'),
  entitlement('EntitlementExpired', 'expired', 'An entitlement of a user of a site expired.'),
  {
    on: 'CouponRedeemed',
    name: 'site.coupon_redeemed',
    description: 'A coupon of a site was redeemed, by a paid checkout or by one that needed no payment.',
    subject: ({ data }) => ({ type: 'appUser', id: dataOf(data)['appUserId'] }),
    ofSite: aboutAppUser,
    properties: ({ projectId, appUserId, code, offerKey, paymentId }) => ({
      projectId,
      appUserId,
      code,
      offerKey,
      paymentId,
    }),
  },
];

export const builtinNames: ReadonlySet<string> = new Set(builtins.map(({ name }) => name));

export const builtinsOn: ReadonlyMap<string, readonly Builtin[]> = Map.groupBy(builtins, ({ on }) => on);

type Line = readonly [on: string, event: string, description: string, properties?: Builtin['properties']];

function records(source: BuiltinSource, lines: readonly Line[]): readonly Builtin[] {
  return lines.map(([on, event, description, properties]) => ({
    on,
    name: `${source}.${event}` as const,
    description,
    subject: 'record' as const,
    ...(properties === undefined ? {} : { properties }),
  }));
}

function runs(
  source: RunKind,
  on: string,
  what: string,
  isOne: (event: RecordedEvent) => boolean,
  ofSite?: OfSite,
): readonly Builtin[] {
  const failed = ({ data }: RecordedEvent) => dataOf(data)['error'] !== null;
  const about = { on, subject: source, ...(ofSite && { ofSite }) } as const;
  return [
    {
      ...about,
      name: `${source}.run_succeeded`,
      description: `A run of ${what} succeeded.`,
      when: (event) => isOne(event) && !failed(event),
    },
    {
      ...about,
      name: `${source}.run_failed`,
      description: `A run of ${what} failed in its last attempt.`,
      when: (event) => isOne(event) && failed(event),
    },
  ];
}

function row(on: string, event: string, description: string): Builtin {
  const idOf = ({ stream }: RecordedEvent) => parseStream(stream).id;
  return {
    on,
    name: `base.${event}`,
    description,
    when: ({ data }) => typeof dataOf(data)['projectId'] === 'string',
    subject: (one) => ({ type: 'row', id: idOf(one) }),
    ofSite: aboutRow,
    properties: ({ tableId, table, changed }, one) => ({ tableId, table, rowId: idOf(one), changed }),
  };
}

function published(on: string): Builtin {
  return {
    on,
    name: 'site.published',
    description: 'A site was published, or an earlier deployment was made live again.',
    subject: 'project',
    ofSite: aboutProject,
    properties: ({ deploymentId }) => ({ deploymentId }),
  };
}

/** The properties contain no personal data. */
function appUser(on: string, event: string, description: string, when?: (data: JsonObject) => boolean): Builtin {
  return {
    on,
    name: `site.${event}`,
    description,
    ...(when && { when: ({ data }: RecordedEvent) => when(dataOf(data)) }),
    subject: ({ stream }) => ({ type: 'appUser', id: parseStream(stream).id }),
    ofSite: aboutAppUser,
    properties: ({ projectId }) => ({ projectId }),
  };
}

function appUserRole(on: string, event: string, description: string): Builtin {
  return { ...appUser(on, event, description), properties: ({ projectId, roleId }) => ({ projectId, roleId }) };
}

/** Omits the reason, because that is free text. */
function entitlement(on: string, event: string, description: string): Builtin {
  return {
    on,
    name: `site.entitlement_${event}`,
    description,
    subject: ({ data }) => ({ type: 'appUser', id: dataOf(data)['appUserId'] }),
    ofSite: aboutAppUser,
    properties: ({ projectId, appUserId, key, expiresAt, graceUntil }) => ({
      projectId,
      appUserId,
      key,
      expiresAt,
      graceUntil,
    }),
  };
}

/** Flow runs and agent runs share their event types, so the stream's category distinguishes them. */
function inCategory(category: string) {
  return ({ stream }: RecordedEvent) => parseStream(stream).category === category;
}

function mailbox({ stream, data }: RecordedEvent): JsonObject {
  return { type: 'mailAccount', id: parseStream(stream).id, name: dataOf(data)['mailbox'] };
}

function dataOf(data: object): JsonObject {
  return data as JsonObject;
}

function versionOf(data: JsonObject): JsonObject {
  return { versionId: data['versionId'] };
}
