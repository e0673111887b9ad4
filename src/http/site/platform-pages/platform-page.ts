import type { AppUser } from '../../../areas/app-users/app-user/app-user.record.js';
import type { Project } from '../../../areas/sites/project/project.record.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { Html } from '../../pages/html.js';
import type { SignInStep } from './sign-in-steps.js';

export interface PlatformVisit {
  readonly step: SignInStep;
  readonly project: Project;
  readonly user: AppUser | undefined;
  readonly address: string;
  /** As sent, without `base` and the query. */
  readonly path: string;
  /** Begins with a question mark, or is empty. */
  readonly query: string;
}

export interface At extends PlatformVisit {
  /** Prefix of the paths of the sign-in pages. It is empty on the site's own host. */
  readonly base: string;
  readonly next: string;
  readonly hidden: Html;
  readonly wrong: readonly string[];
  /**
   * Fields of the form that was sent, or parameters of the query if no form was sent. The page shows them again in its
   * form, except passwords.
   */
  readonly sent: URLSearchParams;
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
  /** A constant text, the same in every response. */
  readonly script?: string;
}

export interface PageRedirect {
  readonly to: string;
  readonly session?: { readonly token: string; readonly expiresAt: string };
}

/** A sign-in page of the platform, for sites that have no page of their own for this step. */
export interface PlatformPage {
  show(at: At): PlatformView | PageRedirect;
  /** @throws Refusal */
  send(at: At): Promise<PlatformView | PageRedirect>;
}
