import { isDeepStrictEqual } from 'node:util';
import type { RegisteredOperation } from '../../../engine/operation/operation.js';
import { type FieldSpec, fieldsOf } from '../../../kernel/field/field.js';
import { differences } from '../../../kernel/record/difference.js';
import type { UndoingOf } from '../../../kernel/record/undoing.js';
import { refuse } from '../audit.refusals.js';
import {
  type Conflict,
  changedBy,
  type KnownSetter,
  leftBy,
  movedSince,
  operationOf,
  sentValue,
  setterNamed,
  setterOf,
  type View,
  valueAt,
} from './changed-fields.js';

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
  if (after === null) {
    if (before === null) return refuse('undo-impossible', { why: 'It changed nothing that is there.' });
    if (returns === undefined || makes === undefined) return refuse('undo-impossible', { why: gone });
    if (now !== null) conflict([{ path: '', made: null, now }]);
    return { returns: true, makes: operationOf(makes) };
  }
  if (now === null) return conflict([{ path: '', made: after, now }]);
  if (before === null) {
    const moved = setters.flatMap((setter) => changedBy(setter, after, now));
    if (moved.length > 0) conflict(moved.map(({ path, from, to }) => ({ path, made: from, now: to })));
    if (ends === undefined)
      return refuse('undo-impossible', { why: 'Delete what was made, if nothing of it is needed.' });
    return asked(operationOf(ends), whose, {}, now) ?? neverFits(ends);
  }
  return settingBack(setters, whose, { before, after, now }, otherwise);
}

/** By the first operation that takes all that the event changed. Nothing else has to be as the event left it. */
function settingBack(
  setters: readonly KnownSetter[],
  whose: Whose,
  versions: { readonly before: View; readonly after: View; readonly now: View },
  otherwise: string,
): Plan {
  const { before, after, now } = versions;
  const changed = setters.flatMap((setter) => changedBy(setter, before, after));
  const left = setters.flatMap((setter) => leftBy(setter, before, after));
  const moved = [
    ...changed.flatMap((one) => movedSince(one, now)),
    ...left.flatMap((path) => movedFrom(path, after, now)),
  ];
  if (moved.length > 0) conflict([...new Map(moved.map((one) => [one.path, one])).values()]);
  const names = new Set([...changed.map(({ path }) => path), ...left]);
  for (const setter of setters) {
    const own = changedBy(setter, before, after);
    const set = new Set([...own.map(({ path }) => path), ...(setter.follows ?? [])]);
    if (own.length === 0 || [...names].some((name) => !set.has(name))) continue;
    const values = Object.fromEntries(own.map((one) => [one.name, sentValue(setter, one)]));
    const plan = asked(setter.operation, whose, values, now);
    if (plan === undefined) continue;
    checkBeside(setter, versions, otherwise);
    return plan;
  }
  if (changed.length === 0 || left.length > 0) return refuse('undo-impossible', { why: otherwise });
  return refuse('undo-impossible', {
    why: `Several operations set back ${[...new Set(changed.map(({ path }) => path))].join(', ')}; set them back one by one.`,
  });
}

/** What an operation sets beside what is sent is still as the event left it. @throws Refusal */
function checkBeside(
  { follows = [], also = {} }: KnownSetter,
  { before, after, now }: { readonly before: View; readonly after: View; readonly now: View },
  otherwise: string,
): void {
  const others = Object.entries(also).filter(([name, path]) => !isLike(now, name, path));
  const moved = [
    ...follows.flatMap((path) => movedFrom(path, after, now)),
    ...others.map(([, path]) => ({ path, made: valueAt(after, path) ?? null, now: valueAt(now, path) })),
  ];
  if (moved.length > 0) conflict(moved);
  if (Object.entries(also).some(([name, path]) => !isLike(before, name, path))) {
    refuse('undo-impossible', { why: otherwise });
  }
}

function movedFrom(path: string, after: View, now: View): readonly Conflict[] {
  const [made, value] = [valueAt(after, path), valueAt(now, path)];
  return isDeepStrictEqual(made, value) ? [] : [{ path, made: made ?? null, now: value ?? null }];
}

const isLike = (view: View, name: string, path: string) =>
  valueAt(view, path) === undefined || isDeepStrictEqual(valueAt(view, path), view[name]);

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

function conflict(moved: readonly Conflict[]): never {
  return refuse('undo-conflict', undefined, { details: { conflicts: moved } });
}

/** Only what is asked for events of this type, with these settings of the workspace. */
export function undoingOf(undoing: UndoingOf<never>, type: string, settings: View): UndoingOf<never> {
  if (typeof undoing === 'string' || undoing.sets === undefined) return undoing;
  const fit = undoing.sets
    .map(setterNamed)
    .filter((setter) => Object.entries(setter.while ?? {}).every(([name, value]) => settings[name] === value));
  const own = fit.filter((setter) => setter.for?.includes(type));
  return { ...undoing, sets: own.length > 0 ? own : fit.filter((setter) => setter.for === undefined) };
}

/** Fields that are set back though answers do not show them. */
export function unseenBy(undoing: UndoingOf<never>): readonly string[] {
  const sets = typeof undoing === 'string' ? [] : (undoing.sets ?? []);
  return sets.flatMap((setter) => (typeof setter === 'string' ? [] : (setter.unseen ?? [])));
}

function neverFits(operation: string): never {
  throw new Error(`The operation ${operation} asks for something that the record does not tell.`);
}
