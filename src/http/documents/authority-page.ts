import { type CallerTraits, type RightsVerdict, traitsFor, verdictOn } from '../../engine/authorisation/authority.js';
import { allOperations, type RegisteredOperation } from '../../engine/operation/operation.js';
import { callerKinds } from '../../kernel/callers/caller.js';

type Verdicts = readonly [any: RightsVerdict, readOnly: RightsVerdict, neverDeletes: RightsVerdict];

export function authorityPage(operations: readonly RegisteredOperation[] = allOperations()): string {
  const sections = operations.map((one) => `## ${demandsOf(one).join(', ')}\n\n${tableOf(one)}`);
  return [
    '# Who may call what',
    'What each operation requires of its caller, and which callers have it as a tool. Some operations can also refuse later, because of the input or of what the call would change.',
    table(
      ['operation', 'effect', 'right', 'open to', 'takes away', 'tool', 'agents ask first'],
      operations.map((one) => [one.name, ...demandsOf(one), one.tools, askedFirst(one)]),
    ),
    'The sections below list the callers that meet these requirements, and the refusal code for all others. A member who was granted the right in addition to the role is marked +. An agent has at most the rights of an Editor, regardless of the person behind it. A read-only key that never deletes gets the result of a read-only key or, if that is yes, of a key that never deletes.',
    ...[...new Set(sections)].sort(),
  ].join('\n\n');
}

/**
 * Whether a call waits for a person's approval: `yes`, `sometimes`, or an empty string for never. This is for agents
 * with `asks: 'risky'`, the default.
 */
function askedFirst({ takesAway, risky }: RegisteredOperation): string {
  if (takesAway === undefined && risky === undefined) return '';
  return takesAway === true || risky === true ? 'yes' : 'sometimes';
}

function demandsOf(operation: RegisteredOperation) {
  const { effect, showsLinks, permission, takesAway } = operation;
  return [
    showsLinks ? `${effect} that shows links` : effect,
    permission,
    openTo(operation),
    takesAway === undefined ? 'takes nothing away' : takesAway === true ? 'takes away' : 'sometimes takes away',
  ] as const;
}

/** Omits agents whose role is above Editor or that have granted rights, because no agent has these. */
function openTo(operation: RegisteredOperation): string {
  const callers = traitsFor(operation).filter(
    ({ kind, role, granted }) => kind !== 'agent' || (!granted && (role === 'editor' || role === 'viewer')),
  );
  const open = callerKinds.filter((kind) =>
    callers.some((one) => one.kind === kind && verdictOn(operation, one) === 'yes'),
  );
  return open.length === callerKinds.length ? 'anyone' : open.join('/');
}

function tableOf(operation: RegisteredOperation): string {
  const rows = new Map<string, CallerTraits[]>();
  for (const traits of traitsFor(operation).filter(({ readOnly, neverDeletes }) => !readOnly && !neverDeletes)) {
    const verdicts = verdictsFor(operation, traits).join(' | ');
    rows.set(verdicts, [...(rows.get(verdicts) ?? []), traits]);
  }
  return table(
    ['caller', 'any key', 'only reads', 'never deletes'],
    [...rows].map(([verdicts, callers]) => [whoAre(callers), verdicts]),
  );
}

function verdictsFor(operation: RegisteredOperation, traits: CallerTraits): Verdicts {
  const of = (more: Partial<CallerTraits>) => verdictOn(operation, { ...traits, ...more });
  return [of({}), of({ readOnly: true }), of({ neverDeletes: true })];
}

function whoAre(callers: readonly CallerTraits[]): string {
  const kindsByRoles = new Map<string, string[]>();
  for (const kind of callerKinds) {
    const ofKind = callers.filter((one) => one.kind === kind);
    const roles = ofKind.map(({ role, granted }) => `${role}${granted ? '+' : ''}`).join(', ');
    if (ofKind.length > 0) kindsByRoles.set(roles, [...(kindsByRoles.get(roles) ?? []), kind]);
  }
  const named = (kinds: readonly string[]) => (kinds.length === callerKinds.length ? 'anyone' : kinds.join(', '));
  return [...kindsByRoles].map(([roles, kinds]) => `${named(kinds)}: ${roles}`).join('; ');
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
