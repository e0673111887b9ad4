import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from '../../../engine/approvals/gated-kind.js';
import { uniqueName } from '../../../engine/commands/reservation.js';
import { isPersons } from '../../../kernel/callers/caller.js';
import type { Actor } from '../../../kernel/event/event.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { type Taking, undoOf } from '../../../kernel/record/undo.js';
import { isSameSecretList, remainingAtOnce, secretsBeyond, secretsInWords } from '../../../secret-text/secret-list.js';
import { refuse } from '../flows.refusals.js';
import {
  type Flow,
  type FlowDefinition,
  type FlowEvent,
  type FlowSecret,
  type FlowStep,
  flows,
} from './flow.record.js';

export interface FlowChange {
  readonly name?: string;
  readonly description?: string;
  readonly steps?: readonly FlowStep[];
  readonly isActive?: boolean;
  readonly seenUpdatedAt?: string;
}

/** The flow is inactive at first (settled question Q-L18). */
export function createFlow(definition: FlowDefinition): readonly FlowEvent[] {
  const { name, description, steps } = definition;
  return [{ type: 'FlowCreated', data: { name, description, steps } }];
}

/** Runs in progress continue with the steps that they began with. */
export function updateFlow(flow: Flow, change: FlowChange, by: Actor): readonly FlowEvent[] {
  const { seenUpdatedAt, isActive, name, description, steps } = change;
  if (seenUpdatedAt !== undefined && Date.parse(seenUpdatedAt) !== Date.parse(flow.updatedAt)) {
    refuse('flow-changed-since', { updatedAt: flow.updatedAt }, { updatedAt: flow.updatedAt });
  }
  const changed = differing(flow, { name, description, steps });
  const switches = isActive !== undefined && isActive !== flow.isActive;
  if (!isPersons(by.kind)) {
    checkMachine(flow, { steps: changed.steps !== undefined, activates: switches && isActive, by });
  }
  return [
    ...(Object.keys(changed).length > 0 ? [{ type: 'FlowChanged', data: changed } as const] : []),
    ...(switches ? [{ type: isActive ? 'FlowActivated' : 'FlowDeactivated', data: {} } as const] : []),
  ];
}

export function runsOtherwise(event: FlowEvent): boolean {
  return event.type === 'FlowActivated' || (event.type === 'FlowChanged' && event.data.steps !== undefined);
}

/**
 * Agents and automations may neither activate a flow nor change the steps of a flow that is active or has secrets,
 * because a person must review these changes first.
 */
function checkMachine(
  flow: Flow,
  { steps, activates, by }: { readonly steps: boolean; readonly activates: boolean; readonly by: Actor },
): void {
  const who = by.kind === 'agent' ? 'AI agent' : 'automation';
  if (activates) refuse('flow-needs-person', { who, what: 'activate it' });
  if (steps && flow.isActive) refuse('flow-needs-person', { who, what: 'change the steps of an active one' });
  if (steps && flow.secrets.length > 0) {
    refuse('flow-needs-person', { who, what: 'change the steps of one with secrets' });
  }
}

function differing(flow: Flow, next: { readonly [Key in keyof FlowDefinition]: FlowDefinition[Key] | undefined }) {
  const entries = Object.entries(next).filter(
    ([key, value]) => value !== undefined && !isDeepStrictEqual(value, flow[key as keyof FlowDefinition]),
  );
  return Object.fromEntries(entries) as Partial<FlowDefinition>;
}

export function deleteFlow(): readonly FlowEvent[] {
  return [{ type: 'FlowDeleted', data: {} }];
}

/**
 * Removals take effect at once; members are notified and can undo them. Added secrets and hosts become a pending
 * change, which a person must approve.
 */
export function setFlowSecrets(
  flow: Flow,
  next: readonly FlowSecret[],
  taking: Taking & { readonly guessable?: ReadonlySet<string> },
): Outcome<FlowEvent, 'flow-secrets'> {
  const left = remainingAtOnce(flow.secrets, next);
  const lost = secretsBeyond(flow.secrets, left).map(({ name }) => name);
  const undo = undoOf(flow, `The flow '${flow.name}' lost some or all of its access to ${lost.join(', ')}.`, taking);
  const events = lost.length === 0 ? [] : [{ type: 'FlowSecretsTaken', data: { secrets: left, undo } } as const];
  if (isSameSecretList(left, next)) return { events };
  return {
    events,
    proposal: {
      kind: 'flow-secrets',
      summary: `Let the flow '${flow.name}' use ${secretsInWords(secretsBeyond(next, left), taking.guessable ?? new Set())}.`,
      changes: [{ path: 'secrets', from: json(left), to: json(next) }],
      approver: 'editor',
      input: { secrets: json(next) },
    },
  };
}

export function flowBase({ steps, secrets }: Flow): string {
  return hash('sha256', JSON.stringify({ steps, secrets }), 'hex');
}

export const flowName = uniqueName('flowName', flows, ({ name }) => name);

const json = (secrets: readonly FlowSecret[]) => secrets as unknown as readonly JsonObject[];
