/** What a trigger can start, in the words of listAllWebhooks (Automations API). */
export type TargetKind = 'flow' | 'specialist' | 'account_function' | 'site_function';

export const targetKinds: readonly TargetKind[] = ['flow', 'specialist', 'account_function', 'site_function'];

export interface Target {
  readonly kind: TargetKind;
  /** The id of the flow, agent or function. */
  readonly ref: string;
}

/** As callers may write it: an AI agent is `agent` or `specialist`. */
export type TargetWord = TargetKind | 'agent';

export function targetKindOf(word: TargetWord): TargetKind {
  return word === 'agent' ? 'specialist' : word;
}
