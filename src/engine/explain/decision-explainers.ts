import { Injectable } from '@nestjs/common';
import type { Decision } from '../../kernel/judging/decision.js';
import type { OperationContext } from '../operation/operation-context.js';

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
  readonly changedSince: boolean;
  /** Null if the answer depends on more than the decision contains. */
  readonly allowedNow: boolean | null;
  readonly note: string | null;
}

type Kind = Decision['kind'];
type Explain<Of extends Kind> = (
  call: OperationContext,
  decision: Extract<Decision, { kind: Of }>,
) => Promise<Explanation | undefined>;

@Injectable()
export class DecisionExplainers {
  private readonly known = new Map<Kind, Explain<Kind>>();

  register<Of extends Kind>(kind: Of, explain: Explain<Of>): void {
    this.known.set(kind, explain as unknown as Explain<Kind>);
  }

  /** Returns undefined if the caller may not see the decision. */
  async explain(call: OperationContext, decision: Decision): Promise<Explanation | undefined> {
    return this.known.get(decision.kind)?.(call, decision);
  }
}

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
