import { isDeepStrictEqual } from 'node:util';
import { type FieldSpec, fieldsOf } from '../../../engine/operation/field.js';
import { findOperation, type RegisteredOperation } from '../../../engine/operation/operation.js';
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
export function undoPlan(undoing: UndoingOf<never>, id: string, { before, after, now }: Versions): Plan {
  if (typeof undoing === 'string') return refuse('undo-impossible', { why: undoing });
  const { sets = [], makes, ends, returns, gone = '', otherwise = noOperation } = undoing;
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
    return asked(operationOf(ends), id, {}, now ?? {}) ?? neverFits(ends);
  }
  const changed = setters.flatMap((setter) => changedBy(setter, before, after));
  if (changed.length === 0) return refuse('undo-impossible', { why: otherwise });
  for (const { operation, of } of setters) {
    const takes = fieldsOf(operation.input);
    const own = changed.filter((one) => one.of === of && takes.has(one.name));
    if (new Set(own.map(nameOf)).size < new Set(changed.map(nameOf)).size) continue;
    const plan = asked(operation, id, Object.fromEntries(own.map(({ name, value }) => [name, value])), now ?? {});
    if (plan !== undefined) return plan;
  }
  return refuse('undo-impossible', {
    why: `Several operations set back ${[...new Set(changed.map(nameOf))].join(', ')}; set them back one by one.`,
  });
}

/** The operation with what is required of it and these values; undefined where the resource does not tell all. */
export function asked(operation: RegisteredOperation, id: string, values: View, now: View): Plan | undefined {
  const input: Record<string, unknown> = { ...values };
  for (const [name, spec] of fieldsOf(operation.input)) {
    if (Object.hasOwn(input, name)) continue;
    const known = seen[name] === undefined ? required(name, spec, id, now) : now[seen[name]];
    if (known !== undefined) input[name] = known;
    else if (!spec.optional) return undefined;
  }
  return { operation, input };
}

/** What names the resource, and what it is in. */
function required(name: string, { optional }: FieldSpec, id: string, now: View): unknown {
  if (optional) return undefined;
  if (name === 'id') return id;
  return now[name] ?? (name.endsWith('Id') ? id : undefined);
}

interface Changed {
  readonly of: string | undefined;
  readonly name: string;
  readonly value: unknown;
}

const nameOf = ({ of, name }: Changed) => (of === undefined ? name : `${of}.${name}`);

function changedBy({ operation, of }: KnownSetter, before: View, after: View): readonly Changed[] {
  const [from, to] = [partOf(before, of), partOf(after, of)];
  return [...fieldsOf(operation.input).keys()].flatMap((name) =>
    name in from && name in to && !isDeepStrictEqual(from[name], to[name]) ? [{ of, name, value: from[name] }] : [],
  );
}

/** Differences in what can be set: a time of the last change, or a count of saves, is no conflict. */
function conflicts(setters: readonly KnownSetter[], after: View | null, now: View | null): readonly Conflict[] {
  if (after === null || now === null) return after === now ? [] : [{ path: '', made: after, now }];
  const paths = new Map<string, Conflict>();
  for (const setter of setters) {
    for (const changed of changedBy(setter, now, after)) {
      const path = nameOf(changed);
      paths.set(path, { path, made: partOf(after, changed.of)[changed.name], now: changed.value });
    }
  }
  return [...paths.values()];
}

function conflict(moved: readonly Conflict[]): never {
  return refuse('undo-conflict', undefined, { details: { conflicts: moved } });
}

interface KnownSetter {
  readonly operation: RegisteredOperation;
  readonly of: string | undefined;
}

function setterOf(setter: string | Setter): KnownSetter {
  const { operation, of } = typeof setter === 'string' ? { operation: setter, of: undefined } : setter;
  return { operation: operationOf(operation), of };
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
