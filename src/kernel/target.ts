/** What a trigger can start, in the words of listAllWebhooks (Automations API; settled question Q-A46). */
export type TargetKind = 'flow' | 'specialist' | 'account_function' | 'site_function';

export const targetKinds: readonly TargetKind[] = ['flow', 'specialist', 'account_function', 'site_function'];

export interface Target {
  readonly kind: TargetKind;
  /** The id of the flow, agent or function. */
  readonly ref: string;
}

/** As callers may write it: both words for an AI agent are understood (settled question Q-A47). */
export type TargetWord = TargetKind | 'agent';

export function targetKindOf(word: TargetWord): TargetKind {
  return word === 'agent' ? 'specialist' : word;
}
