/**
 * Kinds of callers, which use an API key, and of actors, which also include starters of runs and the service itself.
 */
export type CallerKind = 'person' | 'connection' | 'agent' | 'automation' | 'flow';
export type ActorKind =
  | CallerKind
  | 'webhook'
  | 'schedule'
  | 'mailhook'
  | 'event'
  | 'function'
  | 'user'
  | 'visitor'
  | 'system'
  | 'operator';

export const callerKinds: readonly CallerKind[] = ['person', 'connection', 'agent', 'automation', 'flow'];

/** Whether a person acts, directly or through their own client. Other kinds may act without a person watching. */
export const isPersons = (kind: ActorKind): boolean => kind === 'person' || kind === 'connection';

export type Role = 'owner' | 'admin' | 'editor' | 'viewer';

/**
 * Permissions that operations require. Some can also be granted to a member beyond the role: `grantablePermissions`.
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
 * Which commands of an agent or an automation key need approval. `risky`: those that delete, open something to the
 * public, give paid access or publish. `changes`: every command that changes the workspace. `nothing`: none.
 */
export const askModes = ['risky', 'changes', 'nothing'] as const;
export type AskMode = (typeof askModes)[number];

/** Rights that can be granted to a member beyond the role. */
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
 * Sites and bases that service tools of running code may reach, from the `grants.bases` and `grants.databaseIds` of its
 * function.
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
   * Ids of other members who created the key in use, or created or instructed the acting agent. They could act as this
   * caller, so for the four-eyes principle they count as requesters. Default: none.
   */
  readonly makers?: readonly string[];
  /** Which of the caller's commands need approval. Default: none. */
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
