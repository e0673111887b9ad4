import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { command, query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import { PendingApproval } from '../../../engine/operation/pending-approval.js';
import { Pipeline } from '../../../engine/pipeline/pipeline.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { RecordScopes } from '../../../engine/scopes/record-scopes.js';
import { Clock } from '../../../ports/clock.port.js';
import { AskingAgain } from './asking-again.api.js';
import { Card, ListedCard, WholeCard } from './card-answers.api.js';
import { CardApproval } from './card-approval.api.js';
import { CardContexts } from './card-contexts.js';
import { CardList, listedStatuses } from './card-list.js';
import { CardRisks } from './card-risks.js';
import { PendingCalls } from './pending-calls.api.js';
import { reject } from './pending-change.js';
import { type PendingChange, pendingChanges } from './pending-change.record.js';
import { ShownCards } from './shown-cards.js';

const declared = {
  source: 'Supplementary, approvals',
  group: 'pending-changes',
  permission: 'functions.read',
  tools: 'never',
} as const;
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;

type Waits = { readonly pendingChange: object; readonly approveLink: string };

export const pendingChangeOperations = [
  query('approvals/listPendingChanges', {
    ...declared,
    summary: 'Lists approval cards, newest first. By default, only pending ones.',
    answers: {
      fields: {
        pendingChanges: { type: 'array', items: () => ListedCard, description: 'At most about 1 MB per page.' },
        next: {
          type: 'string',
          nullable: true,
          description: 'Value of `before` for the next page. null if there are no older cards.',
        },
      },
    },
    input: {
      status: {
        type: 'string',
        enum: listedStatuses,
        optional: true,
        default: 'pending',
        description: '`decided` selects all cards that are no longer pending.',
      },
      targetId: { ...id, optional: true, description: 'Only cards for this resource.' },
      limit: { type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 },
      before: { ...id, optional: true, description: 'Id of a card. Only older ones are returned.' },
    },
    inject: [CardList],
    handle: (asked, call, cards) => cards.page(call, asked),
  }),
  query('approvals/getPendingChange', {
    ...declared,
    summary: 'Returns one approval card.',
    answers: { record: WholeCard },
    input: { id },
    inject: [Reads, ShownCards, RecordScopes, PendingCalls, CardContexts, CardRisks],
    handle: async ({ id }, call, reads, cards, scopes, asked, contexts, risks) => {
      const found = await reads.get<PendingChange>(call.workspaceId, 'pendingChanges', id);
      const change = found ?? pendingChanges.missing();
      await scopes.mustBeOpen(call, change.target);
      const waiting = await asked.contextOf(change, call.caller);
      const card = await cards.card(change);
      const context = card.status === 'pending' ? { context: await contexts.of(call, change, card) } : {};
      return { ...card, risks: await risks.judge(call.workspaceId)(card), call: waiting, ...context };
    },
  }),
  command('approvals/approvePendingChange', {
    ...declared,
    summary: 'Approves a pending change. It is then applied exactly as shown on the card, and only once.',
    answers: { record: Card },
    input: { id, hash: { ...id, description: 'The `hash` of the card that the person has seen.' } },
    inject: [CardApproval],
    handle: ({ id, hash }, call, approval) => approval.approve(call, id, hash),
  }),
  command('approvals/askAgain', {
    ...declared,
    summary:
      'Requests a change again if its card failed or expired. Creates a new card from the current state, with the caller as requester.',
    // The pipeline checks only the right to `askAgain`. The right to request the change itself is checked below, once
    // it is known which operation requests it.
    answers: success,
    input: { id },
    inject: [CommandRunner, AskingAgain, Pipeline, RecordScopes],
    handle: async ({ id }, { caller, ...call }, runner, asking, pipeline, scopes) => {
      const found = await runner.find(pendingChanges, call.workspaceId, id);
      if (found === undefined || caller === undefined) return pendingChanges.missing();
      await scopes.mustBeOpen({ ...call, caller }, found.target);
      const { operation, input } = await asking.callOf(found);
      const again = { ...call, caller, judgedAs: operation.name };
      const { body, waiting } = await pipeline.asPart(operation, input, again);
      if (!waiting) return { success: true };
      const { pendingChange, approveLink } = body as Waits;
      return new PendingApproval({ pendingChange, approveLink }, { success: true });
    },
  }),
  recordCommand('approvals/rejectPendingChange', {
    ...declared,
    summary: 'Rejects a pending change. It is then never applied.',
    answers: { record: Card },
    input: { id, reason: { type: 'string', maxLength: 2_000, optional: true } },
    record: pendingChanges,
    id: ({ id }) => id,
    inject: [Clock, ShownCards],
    prepare: async (_, __, clock, cards) => ({ now: clock.now(), cards }),
    decide: (before, { reason }, { caller }, { now }) => reject(before, { caller, reason, now }),
    answer: (after, { cards }) => cards.card(after ?? pendingChanges.missing()),
  }),
];
