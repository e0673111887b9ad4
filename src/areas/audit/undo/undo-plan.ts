import { isDeepStrictEqual } from 'node:util';
import { type FieldSpec, fieldsOf } from '../../../engine/operation/field.js';
import { findOperation, type RegisteredOperation } from '../../../engine/operation/operation.js';
import { differences } from '../../../kernel/difference.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Setter, UndoingOf } from '../../../kernel/undoing.js';

export type View = Readonly<Record<string, unknown>>;

/** A resource as answers show it; null: it was not there. */
export interface Versions {
  readonly before: View | null;
  readonly after: View | null;
  readonly now: View | null;
}

/** What undoes a change: an operation with its parameters, or the return of what was ended. */
export type Plan =
  | { readonly operation: RegisteredOperation; readonly input: View }
  | { readonly returns: true; readonly makes: RegisteredOperation };

/** What operations ask for that an answer need not show. */
export interface Whose {
  readonly id: string;
  readonly projectId?: string | undefined;
  /** Of the event that is undone. */
  readonly position?: number;
  /** It was ended for good, and has no state any more. */
  readonly isOver?: boolean;
}

export interface Conflict {
  readonly path: string;
  /** What the change made it. */
  readonly made: unknown;
  readonly now: unknown;
}

const noOperation = 'No operation sets back what it changed; getStateAt answers what was there before.';

/** Parameters that say what the caller last saw. */
const seen: Readonly<Record<string, string>> = { seenUpdatedAt: 'updatedAt', seenVersion: 'version' };

/**
 * How the change is undone: by the kind's own operations, with the former values. Pure.
 * @throws Refusal undo-impossible, undo-conflict
 */
export function undoPlan(undoing: UndoingOf<never>, whose: Whose, { before, after, now }: Versions): Plan {
  if (typeof undoing === 'string') return refuse('undo-impossible', { why: undoing });
  const { sets = [], restores, makes, ends, returns, gone = '', otherwise = noOperation } = undoing;
  if (restores !== undefined) return restoring({ restores, ends, gone }, whose, { before, after, now });
  const setters = sets.map(setterOf);
  const moved = conflicts(setters, after, now);
  if (after === null) {
    if (before === null) return refuse('undo-impossible', { why: 'It changed nothing that is there.' });
    if (returns === undefined || makes === undefined) return refuse('undo-impossible', { why: gone });
    if (moved.length > 0) conflict(moved);
    return { returns: true, makes: operationOf(makes) };
  }
  if (moved.length > 0) conflict(moved);
  if (before === null) {
    if (ends === undefined)
      return refuse('undo-impossible', { why: 'Delete what was made, if nothing of it is needed.' });
    return asked(operationOf(ends), whose, {}, now ?? {}) ?? neverFits(ends);
  }
  const changed = setters.flatMap((setter) => changedBy(setter, before, after));
  const left = setters.some((setter) => changesWhatIsLeft(setter, before, after));
  if (changed.length === 0 || left) return refuse('undo-impossible', { why: otherwise });
  const names = new Set(changed.map(nameOf));
  for (const setter of setters) {
    const own = changedBy(setter, before, after);
    const set = new Set(own.map(nameOf));
    if (own.length === 0 || [...names].some((name) => !set.has(name) && !setter.follows?.includes(name))) continue;
    const values = Object.fromEntries(own.map((one) => [one.name, sentValue(setter, one)]));
    const plan = asked(setter.operation, whose, values, now ?? {});
    if (plan !== undefined) return plan;
  }
  return refuse('undo-impossible', {
    why: `Several operations set back ${[...new Set(changed.map(nameOf))].join(', ')}; set them back one by one.`,
  });
}

/** By the operation that gives back what was before an event. */
function restoring(
  { restores, ends, gone }: { readonly restores: string; readonly ends: string | undefined; readonly gone: string },
  whose: Whose,
  { before, after, now }: Versions,
): Plan {
  if (whose.isOver || (before === null && after === null)) return refuse('undo-impossible', { why: gone });
  const moved = differences(after, now).filter(({ path }) => path !== 'updatedAt');
  if (moved.length > 0) conflict(moved.map(({ path, from, to }) => ({ path, made: from, now: to })));
  const name = before === null ? ends : restores;
  if (name === undefined)
    return refuse('undo-impossible', { why: 'Delete what was made, if nothing of it is needed.' });
  const values = before === null ? {} : { before: whose.position };
  return asked(operationOf(name), whose, values, before ?? now ?? {}) ?? neverFits(name);
}

/** The operation with what is required of it and these values; undefined where the resource does not tell all. */
export function asked(operation: RegisteredOperation, whose: Whose, values: View, now: View): Plan | undefined {
  const input: Record<string, unknown> = { ...values };
  for (const [name, spec] of fieldsOf(operation.input)) {
    if (Object.hasOwn(input, name)) continue;
    const known = seen[name] === undefined ? required(name, spec, whose, now) : now[seen[name]];
    if (known !== undefined) input[name] = known;
    else if (!spec.optional) return undefined;
  }
  return { operation, input };
}

/** What names the resource, and what it is in. */
function required(name: string, { optional }: FieldSpec, { id, projectId }: Whose, now: View): unknown {
  if (optional) return undefined;
  if (name === 'id') return id;
  if (name === 'projectId') return projectId;
  return now[name] ?? (name.endsWith('Id') ? id : undefined);
}

interface Changed {
  readonly of: string | undefined;
  readonly name: string;
  readonly from: unknown;
  readonly to: unknown;
}

const nameOf = ({ of, name }: Changed) => (of === undefined ? name : `${of}.${name}`);

function changedBy({ operation, of, leaves = [] }: KnownSetter, before: View, after: View): readonly Changed[] {
  const [from, to] = [partOf(before, of), partOf(after, of)];
  return [...fieldsOf(operation.input)].flatMap(([name, spec]) => {
    if (leaves.includes(name) || !(name in from) || !(name in to) || isSame(spec, from[name], to[name])) return [];
    return [{ of, name, from: from[name], to: to[name] }];
  });
}

/** Where only texts are taken, an empty one says that there is none. */
const isSame = (spec: FieldSpec, one: unknown, other: unknown) =>
  isDeepStrictEqual(one, other) || (isPlainText(spec) && [one, other].every((text) => text === null || text === ''));

const isPlainText = (spec: FieldSpec) => spec.type === 'string' && !spec.nullable && spec.enum === undefined;

function changesWhatIsLeft({ of, leaves = [] }: KnownSetter, before: View, after: View): boolean {
  const [from, to] = [partOf(before, of), partOf(after, of)];
  return leaves.some((name) => !isDeepStrictEqual(from[name], to[name]));
}

/** @throws Refusal undo-impossible */
function sentValue({ operation, merges = [] }: KnownSetter, { name, from, to }: Changed): unknown {
  const spec = fieldsOf(operation.input).get(name);
  if (spec === undefined) return from;
  if (from === null && !takesNull(spec)) return takesEmpty(spec) ? '' : takesNoSuch(name, operation);
  if (from !== null && spec.type === 'object' && spec.shape !== undefined) {
    const shape = fieldsOf(spec.shape());
    const sent = Object.entries(from as View).filter(([member, value]) => {
      const inner = shape.get(member);
      if (value !== null || inner === undefined || takesNull(inner)) return true;
      // Where it was null and still is, it need not be sent.
      return (to as View | null)?.[member] === null ? false : takesNoSuch(`${name}.${member}`, operation);
    });
    return Object.fromEntries(sent);
  }
  if (!merges.includes(name)) return from;
  const added = Object.keys((to ?? {}) as View).filter((key) => !Object.hasOwn((from ?? {}) as View, key));
  return { ...(from as View), ...Object.fromEntries(added.map((key) => [key, null])) };
}

/** What the words of a field do not say is left to the operation. */
const takesNull = (spec: FieldSpec) => spec.nullable === true || spec.type === 'any';

const takesEmpty = (spec: FieldSpec) =>
  isPlainText(spec) && spec.type === 'string' && !spec.minLength && (spec.pattern?.test('') ?? true);

function takesNoSuch(name: string, { name: operation }: RegisteredOperation): never {
  return refuse('undo-impossible', {
    why: `Nothing was set as ${name} before, and ${operation} takes no such value.`,
  });
}

/** Differences in what can be set: a time of the last change, or a count of saves, is no conflict. */
function conflicts(setters: readonly KnownSetter[], after: View | null, now: View | null): readonly Conflict[] {
  if (after === null || now === null) return after === now ? [] : [{ path: '', made: after, now }];
  const paths = new Map<string, Conflict>();
  for (const setter of setters) {
    for (const changed of changedBy(setter, now, after)) {
      const path = nameOf(changed);
      paths.set(path, { path, made: changed.to, now: changed.from });
    }
  }
  return [...paths.values()];
}

function conflict(moved: readonly Conflict[]): never {
  return refuse('undo-conflict', undefined, { details: { conflicts: moved } });
}

/** Fields that are set back though answers do not show them. */
export function unseenBy(undoing: UndoingOf<never>): readonly string[] {
  const sets = typeof undoing === 'string' ? [] : (undoing.sets ?? []);
  return sets.flatMap((setter) => (typeof setter === 'string' ? [] : (setter.unseen ?? [])));
}

interface KnownSetter extends Omit<Setter, 'operation'> {
  readonly operation: RegisteredOperation;
}

function setterOf(setter: string | Setter): KnownSetter {
  const known = typeof setter === 'string' ? { operation: setter } : setter;
  return { ...known, operation: operationOf(known.operation) };
}

function operationOf(name: string): RegisteredOperation {
  const found = findOperation(name);
  if (found === undefined) throw new Error(`A record is changed by the operation ${name}, which does not exist.`);
  return found;
}

function partOf(view: View, of: string | undefined): View {
  return of === undefined ? view : ((view[of] ?? {}) as View);
}

function neverFits(operation: string): never {
  throw new Error(`The operation ${operation} asks for something that the record does not tell.`);
}
