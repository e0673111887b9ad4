import type { Caller, CallerKind } from '../../kernel/callers/caller.js';
import type { DomainEvent, EventMetadata, NewEvent } from '../../kernel/event/event.js';
import type { RequiredRights } from '../../kernel/judging/decision.js';
import { nameOf } from '../../kernel/record/event-words.js';
import type { Document } from '../../kernel/record/projection.js';
import { type Refusal, type RefusalFacts } from '../../kernel/refusals/refusal.js';
import { findOperation, type OperationSpec, type WeighedChange } from '../operation/operation.js';
import type { OperationContext } from '../operation/operation-context.js';
import { refusalOf, refuse } from '../refusals/engine.refusals.js';

export type Judged = OperationSpec & { readonly name: string };

export interface RightsCheck {
  readonly code: 'read-only-key' | 'viewer-refused' | 'key-never-deletes' | 'caller-not-allowed' | 'permission-missing';
  readonly isMet: (asked: RequiredRights, caller: JudgedRights) => boolean;
}

type JudgedRights = Pick<Caller, 'kind' | 'role' | 'permissions' | 'readOnly' | 'neverDeletes'>;

/** In the order of checking: the first check that fails determines the code of the refusal. */
export const rightsChecks: readonly RightsCheck[] = [
  { code: 'read-only-key', isMet: ({ touches }, { readOnly }) => !(touches && readOnly) },
  {
    code: 'viewer-refused',
    isMet: ({ touches, permission }, { role, permissions }) =>
      !(touches && role === 'viewer' && !permissions.has(permission)),
  },
  { code: 'key-never-deletes', isMet: ({ takesAway }, { neverDeletes }) => !(takesAway && neverDeletes) },
  { code: 'caller-not-allowed', isMet: ({ callers }, { kind }) => callers?.includes(kind) !== false },
  { code: 'permission-missing', isMet: ({ permission }, { permissions }) => permissions.has(permission) },
];

export function requiredRights({ effect, permission, showsLinks, takesAway, callers }: OperationSpec): RequiredRights {
  return {
    permission,
    touches: effect === 'command' || showsLinks === true,
    takesAway: takesAway === true,
    ...(callers === undefined ? {} : { callers }),
  };
}

export function authorise(operation: Judged, caller: Caller): void {
  mustBeWithinKey(operation, caller);
  const failed = failedCheck(operation, caller);
  if (failed !== undefined) throw refusalOfCheck(failed, operation.name, operation, caller.kind);
}

export function failedCheck(operation: Judged, caller: Caller): RightsCheck['code'] | undefined {
  const asked = requiredRights(operation);
  return rightsChecks.find(({ isMet }) => !isMet(asked, caller))?.code;
}

type Narrowing = Pick<Caller, 'areas' | 'functions'>;

/**
 * A key that is limited to some functions may call these operations for those functions, regardless of the areas to
 * which it is limited.
 */
const runsFunctions: readonly string[] = ['automations/invokeFunction', 'site/invokeBackendFunction'];

/** Whether a key that is limited to some areas or functions may call the operation (Sites supplement, 11). */
export function isWithinKey({ name }: Pick<Judged, 'name'>, { areas, functions }: Narrowing): boolean {
  if (functions !== undefined && runsFunctions.includes(name)) return functions.length > 0;
  return areas?.includes(name.slice(0, name.indexOf('/'))) !== false;
}

export function mustBeWithinKey(operation: Pick<Judged, 'name'>, caller: Narrowing): void {
  if (!isWithinKey(operation, caller)) refuse('key-narrowed', { what: operation.name });
}

export function mustReachFunction(
  { id, name }: { readonly id: string; readonly name: string },
  caller?: Narrowing,
): void {
  if (caller?.functions?.includes(id) === false) refuse('key-narrowed', { what: `the function '${name}'` });
}

export function refusalOfCheck(
  code: RightsCheck['code'],
  operation: string,
  { permission }: Pick<RequiredRights, 'permission'>,
  kind: CallerKind,
  facts: RefusalFacts = {},
): Refusal {
  switch (code) {
    case 'caller-not-allowed':
      return refusalOf(code, { operation, kind }, facts);
    case 'permission-missing':
      return refusalOf(code, { operation, permission }, facts);
    case 'read-only-key':
    case 'viewer-refused':
    case 'key-never-deletes':
      return refusalOf(code, { operation }, facts);
  }
}

/**
 * Checks the events of an operation that deletes only in some cases: if one of them deletes something, keys that must
 * not delete are refused. Sets `weighing.isRisky` if one of them deletes something, or the change is otherwise risky.
 * @throws Refusal key-never-deletes
 */
export function authoriseEffects(
  { caller, operation, judgedAs = operation, weighing }: OperationContext,
  change: WeighedChange,
): void {
  if (!caller?.neverDeletes && weighing === undefined) return;
  const { takesAway, risky } = findOperation(judgedAs) ?? {};
  const { events, before } = change;
  const takes = typeof takesAway === 'function' && events.some((event) => takesAway(event, before));
  if (caller?.neverDeletes && takes) refuse('key-never-deletes', { operation: judgedAs });
  if (weighing !== undefined && (takes || (typeof risky === 'function' && risky(change)))) weighing.isRisky = true;
}

export type Taken = ReadonlyMap<number, NonNullable<EventMetadata['taken']>>;

/**
 * Returns the record's name for each event that deletes something, keyed by the index of the event. Empty for calls of
 * site visitors and of the service itself. `sealed` is the state before the change, with its personal data sealed.
 */
export function takingAway(
  { caller, visitedSite, operation, judgedAs = operation }: OperationContext,
  events: readonly DomainEvent[],
  before: unknown,
  sealed: unknown,
): Taken {
  const { takesAway } = findOperation(judgedAs) ?? {};
  if (caller === undefined || visitedSite !== undefined || takesAway === undefined) return new Map();
  const taken = { name: nameOf(sealed as Document | undefined) ?? '' };
  const isTaking = (event: DomainEvent) => takesAway === true || takesAway(event, before);
  return new Map(events.flatMap((event, at) => (isTaking(event) ? [[at, taken] as const] : [])));
}

export const withTaken = (event: NewEvent, taken: EventMetadata['taken']): NewEvent =>
  taken === undefined ? event : { ...event, metadata: { ...event.metadata, taken } };

/**
 * Returns false if the quota need not be checked for these events: for the service's own events, for events that only
 * delete or only shut visitors out of a site, and if it was checked before the operation ran.
 */
export function countsInQuota(
  { caller, actor, visitedSite, operation, judgedAs = operation }: OperationContext,
  events: readonly DomainEvent[],
  before: unknown,
): boolean {
  const declared = findOperation(judgedAs);
  if (declared === undefined) return visitedSite !== undefined && actor.kind !== 'system';
  if (caller === undefined || checksQuotaFirst(declared)) return false;
  const judges = [declared.takesAway, declared.shutsOut].filter((one) => one !== undefined);
  return !events.every((event) => judges.some((judge) => judge === true || judge(event, before)));
}

/**
 * False for operations that can delete something or shut visitors out of a site. For these, the quota is checked once
 * their events are known, so that events of these kinds are recorded even when the quota is used up.
 */
export const checksQuotaFirst = ({ takesAway, shutsOut }: OperationSpec): boolean =>
  takesAway === undefined && shutsOut === undefined;
