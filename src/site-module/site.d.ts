/** API of `@countersign/site` for pages of a site and for people's own apps. */
import type { AnchorHTMLAttributes, ReactElement, ReactNode } from 'react';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** A call that was refused or failed. */
export declare class SiteError extends Error {
  constructor(status: number, code: string, message: string);
  /** HTTP status, or 0 if there was no response. */
  readonly status: number;
  /** Stable code: `execute-refused`, `function-failed`, `unreachable`, … */
  readonly code: string;
}

export interface SiteUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly roles: readonly string[];
  readonly roleIds: readonly string[];
  /** Keys of the entitlements that give access now. */
  readonly entitlements: readonly string[];
  readonly customFields: Readonly<Record<string, unknown>>;
  readonly emailVerified: boolean;
}

export interface Session {
  /** Token of the session, which this module stores. On the site's own host a cookie is used instead. */
  readonly token: string;
  /** In ISO 8601. */
  readonly expiresAt: string;
}

/** Every method throws `SiteError` if it is refused. */
export interface Auth {
  /** If `verificationRequired` is true, a link was mailed, and the user can sign in only after following it. */
  signup(body: {
    email: string;
    password: string;
    name?: string;
    customFields?: JsonObject;
  }): Promise<{ readonly user: SiteUser; readonly verificationRequired: boolean; readonly session?: Session }>;
  login(body: { email: string; password: string }): Promise<{ readonly user: SiteUser; readonly session?: Session }>;
  logout(): Promise<{ readonly success: true }>;
  /** `token` is in the query of the mailed link. */
  verifyEmail(body: { token: string }): Promise<{ readonly success: true }>;
  /** Mails a link for setting a new password. The response does not reveal whether there is such a user. */
  forgotPassword(body: { email: string }): Promise<{ readonly success: true }>;
  /** `token` is in the query of the mailed link. */
  resetPassword(body: { token: string; password: string }): Promise<{ readonly success: true }>;
  /** Changing the password requires the current one. */
  updateProfile(body: {
    name?: string;
    customFields?: JsonObject;
    password?: string;
    currentPassword?: string;
  }): Promise<SiteUser>;
  me(): Promise<{ readonly user: SiteUser | null }>;
  /**
   * Leaves the page for a provider, such as `google`. After the sign-in there, the browser returns to the site. Works
   * on the site's own host only.
   */
  social(provider: string): Promise<never>;
}
export declare const auth: Auth;

export interface Functions {
  /** Runs a function of the site by its name, and resolves to its result. @throws SiteError `function-failed` */
  invoke<Result = unknown>(name: string, params?: JsonObject): Promise<Result>;
  /** Runs a function of the workspace by its id or name, if its `runBy.pages` is true. */
  invokeAccount<Result = unknown>(idOrName: string, params?: JsonObject): Promise<Result>;
}
export declare const functions: Functions;

export type Row = { readonly id: string } & Readonly<Record<string, Json>>;
export type Sort = readonly { readonly field: string; readonly dir: 'asc' | 'desc' }[];
export interface RowList {
  readonly rows: readonly Row[];
  readonly total: number;
  /** Names of the fields that this visitor may not read. */
  readonly hiddenFields: readonly string[];
  readonly nextCursor?: string | null;
}

/** Tables of the site's base, as far as this visitor may read and write them. `table` is a name or an id. */
export interface Tables {
  getRows(
    table: string,
    options?: { filter?: JsonObject; sort?: Sort; limit?: number; cursor?: string },
  ): Promise<RowList>;
  getRow(table: string, id: string): Promise<Row>;
  /** Returns the rows that contain this text in any text field. */
  searchRows(table: string, text: string, options?: { limit?: number }): Promise<RowList>;
  filterRows(table: string, filter: JsonObject, options?: { sort?: Sort; limit?: number }): Promise<RowList>;
  getRowCount(table: string, filter?: JsonObject): Promise<number>;
  /** Reads all rows, at most 10,000. */
  readAll(
    table: string,
    options?: { filter?: JsonObject; sort?: Sort; maxRows?: number },
  ): Promise<{ readonly rows: readonly Row[]; readonly hiddenFields: readonly string[] }>;
  report(table: string, spec: JsonObject): Promise<{ readonly groups: readonly JsonObject[] }>;
  listTables(): Promise<readonly { readonly id: string; readonly name: string; readonly description: string | null }[]>;
  getTableSchema(table: string): Promise<JsonObject>;
  createRow(table: string, values: JsonObject): Promise<Row>;
  updateRow(table: string, id: string, values: JsonObject): Promise<Row>;
  /** Changes the row that has the values of `match`, or creates a row if there is none. */
  upsertRow(table: string, match: JsonObject, values: JsonObject): Promise<Row>;
  deleteRow(table: string, id: string): Promise<{ readonly success: true }>;
  /** Changes all of these rows or none, at most 1,000. */
  bulkUpdateRows(
    table: string,
    changes: readonly { readonly id: string; readonly values: JsonObject }[],
  ): Promise<{ readonly rows: readonly Row[] }>;
  /** Deletes all of these rows or none, at most 1,000. */
  bulkDeleteRows(table: string, ids: readonly string[]): Promise<{ readonly deleted: number }>;
}
export declare const tables: Tables;

export interface Checkout {
  /** `granted`: the offer was free. `pending`: a person has to decide. `redirect`: the browser goes to `url` to pay. */
  readonly status: 'granted' | 'pending' | 'redirect';
  readonly paymentId: string;
  readonly url?: string;
  /** In minor units of the currency. */
  readonly amount: number;
  readonly currency: string;
}
export interface Payments {
  /** Begins the purchase of an offer. In a browser, `redirect` leaves the page for `url`. */
  checkout(
    offerKey: string,
    options?: { couponCode?: string; method?: 'processor' | 'manual'; successPath?: string; cancelPath?: string },
  ): Promise<Checkout>;
}
export declare const payments: Payments;

export interface Email {
  send(
    message:
      | { to: string; template: string; variables?: JsonObject }
      | { to: string; subject: string; html?: string; text?: string; replyTo?: string },
  ): Promise<{ readonly messageId: string }>;
}
export declare const email: Email;

export interface RealtimeMessage {
  readonly channel: string;
  /**
   * The sender, as determined by the service. `kind` is `function` for functions of the site. `id` is null for visitors
   * who have not signed in.
   */
  readonly from: { readonly kind: 'user' | 'guest' | 'visitor' | 'member' | 'function'; readonly id: string | null };
  /** In ISO 8601. */
  readonly at: string;
}
export interface Present {
  readonly kind: 'user' | 'guest' | 'visitor' | 'member';
  readonly id: string | null;
  readonly connections: number;
}
export interface Realtime {
  /**
   * Calls the handler with messages published to the channel from now on, until the returned function is called. The
   * connection is reopened if it is lost. Messages published while it is lost are not delivered; `onBegin` is called
   * whenever delivery begins. `onEnd` is called if the visitor may not listen, or no longer may.
   */
  subscribe<Data = Json>(
    channel: string,
    handler: (data: Data, message: RealtimeMessage) => void,
    options?: { onBegin?: () => void; onEnd?: (error: SiteError) => void },
  ): () => void;
  /** Publishes to a channel whose rules let the visitor publish. @throws SiteError */
  publish(channel: string, data: Json): Promise<void>;
  /** Returns who listens to a channel whose name begins with `presence:`, at most a thousand. */
  presence(channel: string): Promise<{ readonly present: readonly Present[]; readonly total: number }>;
}
export declare const realtime: Realtime;
export interface ProxyAnswer {
  /** Any HTTP status. A 404 of the other service is a normal response too. */
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or bytes in base64 if `encoding` is set. */
  readonly body: string;
  readonly encoding?: 'base64';
}
export interface ServerProxy {
  /**
   * Sends a request to another service from the server, if the site's rule admits this visitor. `{{secret:NAME}}` in
   * the address, a header or the body is replaced by a secret of the site, which browsers never see. `timeout` is in
   * milliseconds.
   */
  fetch(
    url: string,
    options?: { method?: string; headers?: Record<string, string>; body?: Json; encoding?: 'base64'; timeout?: number },
  ): Promise<ProxyAnswer>;
}
export declare const proxy: ServerProxy;

/** Returns null if no one is signed in, while the user is not known yet, and in HTML rendered on the server. */
export declare function useUser(): SiteUser | null;

/** Returns the values of the named segments in the page's pattern: `{ slug }` at `/blog/:slug`. */
export declare function useParams(): Readonly<Record<string, string>>;

export interface FunctionState<Result> {
  /** Undefined until the first response. */
  readonly data: Result | undefined;
  readonly error: SiteError | undefined;
  readonly loading: boolean;
  readonly reload: () => void;
}
/** Runs a function of the site when the page is shown, and again when name or params change. */
export declare function useFunction<Result = unknown>(name: string, params?: JsonObject): FunctionState<Result>;

export interface RowsState {
  /** Empty until the first response for the current table and user, and after a refusal. */
  readonly rows: readonly Row[];
  readonly total: number;
  readonly error: SiteError | undefined;
  readonly loading: boolean;
  readonly reload: () => void;
}
/** Returns the rows of a table that this visitor may read, and updates them while the page is shown. */
export declare function useRows(
  table: string,
  options?: { filter?: JsonObject; sort?: Sort; limit?: number },
): RowsState;

/** A link to a page of the site, which is shown without loading a new document. */
export declare function Link(props: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }): ReactElement;

/** Goes to a path of the site or to an address. A page of the site is shown without loading a new document. */
export declare function navigate(path: string, options?: { replace?: boolean }): void;

/**
 * Shows its children to users with the role, which is given by name or id. It does not protect anything; use access
 * rules for secret content.
 */
export declare function RequireRole(props: { role: string; fallback?: ReactNode; children?: ReactNode }): ReactElement;

/**
 * Shows its children to users with the entitlement. It does not protect anything; use access rules for secret content.
 */
export declare function RequireEntitlement(props: {
  entitlement: string;
  fallback?: ReactNode;
  children?: ReactNode;
}): ReactElement;

/** Storage for the session's token between visits, such as `localStorage`. */
export interface SessionStorage {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}
/**
 * Configures the module in an app outside the site: `configure({ api: 'https://<service>/api/app/<projectId>' })`. Must
 * be called before anything else in the module. Pages of a site need no configuration. By default, the session is
 * stored in `localStorage`, or in memory if there is none.
 */
export declare function configure(options: { api: string; storage?: SessionStorage }): void;
