export interface SiteUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly roles: readonly string[];
  readonly roleIds: readonly string[];
  readonly entitlements: readonly string[];
  readonly customFields: Readonly<Record<string, unknown>>;
  readonly emailVerified: boolean;
}

/** A page that this visitor may read. Names of assets are relative to `<base>/_site/`. */
export interface ReadablePage {
  readonly id: string;
  readonly path: string;
  readonly title: string | null;
  readonly script: string;
  readonly imports: readonly string[];
  readonly styles: string;
}

/** Response of `<base>/_site/pages`. It is requested again after a sign-in and after a sign-out. */
export interface SitePages {
  readonly user: SiteUser | null;
  readonly pages: readonly ReadablePage[];
}

/** Data for the script that starts the page, as JSON in the element `site-data`. */
export interface SiteData extends SitePages {
  readonly projectId: string;
  /** Prefix of every path of the site: empty, or `/releases/<projectId>/<version>`. */
  readonly base: string;
  readonly page: string;
  readonly params: Readonly<Record<string, string>>;
  /**
   * Whether the element `root` already contains the page's HTML, to be hydrated. Otherwise the page is rendered in the
   * browser.
   */
  readonly isRendered: boolean;
  /** Whether the visit is counted, which it is if the page exists and belongs to the published site. */
  readonly countsVisits: boolean;
  readonly login: string;
}
