import type { TriggerKind } from './starter.js';

/**
 * `CallerKind` lists what can call operations with an API key. `ActorKind` adds other starters of runs and the service
 * itself, which events also record as actors.
 */
export type CallerKind = 'person' | 'connection' | 'agent' | 'automation' | 'flow';
export type ActorKind = CallerKind | TriggerKind | 'function' | 'user' | 'visitor' | 'system' | 'operator';

export const callerKinds: readonly CallerKind[] = ['person', 'connection', 'agent', 'automation', 'flow'];

/** Whether a person acts, directly or through their own client. Other kinds may act without a person watching. */
export const isPersons = (kind: ActorKind): boolean => kind === 'person' || kind === 'connection';

export type Role = 'owner' | 'admin' | 'editor' | 'viewer';

/**
 * Permissions that operations require. Each role has a fixed set of them, and a member can be granted those in
 * `grantablePermissions` as well.
 */
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
  /** Access to the personal data of a site's users, and to everything that changes it. */
  | 'site.users'
  /** Access to a site's payments: its processor, and decisions about payments. */
  | 'site.money'
  /** Access to the whole audit. Without it, a member can read only about resources that they may see. */
  | 'audit.read';

/**
 * Determines which commands of an agent or of an automation key need approval. `risky`: commands that delete, publish,
 * give paid access or open something to the public. `changes`: every command that changes the workspace. `nothing`: no
 * command.
 */
export const askModes = ['risky', 'changes', 'nothing'] as const;
export type AskMode = (typeof askModes)[number];

/** Permissions that can be granted to a member in addition to those of the role. */
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

/** The permission table: Owner > Admin > Editor > Viewer. */
export const permissionsOfRole: Readonly<Record<Role, readonly Permission[]>> = { owner, admin, editor, viewer };

/**
 * Sites and bases that a running function may access through its service tools. Derived from the function's
 * `grants.bases` and `grants.databaseIds`.
 */
export interface Reach {
  readonly sites: readonly { readonly projectId: string; readonly access: 'read' | 'write' }[];
  /** Ids of bases. A base that belongs to a site is reached through the site alone. */
  readonly bases: readonly string[];
}

/** The caller behind a request, derived from the key and the current state of the member and agent. */
export interface Caller {
  readonly kind: CallerKind;
  /** Id of the member, agent or key, depending on the kind. */
  readonly id: string;
  readonly name: string;
  readonly workspaceId: string;
  readonly keyId: string;
  readonly role: Role;
  readonly permissions: ReadonlySet<Permission>;
  readonly readOnly: boolean;
  readonly neverDeletes: boolean;
  /** The member for whom a connection or an agent acts. */
  readonly personBehind?: { readonly id: string; readonly name: string };
  /**
   * Ids of other members who created the key in use, or who created or instructed the acting agent. They could act
   * through this caller, so the four-eyes principle treats them as requesters too. Default: none.
   */
  readonly makers?: readonly string[];
  /** Determines which of the caller's commands need approval. If omitted, none of them does. */
  readonly asks?: AskMode;
  /** Expiry of the key in ISO 8601. Default: never. */
  readonly expiresAt?: string;
  /** The areas whose operations the key may call. Default: all. */
  readonly areas?: readonly string[];
  /** Ids of the functions that the key may run, regardless of its areas. Default: all. */
  readonly functions?: readonly string[];
  /** Sites and bases that the running function may access through its service tools. Default: the whole workspace. */
  readonly reach?: Reach;
}
