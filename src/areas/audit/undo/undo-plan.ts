import { isDeepStrictEqual } from 'node:util';
import type { RegisteredOperation } from '../../../engine/operation/operation.js';
import { type FieldSpec, fieldsOf } from '../../../kernel/field/field.js';
import { differences } from '../../../kernel/record/difference.js';
import type { UndoingOf } from '../../../kernel/record/undoing.js';
import { refuse } from '../audit.refusals.js';
import {
  type ChangedField,
  type Conflict,
  changedBy,
  type KnownSetter,
  leftBy,
  movedSince,
  operationOf,
  type ShownState,
  sentValue,
  setterNamed,
  setterOf,
  shownValueAt,
} from './changed-fields.js';

/** The record as operations return it, at three points in time. `null` if the record did not exist. */
export interface Versions {
  readonly before: ShownState | null;
  readonly after: ShownState | null;
  readonly now: ShownState | null;
}

export type UndoPlan =
  | { readonly operation: RegisteredOperation; readonly input: ShownState }
  | { readonly returns: true; readonly makes: RegisteredOperation };

export interface Whose {
  readonly id: string;
  readonly projectId?: string | undefined;
  readonly position?: number;
  readonly isOver?: boolean;
}

const noOperation = 'No operation can restore the earlier state; getStateAt returns it.';

/**
 * Keys are input parameters for the record version that the caller has seen. Values are the record's fields that
 * contain its version.
 */
const versionParameters: Readonly<Record<string, string>> = { seenUpdatedAt: 'updatedAt', seenVersion: 'version' };

/** @throws Refusal undo-impossible, undo-conflict */
export function undoPlan(undoing: UndoingOf<never>, whose: Whose, { before, after, now }: Versions): UndoPlan {
  if (typeof undoing === 'string') return refuse('undo-impossible', { why: undoing });
  const { sets = [], restores, makes, ends, returns, gone = '', otherwise = noOperation } = undoing;
  if (restores !== undefined) return planRestore({ restores, ends, gone }, whose, { before, after, now });
  const setters = sets.map(setterOf);
  if (after === null) {
    if (before === null) return refuse('undo-impossible', { why: 'It did not change the state of the record.' });
    if (returns === undefined || makes === undefined) return refuse('undo-impossible', { why: gone });
    if (now !== null) conflict([{ path: '', made: null, now }]);
    return { returns: true, makes: operationOf(makes) };
  }
  if (now === null) return conflict([{ path: '', made: after, now }]);
  if (before === null) {
    const moved = setters.flatMap((setter) => changedBy(setter, after, now));
    if (moved.length > 0) conflict(moved.map(({ path, from, to }) => ({ path, made: from, now: to })));
    if (ends === undefined) return refuse('undo-impossible', { why: 'Delete the record if it is no longer needed.' });
    return planFor(operationOf(ends), whose, {}, now) ?? neverFits(ends);
  }
  return planSetters(setters, whose, { before, after, now }, otherwise);
}

function planSetters(
  setters: readonly KnownSetter[],
  whose: Whose,
  versions: { readonly before: ShownState; readonly after: ShownState; readonly now: ShownState },
  otherwise: string,
): UndoPlan {
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
    const plan = planFor(setter.operation, whose, values, now);
    if (plan === undefined) continue;
    checkSideEffects(setter, own, versions, otherwise);
    return plan;
  }
  if (changed.length === 0 || left.length > 0) return refuse('undo-impossible', { why: otherwise });
  return refuse('undo-impossible', {
    why: `No single operation can restore ${[...new Set(changed.map(({ path }) => path))].join(', ')}; restore them one by one.`,
  });
}

/**
 * Checks the fields that the operation would change although they are not in its input. Refuses if such a field has
 * changed since the event, or would not get its previous value.
 * @throws Refusal undo-impossible, undo-conflict
 */
function checkSideEffects(
  { follows = [], also = {}, clears = {} }: KnownSetter,
  own: readonly ChangedField[],
  { before, after, now }: { readonly before: ShownState; readonly after: ShownState; readonly now: ShownState },
  otherwise: string,
): void {
  const others = Object.entries(also).filter(([name, path]) => !isLike(now, name, path));
  const cleared = own
    .flatMap(({ path }) => clears[path] ?? [])
    .filter((path) => (shownValueAt(now, path) ?? null) !== null);
  const moved = [
    ...follows.flatMap((path) => movedFrom(path, after, now)),
    ...cleared.flatMap((path) => movedFrom(path, after, now)),
    ...others.map(([, path]) => ({ path, made: shownValueAt(after, path) ?? null, now: shownValueAt(now, path) })),
  ];
  if (moved.length > 0) conflict(moved);
  if (Object.entries(also).some(([name, path]) => !isLike(before, name, path))) {
    refuse('undo-impossible', { why: otherwise });
  }
}

function movedFrom(path: string, after: ShownState, now: ShownState): readonly Conflict[] {
  const [made, value] = [shownValueAt(after, path), shownValueAt(now, path)];
  return isDeepStrictEqual(made, value) ? [] : [{ path, made: made ?? null, now: value ?? null }];
}

const isLike = (view: ShownState, name: string, path: string) =>
  shownValueAt(view, path) === undefined || isDeepStrictEqual(shownValueAt(view, path), view[name]);

function planRestore(
  { restores, ends, gone }: { readonly restores: string; readonly ends: string | undefined; readonly gone: string },
  whose: Whose,
  { before, after, now }: Versions,
): UndoPlan {
  if (whose.isOver || (before === null && after === null)) return refuse('undo-impossible', { why: gone });
  const moved = differences(after, now).filter(({ path }) => path !== 'updatedAt');
  if (moved.length > 0) conflict(moved.map(({ path, from, to }) => ({ path, made: from, now: to })));
  const name = before === null ? ends : restores;
  if (name === undefined) return refuse('undo-impossible', { why: 'Delete the record if it is no longer needed.' });
  const values = before === null ? {} : { before: whose.position };
  return planFor(operationOf(name), whose, values, before ?? now ?? {}) ?? neverFits(name);
}

export function planFor(
  operation: RegisteredOperation,
  whose: Whose,
  values: ShownState,
  now: ShownState,
): UndoPlan | undefined {
  const input: Record<string, unknown> = { ...values };
  for (const [name, spec] of fieldsOf(operation.input)) {
    if (Object.hasOwn(input, name)) continue;
    const known =
      versionParameters[name] === undefined ? required(name, spec, whose, now) : now[versionParameters[name]];
    if (known !== undefined) input[name] = known;
    else if (!spec.optional) return undefined;
  }
  return { operation, input };
}

function required(name: string, { optional }: FieldSpec, { id, projectId }: Whose, now: ShownState): unknown {
  if (optional) return undefined;
  if (name === 'id') return id;
  if (name === 'projectId') return projectId;
  return now[name] ?? (name.endsWith('Id') ? id : undefined);
}

function conflict(moved: readonly Conflict[]): never {
  return refuse('undo-conflict', undefined, { details: { conflicts: moved } });
}

/**
 * Returns the setters that apply under these settings of the workspace: those for exactly this type of event or, if
 * there are none, those for all types.
 */
export function undoingOf(undoing: UndoingOf<never>, type: string, settings: ShownState): UndoingOf<never> {
  if (typeof undoing === 'string' || undoing.sets === undefined) return undoing;
  const fit = undoing.sets
    .map(setterNamed)
    .filter((setter) => Object.entries(setter.while ?? {}).every(([name, value]) => settings[name] === value));
  const own = fit.filter((setter) => setter.for?.includes(type));
  return { ...undoing, sets: own.length > 0 ? own : fit.filter((setter) => setter.for === undefined) };
}

export function unseenBy(undoing: UndoingOf<never>): readonly string[] {
  const sets = typeof undoing === 'string' ? [] : (undoing.sets ?? []);
  return sets.flatMap((setter) => (typeof setter === 'string' ? [] : (setter.unseen ?? [])));
}

function neverFits(operation: string): never {
  throw new Error(`The operation ${operation} requires an input that the record does not contain.`);
}
