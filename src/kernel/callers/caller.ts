import type { TriggerKind } from './starter.js';

/** Only a `CallerKind` can have an API key. Events also record the other kinds of actor. */
export type CallerKind = 'person' | 'connection' | 'agent' | 'automation' | 'flow';
export type ActorKind = CallerKind | TriggerKind | 'function' | 'user' | 'visitor' | 'system' | 'operator';

export const callerKinds: readonly CallerKind[] = ['person', 'connection', 'agent', 'automation', 'flow'];

export const isPersons = (kind: ActorKind): boolean => kind === 'person' || kind === 'connection';

export type Role = 'owner' | 'admin' | 'editor' | 'viewer';

/** Each role has a fixed set of permissions. A member can be granted those in `grantablePermissions` as well. */
export type Permission =
  | 'workspace.read'
  | 'workspace.manage'
  | 'members.manage'
  | 'agents.manage'
  | 'keys.manage'
  | 'functions.read'
  | 'functions.edit'
  | 'functions.run'
  /** Every key has this permission except read-only ones. */
  | 'events.raise'
  | 'mailboxes.manage'
  | 'site.read'
  | 'site.edit'
  | 'site.publish'
  /** Covers everything that changes the personal data of a site's users. */
  | 'site.users'
  /** Covers the settings of a site's payment processor, and decisions about payments. */
  | 'site.money'
  /** Without this permission, a caller sees only the audited events of records that the caller may read. */
  | 'audit.read';

/**
 * Determines which commands of an agent or of an automation key need approval. `risky`: commands that delete, publish,
 * give paid access or open something to the public. `changes`: every command that changes the workspace. `nothing`: no
 * command.
 */
export const askModes = ['risky', 'changes', 'nothing'] as const;
export type AskMode = (typeof askModes)[number];

export const grantablePermissions = ['mailboxes.manage', 'functions.edit', 'site.publish', 'audit.read'] as const;

const viewer: readonly Permission[] = ['workspace.read', 'functions.read', 'site.read', 'events.raise'];
const editor: readonly Permission[] = [
  ...viewer,
  'functions.edit',
  'functions.run',
  'agents.manage',
  'site.edit',
  'site.publish',
  'site.users',
];
const admin: readonly Permission[] = [
  ...editor,
  'workspace.manage',
  'members.manage',
  'keys.manage',
  'mailboxes.manage',
  'site.money',
  'audit.read',
];
const owner: readonly Permission[] = admin;

export const permissionsOfRole: Readonly<Record<Role, readonly Permission[]>> = { owner, admin, editor, viewer };

/**
 * The sites and bases that a running function may access when its code calls operations of the service. Derived from
 * the function's `grants.bases` and `grants.databaseIds`.
 */
export interface Reach {
  readonly sites: readonly { readonly projectId: string; readonly access: 'read' | 'write' }[];
  /** Does not apply to bases that belong to a site. `sites` decides about these. */
  readonly bases: readonly string[];
}

export interface Caller {
  readonly kind: CallerKind;
  readonly id: string;
  readonly name: string;
  readonly workspaceId: string;
  readonly keyId: string;
  readonly role: Role;
  readonly permissions: ReadonlySet<Permission>;
  readonly readOnly: boolean;
  readonly neverDeletes: boolean;
  readonly personBehind?: { readonly id: string; readonly name: string };
  /**
   * Members who created the key in use, or who created or instructed the acting agent. They could act through this
   * caller, so the four-eyes principle treats them as requesters too. Default: none.
   */
  readonly makers?: readonly string[];
  /** If omitted, no command needs approval. */
  readonly asks?: AskMode;
  /** ISO 8601. Default: never. */
  readonly expiresAt?: string;
  /** Areas whose operations the key may call. Default: all. */
  readonly areas?: readonly string[];
  /** Functions that the key may run, regardless of its areas. Default: all. */
  readonly functions?: readonly string[];
  /**
   * Set for a running function: what it may access when its code calls operations of the service. Default: the whole
   * workspace.
   */
  readonly reach?: Reach;
}
