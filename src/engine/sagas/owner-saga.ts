import type { RecordedEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';
import type { OperationContext } from '../operation/operation-context.js';
import type { Dependents, OwnerRules } from '../ownership/dependents.js';
import type { Saga } from './saga.js';

type CallFor = (step: string) => OperationContext;

export interface OwnerSagaOptions {
  readonly name: string;
  readonly rules: OwnerRules;
  /** Events that delete an owner. Empty: the saga handles only dependents that are made late. */
  readonly deletedBy: readonly string[];
  /** Late dependents are handled by another saga, with its own checkpoint. */
  readonly leavesLateOnes?: true;
  readonly atOnce?: number;
  /** Runs before anything ends. */
  first?(event: RecordedEvent): Promise<void>;
  /** Whether to do nothing, because the owner was deleted as part of something larger. */
  skips?(event: RecordedEvent): Promise<boolean>;
  /** Other events, handled in the same order. */
  readonly beside?: { readonly types: readonly string[]; react(event: RecordedEvent, callFor: CallFor): Promise<void> };
  /** Makes the calls for late dependents. If given, many events are handled together. */
  callsFor?(event: RecordedEvent): CallFor;
}

/**
 * Ends what belongs to deleted owners of one kind: existing dependents when the owner is deleted, later ones when they
 * are recorded. Each kind of owner has its own checkpoint, under the name that logs and audits contain, so that an
 * owner with a million dependents delays only owners of its kind.
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

  /** Evaluated late: slices register their dependents at start. */
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
