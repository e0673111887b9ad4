import { type RightsCheck, refusalOfCheck, rightsChecks } from '../../../engine/authorisation/authorisation.js';
import {
  type CallerKind,
  grantablePermissions,
  type Permission,
  permissionsOfRole,
  type Role,
} from '../../../kernel/callers/caller.js';
import type { JudgedCaller, RightDecision } from '../../../kernel/judging/decision.js';

type Code = RightsCheck['code'];

export interface JudgedCheck {
  readonly code: Code;
  readonly isMet: boolean;
  readonly sentence: string;
}

export interface NeededRightsChange {
  readonly code: Code;
  readonly sentence: string;
  readonly set: {
    readonly readOnly?: false;
    readonly neverDeletes?: false;
    readonly kind?: CallerKind;
    readonly role?: Role;
    readonly grant?: Permission;
  };
}

type Judged = Pick<RightDecision, 'operation' | 'asked' | 'caller'>;

export function judgedChecks({ operation, asked, caller }: Judged): readonly JudgedCheck[] {
  const judged = { ...caller, permissions: permissionsOf(caller) };
  return rightsChecks.map(({ code, isMet }) => {
    const met = isMet(asked, judged);
    return {
      code,
      isMet: met,
      sentence: met ? metWords[code] : refusalOfCheck(code, operation, asked, caller.kind).message,
    };
  });
}

export function permissionsOf({ role, more, less }: JudgedCaller): ReadonlySet<Permission> {
  return new Set([...permissionsOfRole[role], ...more].filter((one) => !less.includes(one)));
}

const metWords: Readonly<Record<Code, string>> = {
  'read-only-key': 'The key may make changes, or the operation makes none.',
  'viewer-refused': 'The caller is not a Viewer, or the operation makes no changes.',
  'key-never-deletes': 'The key may delete, or the operation does not always delete something.',
  'caller-not-allowed': 'The operation is open to this kind of caller.',
  'permission-missing': 'The caller has the right that the operation needs.',
};

export function rightsChanges(decision: Judged, name: string): readonly NeededRightsChange[] {
  const { asked, caller } = decision;
  const failed = new Set(judgedChecks(decision).flatMap(({ code, isMet }) => (isMet ? [] : [code])));
  const changes: NeededRightsChange[] = [];
  if (failed.has('read-only-key')) {
    changes.push({ code: 'read-only-key', sentence: 'Use a key that is not read-only.', set: { readOnly: false } });
  }
  if (failed.has('key-never-deletes')) {
    const sentence = 'Use a key that may delete.';
    changes.push({ code: 'key-never-deletes', sentence, set: { neverDeletes: false } });
  }
  const kind = failed.has('caller-not-allowed') ? nextKind(asked.callers) : caller.kind;
  if (kind !== caller.kind) {
    const who = kind === 'person' ? 'a person' : `a caller of the kind ${kind}`;
    changes.push({ code: 'caller-not-allowed', sentence: `Let ${who} make the call.`, set: { kind } });
  }
  const lacks = failed.has('permission-missing') || failed.has('viewer-refused');
  if (lacks) changes.push(rightGiven(asked.permission, { ...caller, kind }, kind === caller.kind ? name : 'them'));
  return changes;
}

const nextKind = (callers: readonly CallerKind[] | undefined): CallerKind =>
  callers === undefined || callers.includes('person') ? 'person' : (callers[0] ?? 'person');

const roles: readonly Role[] = ['viewer', 'editor', 'admin', 'owner'];

/**
 * For a client or an agent, the person behind it must get the right. Agents, automations and flows cannot get more than
 * the rights of an Editor; if the permission is beyond these rights, the sentence recommends that a person make the
 * call.
 */
function rightGiven(permission: Permission, { kind, role: own }: JudgedCaller, name: string): NeededRightsChange {
  const code = 'permission-missing';
  const role = roles.find(
    (one) => roles.indexOf(one) >= roles.indexOf(own) && permissionsOfRole[one].includes(permission),
  );
  const whom = kind === 'agent' || kind === 'connection' ? `the person behind ${name}` : name;
  const isGrantable = grantablePermissions.some((one) => one === permission);
  const given = isGrantable ? { grant: permission } : { role: role ?? 'owner' };
  const isMachine = kind === 'agent' || kind === 'automation' || kind === 'flow';
  if (isMachine && !permissionsOfRole.editor.includes(permission)) {
    const sentence = `Let a person who has the right '${permission}' make the call: agents and machines have at most an Editor's rights.`;
    return { code, sentence, set: { kind: 'person', ...given } };
  }
  const orRole = role === undefined ? '' : `the role ${roleNames[role]}`;
  const what = isGrantable ? [`the permission ${permission}`, orRole].filter(Boolean).join(', or ') : orRole;
  return { code, sentence: `Give ${whom} ${what}, with updateMember.`, set: given };
}

const roleNames: Readonly<Record<Role, string>> = {
  owner: 'Owner',
  admin: 'Admin',
  editor: 'Editor',
  viewer: 'Viewer',
};
