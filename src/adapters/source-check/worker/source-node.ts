export interface SourceNode {
  readonly type: string;
  readonly loc?: { readonly start: { readonly line: number } };
  readonly [member: string]: unknown;
}

export const isNode = (value: unknown): value is SourceNode =>
  typeof value === 'object' && value !== null && typeof (value as { readonly type?: unknown }).type === 'string';

export const asNode = (value: unknown): SourceNode | undefined => (isNode(value) ? value : undefined);

export function nodesIn(value: unknown): readonly SourceNode[] {
  if (Array.isArray(value)) return value.filter(isNode);
  return isNode(value) ? [value] : [];
}
