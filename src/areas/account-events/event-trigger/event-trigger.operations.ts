import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { query } from '../../../engine/operation/bound-operation.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { resource } from '../../../engine/records/resource.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { derivedId } from '../../../kernel/event/derived-id.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { patternField } from './event-pattern.js';
import {
  addEventTrigger,
  awaitedTerms,
  checkInstall,
  checkTerms,
  setFlowTrigger,
  triggerStartsOtherwise,
  updateEventTrigger,
} from './event-trigger.js';
import {
  type EventTrigger,
  eventTargetKindOf,
  eventTargetWords,
  eventTriggers,
  filtersText,
} from './event-trigger.record.js';
import { TriggerRecord } from './trigger-record.js';
import { TriggerSites } from './trigger-sites.js';
import { TriggerTargets } from './trigger-targets.js';
import { TriggerView } from './trigger-view.js';

const declared = { source: 'Account Events API, Endpoints', group: 'event-triggers', tools: 'granted' } as const;

const trigger = resource(eventTriggers, {
  ...declared,
  reads: 'functions.read',
  edits: 'functions.edit',
  id: 'evt',
  answer: { shape: TriggerRecord },
  inject: [TriggerView],
  beside: (one, _, view) => view.one(one),
});

/**
 * Returns the trigger's id. It is derived from the id of the flow's node (`triggerId`), because a node has only one
 * trigger (settled question Q-E23).
 */
const idOfNode = (
  workspaceId: string,
  { flowId, triggerId }: { readonly flowId: string; readonly triggerId: string },
) => derivedId('evt', JSON.stringify([workspaceId, flowId, triggerId]));

export const eventTriggerOperations = [
  query('accountEvents/listEventTriggers', {
    ...declared,
    summary: 'Lists the event triggers of the workspace.',
    permission: 'functions.read',
    answers: { list: TriggerRecord },
    input: {
      targetKind: { type: 'string', enum: eventTargetWords, optional: true },
      targetRef: { ...idField, optional: true, description: 'Id of the flow, agent or function.' },
    },
    inject: [Reads, TriggerView, Scopes],
    handle: async ({ targetKind, targetRef }, call, reads, view, scopes) => {
      const triggers = await reads.find<EventTrigger>(call.workspaceId, 'eventTriggers', {
        where: {
          ...(targetKind === undefined ? {} : { targetKind: eventTargetKindOf(targetKind) }),
          ...(targetRef === undefined ? {} : { targetRef }),
        },
        sort: [['createdAt', 'asc']],
      });
      return view.all(call.workspaceId, await scopes.allowed(call, triggers));
    },
  }),
  trigger.create('accountEvents/addEventTrigger', {
    summary: 'Adds a trigger that runs the target when the event occurs.',
    order: ['event', 'targetKind', 'targetRef', 'name', 'filters', 'config'],
    inject: [TriggerTargets, TriggerSites],
    // The target must exist (settled question Q-E18).
    prepare: async (sent, call, targets, sites) => {
      checkTerms(sent);
      checkInstall(sent.event, sent.config?.installId, 'config.installId');
      const { name } = await targets.require(call, sent);
      await sites.require(call, awaitedTerms(sent));
      await targets.requireRoom(call.workspaceId);
      return name;
    },
    decide: (sent, _, __, targetName) => addEventTrigger(sent, targetName),
  }),
  trigger.update('accountEvents/updateEventTrigger', {
    summary: 'Updates a trigger. filters and config are replaced as a whole. The target cannot be changed.',
    input: { isActive: { type: 'boolean', optional: true } },
    order: ['id', 'name', 'event', 'isActive', 'filters', 'config'],
    inject: [CommandRunner, TriggerTargets, TriggerSites],
    // A change of the event, filters or config starts the target at other times or with other input, so the caller must
    // be allowed to start the target, and to read what the events are about.
    prepare: async ({ id, ...sent }, call, runner, targets, sites) => {
      checkTerms(sent);
      const before = (await runner.find(eventTriggers, call.workspaceId, id)) ?? eventTriggers.missing();
      const judgeSites = await sites.judge(call, awaitedTerms(sent, before));
      return { judgeTarget: await targets.judge(call, before), judgeSites };
    },
    decide: (before, sent, _, { judgeTarget, judgeSites }) => {
      const config = sent.config ?? before.config;
      checkInstall(sent.event ?? before.event, config.installId, 'config.installId');
      const events = updateEventTrigger(before, sent);
      if (events.some(triggerStartsOtherwise)) {
        judgeTarget();
        judgeSites(awaitedTerms(sent, before));
      }
      return events;
    },
  }),
  trigger.remove('accountEvents/removeEventTrigger', {
    summary: 'Removes a trigger. Its trigger runs remain listed for 30 days.',
  }),
  recordCommand('accountEvents/setFlowEventTrigger', {
    ...declared,
    summary: "Creates or updates the trigger of a flow's Event Trigger node.",
    permission: 'functions.edit',
    answers: { record: TriggerRecord },
    input: {
      flowId: idField,
      triggerId: { ...idField, description: "Id of the flow's Event Trigger node." },
      event: {
        ...patternField,
        description: 'An event name, <source>.* for all events of a source, or * for all events.',
      },
      filters: { type: 'array', items: 'object', optional: true, description: `${filtersText} Default: no filters.` },
      installId: {
        ...idField,
        optional: true,
        description: 'The app installation whose app.<name> events fire the trigger.',
      },
    },
    record: eventTriggers,
    begins: 'perhaps',
    id: (sent, { workspaceId }) => idOfNode(workspaceId, sent),
    inject: [CommandRunner, TriggerTargets, TriggerSites, TriggerView],
    prepare: async (sent, call, runner, targets, sites, view) => {
      const { workspaceId } = call;
      const { flowId: targetRef, event, filters, installId } = sent;
      checkTerms({ event, filters });
      checkInstall(event, installId, 'installId');
      const terms = { event, filters, targetKind: 'flow', targetRef } as const;
      const { name } = await targets.require(call, terms);
      const judgeSites = await sites.judge(call, awaitedTerms(terms));
      if ((await runner.find(eventTriggers, workspaceId, idOfNode(workspaceId, sent))) === undefined) {
        await targets.requireRoom(workspaceId);
      }
      return { terms, name, judgeSites, view };
    },
    decide: (before, _, __, { terms, name, judgeSites }) => {
      const events = setFlowTrigger(before, terms, name);
      if (events.some(triggerStartsOtherwise)) judgeSites(awaitedTerms(terms));
      return events;
    },
    answer: (after, { view }) => view.one(after ?? eventTriggers.missing()),
  }),
];
