import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { command, query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { StartableTargets } from '../../../engine/scopes/startable-targets.js';
import { type Target, type TargetWord, targetKindOf, targetKinds } from '../../../kernel/callers/target.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { refuse } from '../triggers.refusals.js';
import type { MailhookUse } from './inbound-email.record.js';
import { changeMailhook, createMailhook, deleteMailhook } from './mailhook.js';
import { type Mailhook, type MailhookEvent, mailhooks } from './mailhook.record.js';
import { MailhookAddresses } from './mailhook-addresses.js';
import { MailhookTargets } from './mailhook-targets.js';
import { ListedMailhook, MailhookRecord, MailhookView, withUse } from './mailhook-view.js';

const declared = {
  source: 'Automations API, Mailhooks',
  group: 'mailhooks',
  permission: 'functions.edit',
  tools: 'granted',
} as const;

const targetKind = {
  type: 'string',
  enum: [...targetKinds, 'agent'],
  description: "'agent' means the same as 'specialist'.",
} as const;

export const mailhookOperations = [
  query('automations/listMailhooks', {
    ...declared,
    summary: 'Lists the mailhooks of the workspace, oldest first.',
    showsLinks: true,
    answers: { fields: { mailhooks: { type: 'array', items: () => ListedMailhook } } },
    input: {
      projectId: {
        ...idField,
        optional: true,
        description: 'Returns only mailhooks that are bound to this site or to no site.',
      },
    },
    inject: [Reads, StartableTargets, MailhookAddresses, Scopes],
    handle: async (input, call, reads, targets, addresses, scopes) => {
      const { workspaceId } = call;
      const all = await reads.find<Mailhook>(workspaceId, 'mailhooks', { sort: [['createdAt', 'asc']] });
      const found = await scopes.allowed(call, all);
      const uses = await reads.find<MailhookUse>(workspaceId, 'mailhookUses');
      const use = new Map(uses.map((one) => [one.id, one]));
      const matching = found.filter(
        ({ projectId }) => input.projectId === undefined || projectId === null || projectId === input.projectId,
      );
      // Mail to the address starts the target, so only callers who may start it can see the address.
      const addressOf = async (mailhook: Mailhook) => {
        const target = { kind: mailhook.targetKind, ref: mailhook.targetRef };
        return (await targets.mayStart(call, target)) ? addresses.find(mailhook) : null;
      };
      const listed = matching.map(async (one) => ({ ...withUse(one, use.get(one.id)), address: await addressOf(one) }));
      return { mailhooks: await Promise.all(listed) };
    },
  }),
  command('automations/createMailhook', {
    ...declared,
    summary: 'Creates a secret address for a target. Mail to the address runs the target.',
    answers: { record: MailhookRecord },
    input: {
      name: { ...idField, description: 'A label for the mailhook.' },
      targetKind,
      targetRef: { ...idField, description: 'The id of the target.' },
      projectId: { ...idField, optional: true, description: 'The site to bind the mailhook to.' },
    },
    inject: [CommandRunner, MailhookTargets, MailhookAddresses],
    handle: async (sent, call, runner, targets, addresses) => {
      const { name, targetRef, projectId = null } = sent;
      const targetKind = targetKindOf(sent.targetKind);
      await targets.require(call, { kind: targetKind, ref: targetRef });
      if (projectId !== null) await targets.requireSite(call, projectId);
      const id = call.newId('mh');
      const { address, addressHash } = await addresses.draw(call, id);
      const mailhook = await runner.change(call, {
        aggregate: mailhooks,
        id,
        begins: true,
        decide: () => createMailhook({ name, targetKind, targetRef, projectId, addressHash }),
      });
      return { ...withUse(mailhook ?? mailhooks.missing(), undefined), address };
    },
  }),
  recordCommand('automations/updateMailhook', {
    ...declared,
    summary: 'Updates a mailhook. Its address does not change.',
    answers: { record: MailhookView },
    input: {
      id: idField,
      name: { ...idField, optional: true },
      targetKind: { ...targetKind, optional: true, description: 'Requires targetRef.' },
      targetRef: { ...idField, optional: true, description: 'Requires targetKind.' },
      isActive: { type: 'boolean', optional: true },
      projectId: {
        ...idField,
        optional: true,
        nullable: true,
        description: 'The site to bind the mailhook to. null unbinds it.',
      },
    },
    record: mailhooks,
    id: ({ id }) => id,
    inject: [CommandRunner, MailhookTargets, Reads],
    prepare: async (sent, call, runner, targets, reads) => {
      const { id, projectId } = sent;
      const found = (await runner.find(mailhooks, call.workspaceId, id)) ?? mailhooks.missing();
      const target = targetOf(sent);
      const isOther = target !== undefined && (target.kind !== found.targetKind || target.ref !== found.targetRef);
      if (isOther) await targets.require(call, target);
      const judge = await targets.judge(call, target ?? { kind: found.targetKind, ref: found.targetRef });
      if (typeof projectId === 'string') await targets.requireSite(call, projectId);
      return { target, judge, reads };
    },
    decide: (before, { name, projectId, isActive }, _, { target, judge }) => {
      const events = changeMailhook(before, { name, target, projectId, isActive });
      if (events.some(({ type }) => starting.includes(type))) judge();
      return events;
    },
    answer: async (after = mailhooks.missing(), { reads }, { workspaceId }) =>
      withUse(after, await reads.get<MailhookUse>(workspaceId, 'mailhookUses', after.id)),
  }),
  recordCommand('automations/deleteMailhook', {
    ...declared,
    summary: 'Deletes a mailhook and the mail it received. Its address accepts no more mail.',
    takesAway: true,
    outside: ['destroys kept mail'],
    answers: success,
    input: { id: idField },
    record: mailhooks,
    id: ({ id }) => id,
    decide: () => deleteMailhook('asked'),
  }),
];

/** The caller who makes one of these changes must be allowed to start the target. */
const starting: readonly MailhookEvent['type'][] = ['MailhookRetargeted', 'MailhookActivated'];

interface SentTarget {
  readonly targetKind?: TargetWord;
  readonly targetRef?: string;
}

/**
 * A single field is refused, because together with the stored value of the other field it would make an unintended
 * target.
 */
function targetOf({ targetKind: kind, targetRef: ref }: SentTarget): Target | undefined {
  if (kind === undefined && ref === undefined) return undefined;
  if (kind === undefined) return refuse('mailhook-target-halved', undefined, { at: 'targetKind' });
  if (ref === undefined) return refuse('mailhook-target-halved', undefined, { at: 'targetRef' });
  return { kind: targetKindOf(kind), ref };
}
