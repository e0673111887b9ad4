import type { AppUser } from '../../../areas/app-users/app-user/app-user.record.js';
import type { Project } from '../../../areas/sites/project/project.record.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { Html } from '../../pages/html.js';
import type { SignInStep } from './sign-in-steps.js';

/** A request for one of the platform's sign-in pages. */
export interface PlatformVisit {
  readonly step: SignInStep;
  readonly project: Project;
  /** The user who is signed in, if any. */
  readonly user: AppUser | undefined;
  /** The client's network address. It is used only for rate limits. */
  readonly address: string;
  /** Path after `base`, as sent and without the query. */
  readonly path: string;
  /** Query string with its question mark. Empty if there is none. */
  readonly query: string;
}

/** Everything that a page shows or uses. */
export interface At extends PlatformVisit {
  /** Prefix of the paths of the platform's pages. Empty on the site's own host. */
  readonly base: string;
  /** Path of the site to show after signing in. */
  readonly next: string;
  /** Hidden fields that are in every form. */
  readonly hidden: Html;
  /** Error messages about refused input. */
  readonly wrong: readonly string[];
  /**
   * The fields of the form that was sent, or else of the query. The form shows them again, except passwords, so that
   * they can be corrected.
   */
  readonly sent: URLSearchParams;
  /** Addresses of the other sign-in pages. Pages that are not available are omitted. */
  readonly links: Links;
  call(operation: string): OperationContext;
}

export interface Links {
  readonly login?: string;
  readonly signup?: string;
  readonly forgotPassword?: string;
}

export interface PlatformView {
  readonly title: string;
  readonly content: Html;
  /** Script of the page. It must be the same in every response. */
  readonly script?: string;
}

/** A redirect instead of a page. */
export interface PageRedirect {
  /** Path of the site to which the browser is redirected. */
  readonly to: string;
  readonly session?: { readonly token: string; readonly expiresAt: string };
}

/** One of the platform's sign-in pages. Sites without such a page of their own use it. */
export interface PlatformPage {
  show(at: At): PlatformView | PageRedirect;
  /** @throws Refusal */
  send(at: At): Promise<PlatformView | PageRedirect>;
}
