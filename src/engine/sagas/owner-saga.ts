import type { RecordedEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';
import type { OperationContext } from '../operation/operation-context.js';
import type { Dependents, OwnerRules } from '../ownership/dependents.js';
import type { Saga } from './saga.js';

type CallFor = (step: string) => OperationContext;

export interface OwnerSagaOptions {
  readonly name: string;
  readonly rules: OwnerRules;
  /** Types of the events that delete an owner. If empty, the saga handles only dependents that are created late. */
  readonly deletedBy: readonly string[];
  /** Set if another saga, with a checkpoint of its own, handles late dependents. */
  readonly leavesLateOnes?: true;
  readonly atOnce?: number;
  /** Runs before any dependent ends. */
  first?(event: RecordedEvent): Promise<void>;
  /** Whether to ignore the event, because the owner was deleted as part of something larger. */
  skips?(event: RecordedEvent): Promise<boolean>;
  /** Other events that the saga handles in the same order. */
  readonly beside?: { readonly types: readonly string[]; react(event: RecordedEvent, callFor: CallFor): Promise<void> };
  /** Returns the calls for late dependents. If given, many events are handled together. */
  callsFor?(event: RecordedEvent): CallFor;
}

/**
 * Ends the dependents of deleted owners of one kind: existing ones when the owner is deleted, later ones when they are
 * recorded. Each kind of owner has a checkpoint of its own, so an owner with a million dependents delays only owners of
 * the same kind. The checkpoint's name is also in logs and audits.
 */
export class OwnerSaga implements Saga {
  readonly name: string;
  readonly atOnce: number;
  readonly reactToAll?: (events: readonly RecordedEvent[]) => Promise<void>;

  constructor(
    private readonly options: OwnerSagaOptions,
    private readonly dependents: Dependents,
  ) {
    const { name, atOnce = 1, callsFor } = options;
    this.name = name;
    this.atOnce = atOnce;
    if (callsFor !== undefined) this.reactToAll = (events) => dependents.endLate(options.rules, events, callsFor);
  }

  /** Evaluated late, because slices register their dependents at start. */
  get reads(): readonly string[] {
    const { deletedBy, leavesLateOnes, beside, rules } = this.options;
    return [...deletedBy, ...(beside?.types ?? []), ...(leavesLateOnes ? [] : this.dependents.madeTypes(rules.kind))];
  }

  async react(event: RecordedEvent, callFor: CallFor): Promise<void> {
    const { rules, deletedBy, first, skips, beside } = this.options;
    if (beside?.types.includes(event.type)) return beside.react(event, callFor);
    if (await skips?.(event)) return;
    if (!deletedBy.includes(event.type)) return this.dependents.endLate(rules, [event], () => callFor);
    await first?.(event);
    const { category, workspaceId, id } = parseStream(event.stream);
    await this.dependents.endAll(rules, { kind: rules.kind, category, workspaceId, id }, callFor);
  }
}
