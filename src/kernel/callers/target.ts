/** The names are those in responses of listAllWebhooks (Automations API). */
export type TargetKind = 'flow' | 'specialist' | 'account_function' | 'site_function';

export const targetKinds: readonly TargetKind[] = ['flow', 'specialist', 'account_function', 'site_function'];

export interface Target {
  readonly kind: TargetKind;
  readonly ref: string;
}

export type TargetWord = TargetKind | 'agent';

export function targetKindOf(word: TargetWord): TargetKind {
  return word === 'agent' ? 'specialist' : word;
}
