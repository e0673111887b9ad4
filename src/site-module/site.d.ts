/** What `@countersign/site` gives to pages of a site and to people's own apps. */
import type { AnchorHTMLAttributes, ReactElement, ReactNode } from 'react';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** A call that was refused or failed. */
export declare class SiteError extends Error {
  constructor(status: number, code: string, message: string);
  /** HTTP status; 0: no answer came. */
  readonly status: number;
  /** Stable: `execute-refused`, `function-failed`, `unreachable`, … */
  readonly code: string;
}

/** The user who is signed in. */
export interface SiteUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  /** Names of the roles. */
  readonly roles: readonly string[];
  readonly roleIds: readonly string[];
  /** Keys of those that give access now. */
  readonly entitlements: readonly string[];
  readonly customFields: Readonly<Record<string, unknown>>;
  readonly emailVerified: boolean;
}

export interface Session {
  /** Kept by this module. On the site's own host a cookie takes its place. */
  readonly token: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** Every method throws `SiteError` when it is refused. */
export interface Auth {
  /** With `verificationRequired` a link was mailed, and signing in works once it is followed. */
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
  /** The answer does not tell whether there is such a user. */
  forgotPassword(body: { email: string }): Promise<{ readonly success: true }>;
  /** `token` is in the query of the mailed link. */
  resetPassword(body: { token: string; password: string }): Promise<{ readonly success: true }>;
  /** A new password needs the current one. */
  updateProfile(body: {
    name?: string;
    customFields?: JsonObject;
    password?: string;
    currentPassword?: string;
  }): Promise<SiteUser>;
  me(): Promise<{ readonly user: SiteUser | null }>;
  /** Leaves the page for the provider, such as `google`, which leads back signed in. On the site's own host only. */
  social(provider: string): Promise<never>;
}
export declare const auth: Auth;

export interface Functions {
  /** Runs a function of the site by its name. Resolves to what it returns. @throws SiteError `function-failed` */
  invoke<Result = unknown>(name: string, params?: JsonObject): Promise<Result>;
  /** Runs a function of the workspace by its id or name, where its `runBy.pages` is true. */
  invokeAccount<Result = unknown>(idOrName: string, params?: JsonObject): Promise<Result>;
}
export declare const functions: Functions;

export type Row = { readonly id: string } & Readonly<Record<string, Json>>;
export type Sort = readonly { readonly field: string; readonly dir: 'asc' | 'desc' }[];
export interface RowList {
  readonly rows: readonly Row[];
  readonly total: number;
  /** Fields that this visitor may not read. */
  readonly hiddenFields: readonly string[];
  readonly nextCursor?: string | null;
}

/** Tables of the site's base, as this visitor may read and write them. `table` is a name or an id. */
export interface Tables {
  getRows(
    table: string,
    options?: { filter?: JsonObject; sort?: Sort; limit?: number; cursor?: string },
  ): Promise<RowList>;
  getRow(table: string, id: string): Promise<Row>;
  /** Rows with this part in any text field. */
  searchRows(table: string, text: string, options?: { limit?: number }): Promise<RowList>;
  filterRows(table: string, filter: JsonObject, options?: { sort?: Sort; limit?: number }): Promise<RowList>;
  getRowCount(table: string, filter?: JsonObject): Promise<number>;
  /** 10,000 rows at most. */
  readAll(
    table: string,
    options?: { filter?: JsonObject; sort?: Sort; maxRows?: number },
  ): Promise<{ readonly rows: readonly Row[]; readonly hiddenFields: readonly string[] }>;
  report(table: string, spec: JsonObject): Promise<{ readonly groups: readonly JsonObject[] }>;
  listTables(): Promise<readonly { readonly id: string; readonly name: string; readonly description: string | null }[]>;
  getTableSchema(table: string): Promise<JsonObject>;
  createRow(table: string, values: JsonObject): Promise<Row>;
  updateRow(table: string, id: string, values: JsonObject): Promise<Row>;
  /** Changes the row with the values of `match`, or creates it. */
  upsertRow(table: string, match: JsonObject, values: JsonObject): Promise<Row>;
  deleteRow(table: string, id: string): Promise<{ readonly success: true }>;
  /** All or none, 1,000 at most. */
  bulkUpdateRows(
    table: string,
    changes: readonly { readonly id: string; readonly values: JsonObject }[],
  ): Promise<{ readonly rows: readonly Row[] }>;
  /** All or none, 1,000 at most. */
  bulkDeleteRows(table: string, ids: readonly string[]): Promise<{ readonly deleted: number }>;
}
export declare const tables: Tables;

export interface Checkout {
  /** `granted`: it was free. `pending`: a person decides. `redirect`: the browser goes to `url` and pays there. */
  readonly status: 'granted' | 'pending' | 'redirect';
  readonly paymentId: string;
  readonly url?: string;
  /** In minor units of the currency. */
  readonly amount: number;
  readonly currency: string;
}
export interface Payments {
  /** Begins to buy an offer. In a browser, `redirect` leaves the page for `url`. */
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

export interface ProxyAnswer {
  /** Any: a 404 of the other service is an answer, too. */
  readonly status: number;
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A text, or bytes in base64 with `encoding`. */
  readonly body: string;
  readonly encoding?: 'base64';
}
export interface ServerProxy {
  /**
   * Has the server ask an address elsewhere, where the site's rule admits this visitor. `{{secret:NAME}}` in the address, a
   * header or the body is replaced by a secret of the site, which browsers never see. `timeout` is in milliseconds.
   */
  fetch(
    url: string,
    options?: { method?: string; headers?: Record<string, string>; body?: Json; encoding?: 'base64'; timeout?: number },
  ): Promise<ProxyAnswer>;
}
export declare const proxy: ServerProxy;

/** Null while nobody is signed in, while it is not known yet, and in the HTML that is rendered ahead. */
export declare function useUser(): SiteUser | null;

/** Segments of the path that the page's pattern names: `{ slug }` at `/blog/:slug`. */
export declare function useParams(): Readonly<Record<string, string>>;

export interface FunctionState<Result> {
  /** Undefined until the first answer. */
  readonly data: Result | undefined;
  readonly error: SiteError | undefined;
  readonly loading: boolean;
  /** Runs the function again. */
  readonly reload: () => void;
}
/** Runs a function of the site when the page shows, and again when name or params change. */
export declare function useFunction<Result = unknown>(name: string, params?: JsonObject): FunctionState<Result>;

/** A link to a page of the site that loads no document. */
export declare function Link(props: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }): ReactElement;

/** Goes to a path of the site, or an address, without loading a document where a page of the site is there. */
export declare function navigate(path: string, options?: { replace?: boolean }): void;

/** Shows its children to users with the role, by name or id. It protects nothing: what is secret needs access rules. */
export declare function RequireRole(props: { role: string; fallback?: ReactNode; children?: ReactNode }): ReactElement;

/** Shows its children to users with the entitlement. It protects nothing: what is secret needs access rules. */
export declare function RequireEntitlement(props: {
  entitlement: string;
  fallback?: ReactNode;
  children?: ReactNode;
}): ReactElement;

/** Where the token of a session is kept between visits: `localStorage` has these methods. */
export interface SessionStorage {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}
/**
 * For an app of your own, before any call: `configure({ api: 'https://<service>/api/app/<projectId>' })`. Pages of a site
 * need no configuration. Without `storage` the session is kept in `localStorage`, or in memory where there is none.
 */
export declare function configure(options: { api: string; storage?: SessionStorage }): void;
