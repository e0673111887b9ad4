import { Injectable } from '@nestjs/common';
import type { Decision } from '../../kernel/judging/decision.js';
import type { Call } from '../operation/call.js';

/** A part of what was judged, with what it came to. */
export interface ExplainedTree {
  readonly kind: string;
  readonly path: string;
  readonly outcome: string;
  readonly sentence: string;
  readonly rule?: object;
  readonly policy?: object;
  readonly parts?: readonly ExplainedTree[];
  readonly leftOut?: number;
}

export interface ExplainedChange {
  /** Of the part that would have to come to something else. */
  readonly path: string;
  readonly from: string;
  readonly to: string;
  readonly sentence: string;
  readonly rule?: object;
}

export interface Explanation {
  readonly who: { readonly kind: string; readonly id: string | null; readonly name: string | null };
  readonly operation: string | null;
  readonly place: object | null;
  readonly sentence: string;
  readonly tree: ExplainedTree | null;
  readonly smallestChange: readonly ExplainedChange[] | null;
  /** Whether what it was judged by is another now. */
  readonly changedSince: boolean;
  /** What it would come to now; null: that depends on more than is known of the call. */
  readonly allowedNow: boolean | null;
  readonly note: string | null;
}

type Kind = Decision['kind'];
type Explain<Of extends Kind> = (
  call: Call,
  decision: Extract<Decision, { kind: Of }>,
) => Promise<Explanation | undefined>;

/** What tells the reasons of decisions. The areas that make them register at start. */
@Injectable()
export class DecisionExplainers {
  private readonly known = new Map<Kind, Explain<Kind>>();

  register<Of extends Kind>(kind: Of, explain: Explain<Of>): void {
    this.known.set(kind, explain as unknown as Explain<Kind>);
  }

  /** Undefined where this caller may not know of it. */
  async of(call: Call, decision: Decision): Promise<Explanation | undefined> {
    return this.known.get(decision.kind)?.(call, decision);
  }
}

/** Enters what explains one kind. A provider of its slice. */
export const explainsDecisions = <Of extends Kind, Provider>(
  kind: Of,
  provider: abstract new (...args: never[]) => Provider,
  explain: (provider: Provider, ...asked: Parameters<Explain<Of>>) => ReturnType<Explain<Of>>,
) => ({
  provide: Symbol(`Explains decisions: ${kind}`),
  inject: [DecisionExplainers, provider],
  useFactory: (explainers: DecisionExplainers, one: Provider) =>
    explainers.register<Of>(kind, (call, decision) => explain(one, call, decision)),
});
