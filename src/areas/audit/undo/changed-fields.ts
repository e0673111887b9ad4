import { isDeepStrictEqual } from 'node:util';
import { findOperation, type RegisteredOperation } from '../../../engine/operation/operation.js';
import { type FieldSpec, fieldsOf } from '../../../kernel/field/field.js';
import type { Setter } from '../../../kernel/record/undoing.js';
import { refuse } from '../audit.refusals.js';

export type ShownState = Readonly<Record<string, unknown>>;

export interface KnownSetter extends Omit<Setter, 'operation'> {
  readonly operation: RegisteredOperation;
}

export const setterNamed = (setter: string | Setter): Setter =>
  typeof setter === 'string' ? { operation: setter } : setter;

export function setterOf(setter: string | Setter): KnownSetter {
  const known = setterNamed(setter);
  return { ...known, operation: operationOf(known.operation) };
}

export interface Conflict {
  readonly path: string;
  readonly made: unknown;
  readonly now: unknown;
}

export interface ChangedField {
  readonly name: string;
  readonly path: string;
  readonly spec: FieldSpec;
  readonly from: unknown;
  readonly to: unknown;
  readonly isMerged: boolean;
}

export function changedBy(setter: KnownSetter, before: ShownState, after: ShownState): readonly ChangedField[] {
  const { operation, of, leaves = [], merges = [], named = {} } = setter;
  const [from, to] = [partOf(before, of), partOf(after, of)];
  return [...fieldsOf(operation.input)].flatMap(([name, spec]) => {
    const field = named[name] ?? name;
    if (leaves.includes(field) || !(field in from) || !(field in to)) return [];
    if (isSame(spec, from[field], to[field])) return [];
    const path = pathOf(of, field);
    return [{ name, path, spec, from: from[field], to: to[field], isMerged: merges.includes(field) }];
  });
}

const pathOf = (of: string | undefined, field: string) => (of === undefined ? field : `${of}.${field}`);

export function movedSince({ path, spec, from, to, isMerged }: ChangedField, view: ShownState): readonly Conflict[] {
  const now = shownValueAt(view, path);
  if (!isMerged) return isSame(spec, to, now) ? [] : [{ path, made: to, now }];
  return membersMoved(from, to).flatMap((member) => {
    const [made, value] = [((to ?? {}) as ShownState)[member], ((now ?? {}) as ShownState)[member]];
    const conflict = { path: `${path}.${member}`, made: made ?? null, now: value ?? null };
    return isDeepStrictEqual(value, made) ? [] : [conflict];
  });
}

function membersMoved(from: unknown, to: unknown): readonly string[] {
  const [former, made] = [(from ?? {}) as ShownState, (to ?? {}) as ShownState];
  const names = [...new Set([...Object.keys(former), ...Object.keys(made)])];
  return names.filter((name) => !isDeepStrictEqual(former[name], made[name]));
}

const isSame = (spec: FieldSpec, one: unknown, other: unknown) =>
  isDeepStrictEqual(one, other) || (isPlainText(spec) && [one, other].every((text) => text === null || text === ''));

const isPlainText = (spec: FieldSpec) => spec.type === 'string' && !spec.nullable && spec.enum === undefined;

export function leftBy({ of, leaves = [] }: KnownSetter, before: ShownState, after: ShownState): readonly string[] {
  const [from, to] = [partOf(before, of), partOf(after, of)];
  return leaves.filter((name) => !isDeepStrictEqual(from[name], to[name])).map((name) => pathOf(of, name));
}

/** @throws Refusal undo-impossible, if the operation does not accept the previous value */
export function sentValue(
  { operation, lost = {} }: KnownSetter,
  { name, spec, from, to, isMerged }: ChangedField,
): unknown {
  const why = lost[name]?.(from);
  if (why !== undefined) return refuse('undo-impossible', { why });
  if (from === null && !takesNull(spec)) return takesEmpty(spec) ? '' : takesNoSuch(name, operation);
  if (from !== null && spec.type === 'object' && spec.shape !== undefined) {
    const shape = fieldsOf(spec.shape());
    const sent = Object.entries(from as ShownState).filter(([member, value]) => {
      const inner = shape.get(member);
      if (value !== null || inner === undefined || takesNull(inner)) return true;
      return (to as ShownState | null)?.[member] === null ? false : takesNoSuch(`${name}.${member}`, operation);
    });
    return Object.fromEntries(sent);
  }
  if (!isMerged) return from;
  return Object.fromEntries(membersMoved(from, to).map((key) => [key, ((from ?? {}) as ShownState)[key] ?? null]));
}

/** For a field of type `any`, the operation itself checks whether null is allowed. */
const takesNull = (spec: FieldSpec) => spec.nullable === true || spec.type === 'any';

const takesEmpty = (spec: FieldSpec) =>
  isPlainText(spec) && spec.type === 'string' && !spec.minLength && (spec.pattern?.test('') ?? true);

function takesNoSuch(name: string, { name: operation }: RegisteredOperation): never {
  return refuse('undo-impossible', {
    why: `${name} had no value before, and ${operation} cannot remove it.`,
  });
}

function partOf(view: ShownState, of: string | undefined): ShownState {
  return of === undefined ? view : ((view[of] ?? {}) as ShownState);
}

/** @param path separated by dots */
export const shownValueAt = (view: ShownState, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as ShownState | null | undefined)?.[name], view);

export function operationOf(name: string): RegisteredOperation {
  const found = findOperation(name);
  if (found === undefined) throw new Error(`A record declaration names the operation ${name}, which does not exist.`);
  return found;
}
