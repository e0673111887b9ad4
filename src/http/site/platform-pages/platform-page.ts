import type { AppUser } from '../../../areas/app-users/app-user/app-user.record.js';
import type { Project } from '../../../areas/sites/project/project.record.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { Html } from '../../pages/html.js';
import type { SignInStep } from './sign-in-steps.js';

/** A visitor's request for a sign-in page. */
export interface PlatformVisit {
  readonly step: SignInStep;
  readonly project: Project;
  /** The signed-in user. */
  readonly user: AppUser | undefined;
  /** The visitor's address, used only for rate limits. */
  readonly address: string;
  /** Path below `base` as sent, without the query. */
  readonly path: string;
  /** Query with its question mark, or empty if there is none. */
  readonly query: string;
}

/** Data from which a page is made. */
export interface At extends PlatformVisit {
  /** Prefix of the platform pages' paths. Empty on the site's own host. */
  readonly base: string;
  /** Path of the site to which the browser goes after the sign-in. */
  readonly next: string;
  /** Hidden fields that are in every form. */
  readonly hidden: Html;
  /** Sentences about refused input. */
  readonly wrong: readonly string[];
  /** The input as sent, without passwords, so that it can be corrected. */
  readonly sent: URLSearchParams;
  /** Addresses of the other steps. A step that does not exist is omitted. */
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
  /** Script of the page, the same at every request. */
  readonly script?: string;
}

/** A redirect, after a form or instead of a page. */
export interface PageRedirect {
  /** Path on the site. */
  readonly to: string;
  readonly session?: { readonly token: string; readonly expiresAt: string };
}

/** A step of the sign-in, for sites without a page of their own for it. */
export interface PlatformPage {
  show(at: At): PlatformView | PageRedirect;
  /** @throws Refusal */
  send(at: At): Promise<PlatformView | PageRedirect>;
}
