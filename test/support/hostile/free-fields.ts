import type { RegisteredOperation } from '../../../src/engine/operation/operation.js';
import { type FieldSpec, fieldsOf, type Shape } from '../../../src/kernel/field/field.js';

/** Returns the fields of an operation that accept any JSON, as `area/operation path`. */
export function freeFields({ name, input }: RegisteredOperation): readonly string[] {
  return [...pathsIn(input, new Set())].map((path) => `${name} ${path}`);
}

function* pathsIn(shape: Shape, above: ReadonlySet<Shape>): Iterable<string> {
  if (above.has(shape)) return;
  for (const [name, spec] of fieldsOf(shape)) {
    if (isFree(spec)) yield name;
    const inner = spec.type === 'object' ? spec.shape?.() : spec.type === 'array' ? listed(spec.items) : undefined;
    if (inner === undefined) continue;
    for (const path of pathsIn(inner, new Set([...above, shape]))) yield `${name}.${path}`;
  }
}

const listed = (items: unknown): Shape | undefined =>
  typeof items === 'function' ? (items as () => Shape)() : undefined;

function isFree(spec: FieldSpec): boolean {
  if (spec.type === 'object') return spec.shape === undefined;
  if (spec.type === 'array') return spec.items === 'object';
  return spec.type === 'any' && spec.schema?.['type'] !== 'string';
}
