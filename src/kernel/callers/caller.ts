/** Who acts. The first five come with an API key; the others are starters of runs and the service itself. */
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

/**
 * Whether a person acts, directly or through their own client. Behind all other kinds there may be no person watching.
 */
export const isPersons = (kind: ActorKind): boolean => kind === 'person' || kind === 'connection';

export type Role = 'owner' | 'admin' | 'editor' | 'viewer';

/** The permissions of operations. Some can also be granted to a member beyond the role: `grantablePermissions`. */
export type Permission =
  | 'workspace.read'
  | 'workspace.manage'
  | 'members.manage'
  | 'agents.manage'
  | 'keys.manage'
  | 'functions.read'
  | 'functions.edit'
  | 'functions.run'
  /** Granted to every key except read-only ones. */
  | 'events.raise'
  | 'mailboxes.manage'
  | 'site.read'
  | 'site.edit'
  | 'site.publish'
  /** Personal data of a site's users, and everything that changes it. */
  | 'site.users'
  /** A site's payments: its processor, and decisions about payments. */
  | 'site.money'
  /** The whole audit. Without it, a member reads only about resources they may see. */
  | 'audit.read';

/**
 * Which commands of an agent or an automation key need approval: those that delete, open something to the public, give
 * paid access or publish; every command that changes the workspace; or none.
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

/** What service tools of running code may reach: the `grants.bases` and `grants.databaseIds` of its function. */
export interface Reach {
  readonly sites: readonly { readonly projectId: string; readonly access: 'read' | 'write' }[];
  /** Ids of bases. Those that belong to a site are reached with the site alone. */
  readonly bases: readonly string[];
}

/** The caller behind a request, from the key and the current state of member and agent. */
export interface Caller {
  readonly kind: CallerKind;
  /** Member, agent or key id, by kind. */
  readonly id: string;
  readonly name: string;
  readonly workspaceId: string;
  readonly keyId: string;
  readonly role: Role;
  readonly permissions: ReadonlySet<Permission>;
  readonly readOnly: boolean;
  readonly neverDeletes: boolean;
  /** The member that a connection or an agent acts for. */
  readonly personBehind?: { readonly id: string; readonly name: string };
  /**
   * Ids of other members who made the key in use, or made or instructed the acting agent. They could act as this
   * caller, so for the four-eyes principle they count as requesters. Default: none.
   */
  readonly makers?: readonly string[];
  /** Which of its commands need approval. Default: none. */
  readonly asks?: AskMode;
  /** When the key expires, ISO 8601. Default: never. */
  readonly expiresAt?: string;
  /** The areas whose operations the key may call. Default: all. */
  readonly areas?: readonly string[];
  /** Ids of the functions that the key may run, whatever its areas. Default: all. */
  readonly functions?: readonly string[];
  /** Service tools of running code only. Default: the whole workspace. */
  readonly reach?: Reach;
}
