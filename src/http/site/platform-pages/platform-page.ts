import type { AppUser } from '../../../areas/app-users/app-user/app-user.record.js';
import type { Project } from '../../../areas/sites/project/project.record.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { Html } from '../../pages/html.js';
import type { Step } from './sign-in-steps.js';

/** Who asks for a page of sign-in, and where. */
export interface PlatformVisit {
  readonly step: Step;
  readonly project: Project;
  /** Who has signed in. */
  readonly user: AppUser | undefined;
  /** Of the visitor, for limits alone. */
  readonly address: string;
  /** As it was sent, below `base`, without the query. */
  readonly path: string;
  /** With its question mark; empty: none. */
  readonly query: string;
}

/** What a page is made of. */
export interface At extends PlatformVisit {
  /** Before the paths of the platform's pages: empty on the site's own host. */
  readonly base: string;
  /** Where to go once signed in: a path of the site. */
  readonly next: string;
  /** The hidden fields of every form. */
  readonly hidden: Html;
  /** Sentences about what was sent and refused. */
  readonly wrong: readonly string[];
  /** What was sent, to be mended. Without passwords. */
  readonly sent: URLSearchParams;
  /** Addresses of the other steps; left out: there is none. */
  readonly links: Links;
  call(operation: string): OperationContext;
}

export interface Links {
  readonly login?: string;
  readonly signup?: string;
  readonly forgotPassword?: string;
}

export interface View {
  readonly title: string;
  readonly content: Html;
  /** Statements that the page runs, the same at every request. */
  readonly script?: string;
}

/** The browser is led on, after a form or instead of a page. */
export interface Lead {
  /** Path of the site. */
  readonly to: string;
  readonly session?: { readonly token: string; readonly expiresAt: string };
}

/** One step of signing in, where a site has no page of its own for it. */
export interface PlatformPage {
  show(at: At): View | Lead;
  /** @throws Refusal */
  send(at: At): Promise<View | Lead>;
}
