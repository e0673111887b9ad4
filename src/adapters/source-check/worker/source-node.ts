/** A node of a syntax tree, as the parser makes it. */
export interface SourceNode {
  readonly type: string;
  readonly loc?: { readonly start: { readonly line: number } };
  readonly [member: string]: unknown;
}

export function asNode(value: unknown): SourceNode | undefined {
  const isNode = typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
  return isNode ? (value as SourceNode) : undefined;
}

export function nodesIn(value: unknown): readonly SourceNode[] {
  if (typeof value !== 'object' || value === null) return [];
  return (Array.isArray(value) ? value : [value]).flatMap((one) => asNode(one) ?? []);
}
